// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Tells what a stream carries (frames, WebSocket, a foreign protocol) and unwraps it.
#include "connection/transport.hpp"

namespace analyzer::connection {

using iggy::conversation::Foreign;
using stream::Direction;
namespace websocket = stream::websocket;

std::string_view word_of(Transport transport) {
  switch (transport) {
    case Transport::tcp:
      return "tcp";
    case Transport::websocket:
      return "websocket";
    case Transport::tls:
      return "tls";
    case Transport::quic:
      return "quic";
  }
  return {};
}

namespace {

constexpr Side sender_of(bool from_client) {
  return from_client ? Side::client : Side::server;
}

// Who sends the binary message that a segment starts with, if its payload is a frame beyond doubt:
// clients mask, servers do not. Peers write one message at a time, so most messages begin with a
// segment.
Side begin_of_message(Bytes bytes) {
  constexpr std::size_t header_size = iggy::conversation::header_bytes;
  constexpr std::uint8_t final_binary = 0x82;
  const auto byte = [&bytes](std::size_t i) { return std::to_integer<std::uint8_t>(bytes[i]); };
  if (bytes.size() < 4 + header_size || byte(0) != final_binary) return Side::unknown;
  const bool is_masked = (byte(1) & 0x80U) != 0;
  const unsigned short_length = byte(1) & 0x7fU;
  if (short_length < 126) return Side::unknown;
  const std::size_t length_bytes = short_length == 126 ? 2 : 8;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length = length << 8 | byte(2 + i);
  const std::size_t mask_at = 2 + length_bytes;
  const std::size_t payload_at = mask_at + (is_masked ? 4 : 0);
  if (length < header_size || bytes.size() < payload_at + header_size) return Side::unknown;
  std::array<std::byte, header_size> header{};
  for (std::size_t i = 0; i < header_size; ++i)
    header[i] = bytes[payload_at + i] ^ (is_masked ? bytes[mask_at + i % 4] : std::byte{0});
  const bool is_frame =
      iggy::conversation::strong_test(header) != iggy::conversation::Strong::none &&
      iggy::decode::load<std::uint32_t>(header.data() + 48) == length;
  return is_frame ? sender_of(is_masked) : Side::unknown;
}

}  // namespace

// Unwraps the messages of one direction. Text messages carry no frames: a server closes on them.
class TransportReader::Messages final : private websocket::MessageSink {
 public:
  Messages(TransportReader& owner, Direction from, bool from_client)
      : owner_(owner), from_(from), from_client_(from_client) {
    renew();
  }

  void data(Bytes bytes, const Source& source) {
    source_ = source;
    source_.is_exact = false;
    if (decoder_->is_lost()) {
      if (begin_of_message(bytes) != sender_of(from_client_)) return;
      renew();
    }
    decoder_->data(bytes, origin_of(source));
  }
  bool hole(const stream::Hole& hole) {
    hole_ = &hole;
    hides_ = decoder_->is_lost();
    source_ = {hole.found.packet, hole.found.time, hole.offset,
               hole.found.acknowledged.value_or(no_acknowledgement), false};
    decoder_->hole(hole.bytes, hole.kind, hole.found);
    hole_ = nullptr;
    return hides_;
  }

 private:
  void renew() { decoder_.emplace(static_cast<websocket::MessageSink&>(*this), from_client_); }

  static stream::Origin origin_of(const Source& source) {
    stream::Origin origin{source.packet, source.time, std::nullopt};
    if (source.acknowledged != no_acknowledgement) origin.acknowledged = source.acknowledged;
    return origin;
  }

  void begin(const websocket::MessageStart& start, const stream::Origin&) override {
    carries_frames_ = start.opcode != websocket::Opcode::text;
  }
  void payload(Bytes bytes, const stream::Origin&) override {
    if (carries_frames_) owner_.consumer_.payload(from_, bytes, source_);
  }
  void payload_hole(std::uint64_t bytes, stream::HoleKind, const stream::Origin&) override {
    if (carries_frames_ && hole_ != nullptr)
      hides_ = owner_.consumer_.payload_hole(from_, bytes, source_, *hole_) || hides_;
  }
  void end(bool, const stream::Origin&) override {}
  void control(const websocket::ControlFrame& frame, const stream::Origin& origin) override {
    if (frame.opcode != websocket::Opcode::close || from_client_) return;
    owner_.websocket_.server_close_packet = origin.packet;
    owner_.websocket_.server_close_has_code = frame.close_code.has_value();
  }
  void problem(websocket::Problem, const stream::Origin&) override {}
  void lost(const stream::Origin&) override {
    hides_ = true;
    // A frame header is missing or makes no sense; only a message that vouches for itself helps.
    const stream::Hole here{source_.tcp_offset, 0, stream::HoleKind::given_up, origin_of(source_)};
    owner_.consumer_.payload_lost(from_, hole_ != nullptr ? *hole_ : here);
  }

