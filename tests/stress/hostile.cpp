// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Writes captures that are made to cost time or memory, the same bytes every time.
//
//   hostile-capture CASE COUNT FILE        without arguments: lists the cases
//
// COUNT is what the work must be linear in. stress.py runs the tool on them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/capture_file.hpp"
#include "support/frame_builder.hpp"

namespace {

using namespace bench;

constexpr std::uint8_t operation_read = 2;
constexpr std::uint32_t ping = 1;

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// One of as many clients as there are addresses and ports.
Peer client(std::uint64_t number) {
  return {static_cast<std::uint32_t>(0x0a00'0000U + (number >> 14U)),
          static_cast<std::uint16_t>(20'000 + (number & 0x3fffU))};
}
Peer server() {
  return {0x0b00'0001U, 8090};
}

class Talk {
 public:
  Talk(CaptureFile& file, std::uint64_t number) : file_(file), client_(client(number)) {}

  void open() {
    file_.segment(client_, server_, flag_syn, {});
    file_.segment(server_, client_, flag_syn | flag_ack, {});
    file_.segment(client_, server_, flag_ack, {});
  }
  void ask(Bytes bytes) { file_.segment(client_, server_, flag_ack | flag_push, bytes); }
  void answer(Bytes bytes) { file_.segment(server_, client_, flag_ack | flag_push, bytes); }
  void acknowledge() { file_.segment(server_, client_, flag_ack, {}); }
  void close() {
    file_.segment(client_, server_, flag_fin | flag_ack, {});
    file_.segment(server_, client_, flag_fin | flag_ack, {});
    file_.segment(client_, server_, flag_ack, {});
  }
  // The client's next bytes do not reach the capture.
  void lose(std::uint32_t bytes) { client_.next += bytes; }
  std::uint32_t place() const { return client_.next; }
  void go_to(std::uint32_t place) { client_.next = place; }

 private:
  CaptureFile& file_;
  Peer client_;
  Peer server_ = server();
};

support::Frame ping_request(std::uint64_t number = 0) {
  return support::request({.operation = operation_read, .code = ping, .number = number});
}
support::Frame ping_reply(std::uint64_t number = 0) {
  return support::reply({.operation = operation_read, .number = number});
}

// A login by password, as SDKs of 0.11 write it.
support::Frame login(std::uint64_t client) {
  std::vector<std::byte> body(4);
  support::store(std::span(body), std::uint32_t{11U << 10U});
  for (const std::string_view text : {"rust-sdk", "0.11.0", "someone", "secret"}) {
    body.push_back(static_cast<std::byte>(text.size()));
    const Bytes bytes = bytes_of(text);
    body.insert(body.end(), bytes.begin(), bytes.end());
  }
  body.resize(body.size() + 4);
  support::Frame made = support::request({.operation = 1, .client = client, .session = 0});
  made.insert(made.end(), body.begin(), body.end());
  support::store(std::span(made).subspan(48), static_cast<std::uint32_t>(made.size()));
  return made;
}

// --- The cases

void falling_segments(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  const std::uint32_t start = talk.place() + 100;
  const std::vector<std::byte> piece(100);
  for (std::uint64_t i = count; i-- > 0;) {
    talk.go_to(start + static_cast<std::uint32_t>(i * piece.size()));
    talk.ask(piece);
  }
}

void half_open(CaptureFile& file, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Peer from = client(i);
    file.segment(from, server(), flag_syn, {});
  }
}

// A port scan that takes hours: nobody answers.
void slow_scan(CaptureFile& file, std::uint64_t count) {
  file.step(10'000);
  half_open(file, count);
}

// Connections of one request each.
void connections(CaptureFile& file, std::uint64_t count, bool are_closed) {
  const support::Frame request = ping_request();
  const support::Frame reply = ping_reply();
  for (std::uint64_t i = 0; i < count; ++i) {
    Talk talk(file, i);
    talk.open();
    talk.ask(request);
    talk.answer(reply);
    if (are_closed) talk.close();
  }
}

void short_connections(CaptureFile& file, std::uint64_t count) {
  connections(file, count, true);
}

void idle_connections(CaptureFile& file, std::uint64_t count) {
  connections(file, count, false);
}

void never_answered(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  talk.ask(ping_request(1));
  talk.answer(ping_reply(1));
  for (std::uint64_t i = 0; i < count; ++i) {
    talk.ask(ping_request(i + 2));
    if (i % 64 == 0) talk.acknowledge();
  }
}

// Answers that belong to none of the many requests that wait.
void wrong_answers(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  for (std::uint64_t i = 0; i < count; ++i) {
    talk.ask(ping_request(i));
    talk.answer(ping_reply(i + 1'000'000'000));
  }
}

void many_logins(CaptureFile& file, std::uint64_t count) {
  constexpr std::uint64_t of_connection = 1'500;
  for (std::uint64_t i = 0; i < count; i += of_connection) {
    Talk talk(file, i / of_connection);
    talk.open();
    for (std::uint64_t n = i; n < std::min(count, i + of_connection); ++n) talk.ask(login(n + 1));
  }
}

void many_commands(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto code = static_cast<std::uint32_t>(1'000 + i);
    talk.ask(support::request({.operation = operation_read, .code = code, .number = i}));
    talk.answer(support::reply(
        {.operation = operation_read, .status = static_cast<std::uint32_t>(i), .number = i}));
  }
}

void many_frames(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  const support::Frame request = ping_request();
  const support::Frame reply = ping_reply();
  for (std::uint64_t i = 0; i < count; ++i) {
    talk.ask(request);
    talk.answer(reply);
  }
}

void quic_flows(CaptureFile& file, std::uint64_t count) {
  std::vector<std::byte> initial(1'200);
  initial[0] = std::byte{0xc0};
  initial[4] = std::byte{1};
  for (std::uint64_t i = 0; i < count; ++i) file.datagram(client(i), server(), initial);
}

void clock_steps(CaptureFile& file, std::uint64_t count) {
  file.step(-2'000);
  const std::uint64_t exchanges = std::min<std::uint64_t>(count, 300'000);
  many_frames(file, exchanges);
}

void many_holes(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  const support::Frame request = ping_request();
  for (std::uint64_t i = 0; i < count; ++i) {
    talk.ask(request);
    talk.lose(100);
    if (i % 16 == 0) talk.acknowledge();
  }
}

void websocket_fragments(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  talk.ask(
      bytes_of("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
               "Sec-WebSocket-Version: 13\r\n\r\n"));
  talk.answer(
      bytes_of("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
               "Connection: Upgrade\r\n"
               "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"));
  std::vector<std::byte> fragments;
  for (int i = 0; i < 100; ++i)
    for (const unsigned byte : {i == 0 ? 0x02U : 0x00U, 0x81U, 0U, 0U, 0U, 0U, 0U})
      fragments.push_back(static_cast<std::byte>(byte));
  for (std::uint64_t i = 0; i < count; i += 100) {
    talk.ask(fragments);
    fragments[0] = std::byte{0};  // the message goes on
  }
}

// Frames that say they are as long as can be, and of which only the front comes.
void begun_bodies(CaptureFile& file, std::uint64_t count) {
  const std::vector<std::byte> piece(60'000);
  for (std::uint64_t i = 0; i < count; ++i) {
    Talk talk(file, i);
    talk.open();
    support::Frame request = support::request({.operation = 160, .number = 1});
    support::store(std::span(request).subspan(48), std::uint32_t{64U << 20U});
    talk.ask(request);
    talk.ask(piece);
  }
}

// Bytes that may become frames yet.
void undecided_bytes(CaptureFile& file, std::uint64_t count) {
  std::vector<std::byte> piece(60'000);
  support::store(std::span(piece), std::uint32_t{60'000'000});
  support::store(std::span(piece).subspan(4), std::uint32_t{302});
  for (std::uint64_t i = 0; i < count; ++i) {
    Talk talk(file, i);
    talk.open();
    talk.ask(piece);
  }
}

// Requests with long bodies that wait on many connections.
void waiting_requests(CaptureFile& file, std::uint64_t count) {
  support::Frame request =
      support::request({.operation = 128, .number = 1, .size = iggy::header_size + 4'000});
  for (std::uint64_t i = 0; i < count; ++i) {
    Talk talk(file, i);
    talk.open();
    for (int n = 0; n < 20; ++n) talk.ask(request);
  }
}

// Frames as long as can be, of a command that nobody knows.
void largest_frames(CaptureFile& file, std::uint64_t count) {
  support::Frame request =
      support::request({.operation = operation_read, .code = 999, .number = 1, .size = 64U << 20U});
  std::fill(request.begin() + iggy::header_size, request.end(), std::byte{'a'});
  Talk talk(file, 1);
  talk.open();
  for (std::uint64_t i = 0; i < count; ++i)
    for (std::size_t at = 0; at < request.size(); at += 60'000)
      talk.ask(Bytes(request).subspan(at, std::min<std::size_t>(60'000, request.size() - at)));
}

// A send of one message that is as long as can be. Nobody looks at the checksums.
support::Frame largest_send(std::uint64_t number) {
  constexpr std::size_t place_bytes = 22;
  constexpr std::size_t batch_header = 256;
  constexpr std::size_t message_header = 48;
  constexpr std::size_t frame_bytes = std::size_t{64} << 20U;
  const support::Frame front = support::request({.operation = 160, .number = number});
  support::Frame frame(frame_bytes, std::byte{'a'});
  std::fill_n(frame.begin(), front.size() + place_bytes + batch_header + message_header,
              std::byte{0});
  std::copy(front.begin(), front.end(), frame.begin());
  support::store(std::span(frame).subspan(48), static_cast<std::uint32_t>(frame.size()));
  const std::span<std::byte> place = std::span(frame).subspan(front.size());
  const std::span<std::byte> batch = place.subspan(place_bytes);
  support::store(place, std::uint32_t{18});
  for (const std::uint32_t id : {1U, 2U}) {
    support::store(place.subspan(6 * id - 2), std::uint16_t{0x0401});
    support::store(place.subspan(6 * id), id);
  }
  support::store(place.subspan(16), std::uint16_t{1});
  support::store(place.subspan(18), std::uint32_t{1});
  support::store(batch.subspan(32), std::uint64_t{batch.size()});
  support::store(batch.subspan(48), std::uint32_t{1});
  support::store(batch.subspan(batch_header + 36),
                 static_cast<std::uint32_t>(batch.size() - batch_header - message_header));
  return frame;
}

void largest_messages(CaptureFile& file, std::uint64_t count) {
  Talk talk(file, 1);
  talk.open();
  for (std::uint64_t i = 1; i <= count; ++i) {
    const support::Frame request = largest_send(i);
    for (std::size_t at = 0; at < request.size(); at += 60'000)
      talk.ask(Bytes(request).subspan(at, std::min<std::size_t>(60'000, request.size() - at)));
    talk.answer(support::reply({.operation = 160, .number = i}));
  }
}

// Fragments of IP packets that never become whole, many of each.
void open_fragments(CaptureFile& file, std::uint64_t count) {
  std::vector<std::byte> piece(1'400);
  for (std::uint64_t i = 0; i < count; ++i)
    file.fragment(client(i / 40), server(), static_cast<std::uint32_t>(i / 40 & 0xffff),
                  static_cast<std::uint32_t>(1 + i % 40 * 175), piece);
}

struct Case {
  std::string_view name;
  std::function<void(CaptureFile&, std::uint64_t)> write;
};

const Case cases[] = {
    {"falling-segments", falling_segments},
    {"half-open", half_open},
    {"slow-scan", slow_scan},
    {"short-connections", short_connections},
    {"idle-connections", idle_connections},
    {"never-answered", never_answered},
    {"wrong-answers", wrong_answers},
    {"many-logins", many_logins},
    {"many-commands", many_commands},
    {"many-frames", many_frames},
    {"quic-flows", quic_flows},
    {"clock-steps", clock_steps},
    {"many-holes", many_holes},
    {"websocket-fragments", websocket_fragments},
    {"begun-bodies", begun_bodies},
    {"undecided-bytes", undecided_bytes},
    {"waiting-requests", waiting_requests},
    {"largest-frames", largest_frames},
    {"largest-messages", largest_messages},
    {"open-fragments", open_fragments},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc == 4 ? argv[1] : "";
  const auto* const found = std::find_if(std::begin(cases), std::end(cases),
                                         [name](const Case& one) { return one.name == name; });
  if (found == std::end(cases)) {
    for (const Case& one : cases) std::printf("%s\n", std::string(one.name).c_str());
    return argc == 1 ? 0 : 2;
  }
  std::FILE* output = std::fopen(argv[3], "wb");
  if (output == nullptr) {
    std::perror(argv[3]);
    return 3;
  }
  CaptureFile file(output);
  found->write(file, std::strtoull(argv[2], nullptr, 10));
  const bool is_closed = std::fclose(output) == 0;
  if (is_closed && !file.failed()) return 0;
  std::fprintf(stderr, "hostile-capture: %s could not be written\n", argv[3]);
  return 3;
}
