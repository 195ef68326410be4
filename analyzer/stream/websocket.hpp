// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// WebSocket (RFC 6455) over an ordered byte stream: the HTTP upgrade, then messages.
//
// Two state machines for one direction each, fed with bytes in order and with holes. They allocate
// nothing by a length that the wire claims, unmask into a fixed buffer, and never guess where a
// frame begins: after a hole over a frame header a direction is lost. What messages mean, and TCP,
// are not known here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/byte_stream.hpp"

namespace analyzer::stream::websocket {

// The HTTP head at the start of one direction: what the client asks, or what the server answers.
class UpgradeHead {
 public:
  static constexpr std::size_t longest = std::size_t{16} << 10;

  enum class State : std::uint8_t {
    reading,
    upgrade_request,  // GET with Upgrade: websocket
    other_request,    // GET without
    switching,        // 101 with Upgrade: websocket
    other_response,   // any other status, or 101 to something else; see status()
    not_http,         // does not begin as a GET or a response does
    too_long,         // no end within `longest` bytes
    lost,             // a hole in the head
  };

  // Takes bytes as long as the head goes on and returns how many it took; what follows belongs to
  // the next layer. Bytes taken before the first of them told that this is not HTTP are in text().
  std::size_t feed(Bytes bytes);
  void hole();

  State state() const { return state_; }
  bool is_websocket() const {
    return state_ == State::upgrade_request || state_ == State::switching;
  }
  // Of a response, once its head is complete; else 0.
  std::uint16_t status() const { return status_; }
  // Extensions are offered (request) or agreed on (response). They may give the reserved bits of
  // frames a meaning, as compression does.
  bool has_extensions() const { return has_extensions_; }
  // The head as taken so far: its length is where the first frame begins.
  std::string_view text() const { return text_; }

 private:
  bool begins_as_http() const;
  void complete();
  void take_header(std::string_view name, std::string_view value);

  std::string text_;
  std::size_t line_start_ = 0;
  State state_ = State::reading;
  std::uint16_t status_ = 0;
  bool has_upgrade_ = false;
  bool has_extensions_ = false;
};

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

struct MessageStart {
  Opcode opcode{};  // text or binary; continuation where the start of the message is missing
  bool masked = false;
  bool reserved_bits = false;  // the payload may be compressed or otherwise transformed
};

struct ControlFrame {
  Opcode opcode{};
  bool masked = false;
  bool complete = true;      // false: a hole lies in the payload, which is left out as a whole
  std::uint64_t length = 0;  // of the payload, as claimed
  Bytes payload;             // unmasked
  std::optional<std::uint16_t> close_code;  // of a close frame that has one
  std::string_view close_reason;            // UTF-8 as sent, not checked
};

enum class Problem : std::uint8_t {
  reserved_bits,               // RSV1 to RSV3
  unknown_opcode,              // 3 to 7, 11 to 15; the frame is skipped
  length_too_large,            // the highest bit of a 64-bit length is set; the direction is lost
  length_not_minimal,          // a longer form of the length than needed
  unmasked_client_frame,       // decoded all the same
  masked_server_frame,         // likewise
  continuation_without_start,  // decoded as a message of its own
  message_interrupted,         // a new message begins before the old one has ended
  control_frame_too_long,      // above 125 bytes; the frame is skipped
  fragmented_control_frame,    // decoded as if it were whole
  close_payload_of_one_byte,   // neither without a code nor long enough for one
};

// Takes what one direction says. Messages do not overlap; control frames may come between the
// pieces of one.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void begin(const MessageStart& start, const Origin& origin) = 0;
  // The next bytes of the message, unmasked. Valid during the call only.
  virtual void payload(Bytes bytes, const Origin& origin) = 0;
  // The next `bytes` bytes of the message are missing.
  virtual void payload_hole(std::uint64_t bytes, HoleKind kind, const Origin& found) = 0;
  // Not complete: the message was interrupted, or the direction is lost within it.
  virtual void end(bool complete, const Origin& origin) = 0;
  virtual void control(const ControlFrame& frame, const Origin& origin) = 0;
  virtual void problem(Problem problem, const Origin& origin) = 0;
  // Frames can no longer be told apart in this direction. Said once; nothing follows.
  virtual void lost(const Origin& origin) = 0;
};

class MessageDecoder {
 public:
  MessageDecoder(MessageSink& sink, bool from_client) : sink_(sink), from_client_(from_client) {}

  // Bytes in order, behind the HTTP head.
  void data(Bytes bytes, const Origin& origin);
  void hole(std::uint64_t bytes, HoleKind kind, const Origin& found);

  bool is_lost() const { return state_ == State::lost; }
  // The stream may end here without cutting a frame or message.
  bool between_messages() const {
    return state_ == State::header && header_size_ == 0 && !in_message_;
  }
  std::uint64_t undecoded_bytes() const { return undecoded_bytes_; }  // after being lost

 private:
  enum class State : std::uint8_t { header, payload, lost };
  static constexpr std::size_t longest_header = 14;
  static constexpr std::size_t longest_control = 125;

  std::size_t take_header(Bytes bytes, const Origin& origin);
  std::size_t needed_header() const;
  std::uint64_t claimed_length() const;
  void begin_frame(const Origin& origin);
  void check_frame(const Origin& origin);
  void begin_message(const Origin& origin);
  std::size_t take_payload(Bytes bytes, const Origin& origin);
  void hand_on(Bytes bytes, const Origin& origin);
  void unmask(Bytes from, std::byte* to) const;
  void end_frame(const Origin& origin);
  void end_control(const Origin& origin);
  void lose(const Origin& origin);

  std::uint8_t header_byte(std::size_t i) const {
    return std::to_integer<std::uint8_t>(header_[i]);
  }
  bool is_final() const { return (header_byte(0) & 0x80U) != 0; }
  bool has_reserved_bits() const { return (header_byte(0) & 0x70U) != 0; }
  std::uint8_t opcode() const { return header_byte(0) & 0x0fU; }
  bool is_control() const { return opcode() >= 8; }
  bool is_masked() const { return (header_byte(1) & 0x80U) != 0; }

  MessageSink& sink_;
  bool from_client_;
  State state_ = State::header;
  bool in_message_ = false;
  bool skipped_ = false;           // this frame goes nowhere
  bool control_complete_ = false;  // no hole in the payload of this control frame so far
  std::uint8_t header_size_ = 0;
  std::uint8_t control_size_ = 0;
  std::array<std::byte, longest_header> header_{};
  std::array<std::byte, 4> mask_{};
  std::array<std::byte, longest_control> control_{};
  std::uint64_t length_ = 0;    // of the payload of this frame
  std::uint64_t position_ = 0;  // in it
  std::uint64_t undecoded_bytes_ = 0;
};

}  // namespace analyzer::stream::websocket