  TransportReader& owner_;
  Direction from_;
  bool from_client_;
  std::optional<websocket::MessageDecoder> decoder_;
  Source source_;
  const stream::Hole* hole_ = nullptr;
  bool carries_frames_ = true;
  bool hides_ = false;  // frames, the hole under way
};

TransportReader::TransportReader(TransportConsumer& consumer) : consumer_(consumer) {}
TransportReader::~TransportReader() = default;

void TransportReader::data(Direction from, Bytes bytes, const Source& source) {
  Lane& to = lane(from);
  switch (to.mode) {
    case Mode::plain: {
      const Side sender = consumer_.is_in_step(from) ? Side::unknown : begin_of_message(bytes);
      if (sender == Side::unknown) {
        consumer_.payload(from, bytes, source);
      } else {  // the upgrade was not captured
        begin_messages(from, sender);
        to.messages->data(bytes, source);
      }
      break;
    }
    case Mode::http_head:
      feed_head(from, bytes, source);
      break;
    case Mode::messages:
      to.messages->data(bytes, source);
      break;
    case Mode::opaque:
      if (goes_on_with_message(to, bytes)) {
        data(from, bytes, source);
        break;
      }
      to.other_bytes += bytes.size();
      if (to.foreign == Foreign::tls) to.tls.feed(bytes, source.packet);
      break;
  }
}

// The end of the head of an upgrade lay in a hole.
bool TransportReader::goes_on_with_message(Lane& lane, Bytes bytes) {
  if (lane.foreign != Foreign::http || begin_of_message(bytes) == Side::unknown) return false;
  lane.foreign = Foreign::none;
  lane.mode = Mode::plain;
  lane.other_bytes = 0;
  return true;
}

bool TransportReader::hole(Direction from, const stream::Hole& hole) {
  Lane& to = lane(from);
  switch (to.mode) {
    case Mode::plain: {
      const Source found{hole.found.packet, hole.found.time, hole.offset,
                         hole.found.acknowledged.value_or(no_acknowledgement), true};
      return consumer_.payload_hole(from, hole.bytes, found, hole);
    }
    case Mode::http_head:
      to.mode = Mode::opaque;
      to.is_head_cut = true;
      break;
    case Mode::messages:
      return to.messages->hole(hole);
    case Mode::opaque:
      to.tls.lose();
      break;
  }
  return true;
}

void TransportReader::foreign(Direction from, Foreign protocol, Bytes bytes, const Source& source) {
  Lane& to = lane(from);
  if (to.foreign_packet == 0) to.foreign_packet = source.packet;
  to.foreign = protocol;
  if (to.mode == Mode::plain && protocol == Foreign::http) {
    to.mode = Mode::http_head;
    to.head = std::make_unique<websocket::UpgradeHead>();
  } else if (to.mode == Mode::plain) {
    if (protocol == Foreign::tls) transport_ = Transport::tls;
    to.mode = Mode::opaque;
  } else if (to.mode == Mode::messages) {
    // Behind an upgrade there is no further layer to look into: they would unwrap themselves.
    to.mode = Mode::opaque;
  }  // else the rest of what was handed over
  data(from, bytes, source);
}

void TransportReader::feed_head(Direction from, Bytes bytes, Source source) {
  Lane& to = lane(from);
  const std::size_t taken = to.head->feed(bytes);
  to.other_bytes += taken;
  if (to.head->state() == websocket::UpgradeHead::State::reading) return;
  source.tcp_offset += taken;
  end_head(from, bytes.subspan(taken), source);
}

void TransportReader::end_head(Direction from, Bytes rest, const Source& source) {
  Lane& to = lane(from);
  const bool is_upgrade = to.head->is_websocket();
  const bool from_client = to.head->state() == websocket::UpgradeHead::State::upgrade_request;
  if (to.head->status() != 0) websocket_.response_status = to.head->status();
  if (from_client) websocket_.upgrade_packet = source.packet;
  to.head.reset();
  to.mode = is_upgrade ? Mode::messages : Mode::opaque;
  if (!is_upgrade) {
    to.other_bytes += rest.size();
    return;
  }
  to.other_bytes = 0;
  // Until the server agrees, the client's upgrade is HTTP like any other.
  if (!from_client)
    for (Lane& each : lanes_) each.foreign = Foreign::none;
  begin_messages(from, sender_of(from_client));
  if (!rest.empty()) to.messages->data(rest, source);
}

void TransportReader::begin_messages(Direction from, Side sender) {
  Lane& to = lane(from);
  transport_ = Transport::websocket;
  to.mode = Mode::messages;
  to.messages = std::make_unique<Messages>(*this, from, sender == Side::client);
  consumer_.restart(from, sender);
}

}  // namespace analyzer::connection
