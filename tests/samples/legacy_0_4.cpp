// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes samples/legacy-0.4.pcap: messages of a server up to 0.4, which have no headers of their
// own.
//
//   make-legacy-0-4 FILE
//
// What the SDK at iggy-0.6.90 writes and reads, not what a server was seen to do: a login, a send
// of two messages, two polls of the same place and one by a group.
#include "iggy/legacy/bodies.hpp"
#include "wire.hpp"
#include "write.hpp"

namespace samples {
namespace {

constexpr std::uint64_t start = 1'700'000'000'000'000;  // microseconds

Buffer request(std::uint32_t code, const iggy::describe::Layout& layout, const Json& body) {
  return support::legacy_request(code, support::Encoder::encode(layout, body));
}
Buffer reply(const iggy::describe::Layout& layout, const Json& body) {
  return support::legacy_reply(0, support::Encoder::encode(layout, body));
}

Json named(const std::string& text) {
  return {{"kind", 2}, {"text", text}};
}
Json topic() {
  return {{"stream_id", named("orders")}, {"topic_id", named("invoices")}};
}

std::string hex_of(std::string_view text) {
  return support::hex_of(std::as_bytes(std::span(text)));
}

Json message(std::uint64_t id, std::string_view payload) {
  const Json trace = {{"key", "trace"}, {"value_kind", 2}, {"value", hex_of("a1b2")}};
  const Buffer headers = support::Encoder::encode(iggy::older::text_headers, {{"pairs", {trace}}});
  return {{"id", std::to_string(id)},
          {"headers", id == 1 ? support::hex_of(headers) : ""},
          {"payload", hex_of(payload)}};
}
Json polled(std::uint64_t offset, Json message) {
  message.update(Json{{"offset", std::to_string(offset)},
                      {"state", 1},
                      {"timestamp", std::to_string(start + offset)},
                      {"checksum", 1'234}});
  return message;
}

Json poll(std::uint8_t kind, std::uint32_t partition) {
  Json body = topic();
  body.update(Json{{"consumer", {{"kind", kind}, {"id", named("reporter")}}},
                   {"partition_id", partition},
                   {"strategy", {{"kind", 1}, {"value", "0"}}},
                   {"count", 10},
                   {"auto_commit", 0}});
  return body;
}

}  // namespace

Buffer tell() {
  Capture capture;
  Connection connection(capture, support::ipv4_endpoint(10, 0, 0, 4, 50'004),
                        support::ipv4_endpoint(10, 0, 1, 4, 8090));
  connection.exchange(request(38, iggy::legacy::login,
                              {{"username", {{"value", "billing"}}},
                               {"password", "not-a-password"},
                               {"version", "0.6.90"}}),
                      reply(iggy::legacy::login_reply, {{"user_id", 3}}));
  const Json first = message(1, R"({"invoice":1,"total":9.5})");
  const Json second = message(2, "plain text");
  Json send = topic();
  send["partitioning"] = {{"kind", 2}, {"partition_id", 1}};
  send["loose_messages"] = {first, second};
  connection.exchange(request(101, iggy::legacy::loose_message_send, send),
                      support::legacy_reply());
  const Json read = {{"partition_id", 1},
                     {"current_offset", "1"},
                     {"loose_messages", {polled(0, first), polled(1, second)}}};
  for (const Json& body : {poll(1, 1), poll(1, 1), poll(2, 0)})
    connection.exchange(request(100, iggy::legacy::flagless_message_poll, body),
                        reply(iggy::legacy::loose_message_poll_reply_body, {{"payload", read}}));
  connection.close();
  return capture.bytes();
}

}  // namespace samples

int main(int argc, char** argv) {
  return samples::write_sample(argc, argv, samples::tell);
}
