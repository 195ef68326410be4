// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fuzzes WebSocket: any bytes as one direction, its HTTP head first, with holes where the input
// asks for them. Cut in another way, the same bytes must give the same messages.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "stream/websocket.hpp"

namespace {

using namespace analyzer::stream;
using namespace analyzer::stream::websocket;

void require(bool promise) {
  if (!promise) std::abort();
}

// Checks the order of the calls and writes down what was said.
class Log final : public MessageSink {
 public:
  std::string text;

  void begin(const MessageStart& start, const Origin&) override {
    require(!in_message_ && !lost_);
    in_message_ = true;
    text += 'm';
    text += static_cast<char>(start.opcode);
  }
  void payload(Bytes bytes, const Origin&) override {
    require(in_message_ && !lost_ && !bytes.empty());
    for (const std::byte byte : bytes) text += static_cast<char>(byte);
  }
  void payload_hole(std::uint64_t bytes, HoleKind, const Origin&) override {
    require(in_message_ && !lost_ && bytes > 0);
    text += '-' + std::to_string(bytes);
  }
  void end(bool complete, const Origin&) override {
    require(in_message_ && !lost_);
    in_message_ = false;
    text += complete ? 'e' : 'i';
  }
  void control(const ControlFrame& frame, const Origin&) override {
    require(!lost_ && frame.length <= 125);
    require(frame.payload.size() == (frame.complete ? frame.length : 0));
    text += 'c' + std::to_string(frame.close_code.value_or(0)) + std::string{frame.close_reason};
    for (const std::byte byte : frame.payload) text += static_cast<char>(byte);
  }
  void problem(Problem problem, const Origin&) override {
    require(!lost_);
    text += 'p' + std::to_string(static_cast<int>(problem));
  }
  void lost(const Origin&) override {
    require(!lost_ && !in_message_);
    lost_ = true;
    text += 'l';
  }

 private:
  bool in_message_ = false;
  bool lost_ = false;
};

// The first byte says who sends, where a hole lies and how long it is.
std::string decode(std::span<const std::uint8_t> input, std::size_t step) {
  const bool from_client = (input[0] & 1U) != 0;
  const std::size_t hole_at = std::size_t{input[0]} & 0xfeU;
  const std::size_t hole_size = std::size_t{input[1]};
  const Bytes bytes = std::as_bytes(input.subspan(2));
  UpgradeHead head;
  Log log;
  MessageDecoder decoder(log, from_client);
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t end = std::min(bytes.size(), at + step);
    if (at < hole_at && hole_at < end) end = hole_at;
    Bytes piece = bytes.subspan(at, end - at);
    at = end;
    if (head.state() == UpgradeHead::State::reading) {
      const std::size_t taken = head.feed(piece);
      require(taken <= piece.size());
      piece = piece.subspan(taken);
      if (head.state() == UpgradeHead::State::not_http)
        decoder.data(std::as_bytes(std::span(head.text())), {});
    }
    if (!piece.empty()) decoder.data(piece, {});
    if (at != hole_at || hole_size == 0) continue;
    head.hole();
    decoder.hole(hole_size, HoleKind::lost, {});
  }
  require(head.text().size() <= UpgradeHead::longest);
  return log.text + static_cast<char>('0' + static_cast<int>(head.state()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span input(data, size);
  const std::string whole = decode(input, size);
  require(decode(input, 1) == whole);
  require(decode(input, 5) == whole);
  return 0;
}
