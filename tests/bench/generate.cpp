// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Writes captures of any size for benchmarks, the same bytes every time.
//
//   generate-capture bulk|small MEGABYTES FILE
//
// bulk: 64 connections that send requests of 64 KiB in segments of 1,460 bytes. small: 1,000
// connections with requests of 600 bytes and replies of 280. Every client logs in first, numbers
// its requests, and both sides acknowledge what they got.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "bench/capture_file.hpp"
#include "decode/checksum.hpp"
#include "support/frame_builder.hpp"

namespace {

using namespace bench;

constexpr std::size_t segment_bytes = 1460;
void append(std::vector<std::byte>& to, std::string_view text) {
  to.push_back(static_cast<std::byte>(text.size()));
  for (const char c : text) to.push_back(static_cast<std::byte>(c));
}

template <class Number>
void append_number(std::vector<std::byte>& to, Number value) {
  to.resize(to.size() + sizeof value);
  support::store(std::span(to).last(sizeof value), value);
}

support::Frame with_body(support::Frame header, const std::vector<std::byte>& body) {
  header.insert(header.end(), body.begin(), body.end());
  support::store(std::span(header).subspan(48), static_cast<std::uint32_t>(header.size()));
  return header;
}

constexpr std::uint32_t protocol = 11U << 10;  // 0.11.0

support::Frame login(std::uint64_t client) {
  std::vector<std::byte> body;
  append_number(body, protocol);
  for (const std::string_view text : {"rust-sdk", "0.11.0", "bench", "bench"}) append(body, text);
  append_number(body, std::uint32_t{0});
  return with_body(support::request({.operation = 1, .client = client, .session = 0}), body);
}

support::Frame login_reply(std::uint64_t client) {
  std::vector<std::byte> body;
  append_number(body, std::uint32_t{0});  // result section: done
  append_number(body, std::uint32_t{1});
  append_number(body, client);  // as session
  append_number(body, protocol);
  append(body, "0.9.0");
  return with_body(support::reply({.operation = 1, .client = client}), body);
}

// One message to topic 2 of stream 1, in a frame of so many bytes. A healthy capture is what the
// tools are measured on: a body that breaks off would measure how problems are told.
support::Frame message_send(std::uint32_t frame_bytes) {
  constexpr std::uint32_t batch_header = 256;
  constexpr std::uint32_t message_header = 48;
  std::vector<std::byte> body;
  append_number(body, std::uint32_t{18});  // bytes of the metadata
  for (const std::uint32_t id : {1U, 2U}) {
    append_number(body, std::uint16_t{0x0401});  // a number of four bytes
    append_number(body, id);
  }
  append_number(body, std::uint16_t{1});  // balanced
  append_number(body, std::uint32_t{1});  // messages
  const auto before = static_cast<std::uint32_t>(iggy::header_size + body.size());
  const std::uint32_t payload = frame_bytes - before - batch_header - message_header;
  std::vector<std::byte> batch(batch_header + message_header + payload);
  const std::span<std::byte> bytes(batch);
  support::store(bytes.subspan(32), std::uint64_t{batch.size()});
  support::store(bytes.subspan(48), std::uint32_t{1});  // messages
  support::store(bytes.subspan(batch_header + 36), payload);
  // Both checksums, as batches.hpp says them.
  const std::uint64_t of_message = iggy::decode::xxh3(bytes.subspan(batch_header + 8));
  support::store(bytes.subspan(batch_header), of_message);
  std::vector<std::byte> summed(batch.begin(), batch.begin() + 40);
  append_number(summed, std::uint32_t{1});
  append_number(summed, of_message);
  support::store(bytes.subspan(40), iggy::decode::xxh3(summed));
  body.insert(body.end(), batch.begin(), batch.end());
  return with_body(support::request({.operation = 160}), body);
}

// Where the message is: an answer without it is one to a message that was sent before.
support::Frame message_send_reply() {
  std::vector<std::byte> body;
  append_number(body, std::uint32_t{1});  // confirmations
  for (const std::uint32_t id : {1U, 2U, 0U}) append_number(body, id);
  append_number(body, std::uint64_t{0});  // its offset
  return with_body(support::reply({.operation = 160}), body);
}

// One client and its server.
class Conversation {
 public:
  Conversation(CaptureFile& file, std::uint32_t number)
      : file_(file), client_{0x0a000000U + number, static_cast<std::uint16_t>(20'000 + number)} {}

  void open() {
    file_.segment(client_, server_, flag_syn, {});
    file_.segment(server_, client_, flag_syn | flag_ack, {});
    file_.segment(client_, server_, flag_ack, {});
    send(client_, server_, login(id()));
    send(server_, client_, login_reply(id()));
    file_.segment(client_, server_, flag_ack, {});
  }
  // Messages to a partition. The receiver acknowledges every second segment.
  void ask(support::Frame& request) {
    support::store(std::span(request).subspan(128), id());
    support::store(std::span(request).subspan(168), ++number_);
    send(client_, server_, request);
  }
  void answer(support::Frame& reply) {
    support::store(std::span(reply).subspan(160), id());
    support::store(std::span(reply).subspan(200), number_);
    send(server_, client_, reply);
    file_.segment(client_, server_, flag_ack, {});
  }

 private:
  std::uint64_t id() const { return client_.port; }
  void send(Peer& from, Peer& to, Bytes bytes) {
    for (std::size_t i = 0; i * segment_bytes < bytes.size(); ++i) {
      const Bytes rest = bytes.subspan(i * segment_bytes);
      file_.segment(from, to, flag_ack | flag_push,
                    rest.first(std::min(rest.size(), segment_bytes)));
      if (i % 2 == 1) file_.segment(to, from, flag_ack, {});
    }
  }

  CaptureFile& file_;
  Peer client_;
  Peer server_{0x0a0100ffU, 8090};
  std::uint64_t number_ = 0;
};

// `together`: how many clients ask before the first of them is answered.
void generate(CaptureFile& file, std::uint64_t wanted, std::uint32_t connections,
              std::size_t together, std::uint32_t request_bytes) {
  support::Frame request = message_send(request_bytes);
  support::Frame reply = message_send_reply();
  std::vector<Conversation> all;
  for (std::uint32_t i = 0; i < connections; ++i) all.emplace_back(file, i + 1);
  for (Conversation& one : all) one.open();
  while (file.size() < wanted && !file.failed()) {
    for (std::size_t at = 0; at < all.size(); at += together) {
      const auto some = std::span(all).subspan(at, std::min(together, all.size() - at));
      for (Conversation& one : some) one.ask(request);
      for (Conversation& one : some) one.answer(reply);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc == 4 ? argv[1] : "";
  const std::uint64_t megabytes = argc == 4 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (megabytes == 0 || (kind != "bulk" && kind != "small")) {
    std::fputs("usage: generate-capture bulk|small MEGABYTES FILE\n", stderr);
    return 2;
  }
  std::FILE* output = std::fopen(argv[3], "wb");
  if (output == nullptr) {
    std::perror(argv[3]);
    return 3;
  }
  CaptureFile file(output);
  if (kind == "bulk")
    generate(file, megabytes * 1'000'000, 64, 8, 65'536);
  else
    generate(file, megabytes * 1'000'000, 1000, 100, 600);
  const bool is_closed = std::fclose(output) == 0;
  if (is_closed && !file.failed()) return 0;
  std::fprintf(stderr, "generate-capture: %s could not be written\n", argv[3]);
  return 3;
}
