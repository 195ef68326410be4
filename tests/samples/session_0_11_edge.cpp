// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes samples/session-0.11-edge.pcap: builds of 0.11.0 before its release, which announce what
// the release announces and have other bodies.
//
//   make-session-0-11-edge FILE
//
// What clients and servers of these builds write and read, not what one was seen to do: a session
// of 0.11.0-edge.2, one of 0.11.0-edge.3, a client of 0.11.0-edge.3 at a server of the release,
// which refuses its offset and drops its messages, and what the servers of the first two send to
// another node.
#include "batches.hpp"
#include "iggy/bodies/encodings.hpp"
#include "iggy/older/messages.hpp"
#include "iggy/trains.hpp"
#include "wire.hpp"
#include "write.hpp"

namespace samples {
namespace {

using iggy::Train;

constexpr std::uint64_t start = 1'796'000'000'000'000;  // microseconds
constexpr std::uint32_t version = 11U << 10;            // 0.11.0
const Json done = {{"result", Json::object()}, {"payload", Json::object()}};

Json id(std::uint32_t number) {
  return {{"kind", 1}, {"id", number}};
}
Json named(const std::string& text) {
  return {{"kind", 2}, {"text", text}};
}
Json topic_name() {
  return {{"stream_id", named("orders")}, {"topic_id", named("invoices")}};
}

// What one message was before batches had headers.
Json message_of(std::uint64_t number, std::string_view payload) {
  const Buffer headers =
      support::Encoder::encode(iggy::bodies::user_headers, {{"pairs", {text_pair("trace", "a1")}}});
  return {{"id", std::to_string(number)},
          {"origin_timestamp", std::to_string(start + number)},
          {"payload", support::hex_of(std::as_bytes(std::span(payload)))},
          {"user_headers", number == 1 ? support::hex_of(headers) : ""}};
}
const Json sent = {message_of(1, R"({"invoice":1,"total":9.5})"), message_of(2, "plain text")};

// A client and a server, which may be of two builds, on a connection of their own.
class Session {
 public:
  Session(Capture& capture, std::uint8_t place, Train client, Train server)
      : capture_(capture),
        asks_({iggy::Generation::v0_11, client}),
        answers_({iggy::Generation::v0_11, server}),
        place_(place),
        client_id_(std::to_string(77'000'000'000'000'000ULL + place)),
        connection_(capture, support::ipv4_endpoint(10, 0, 2, place, 50'000U + place),
                    support::ipv4_endpoint(10, 0, 3, place, 8090)) {
    Json header = {{"client", client_id_}};
    const Json body = {{"version_info",
                        {{"protocol_version", version},
                         {"sdk_name", {{"value", "rust-sdk"}}},
                         {"sdk_version", {{"value", version_in(client, "rust-sdk")}}}}},
                       {"username", {{"value", "billing"}}},
                       {"password", "not-a-password"}};
    const Json told = {{"user_id", 3},
                       {"session", std::to_string(session)},
                       {"server_protocol_version", version},
                       {"server_version", {{"value", version_in(server, "server")}}}};
    connection_.exchange(
        asks_.request("user.login_register", header, body),
        answers_.reply("user.login_register", answer(header),
                       {{"result", Json::object()}, {"payload", {{"login", told}}}}));
  }

  void exchange(std::string_view name, const Json& body, const Json& told) {
    const Json header = next();
    Json reply = answer(header);
    if (name == "topic.create") reply["operation"] = 64;
    connection_.exchange(asks_.request(name, header, body), answers_.reply(name, reply, told));
  }
  void refused(std::string_view name, const Json& body, std::uint32_t status) {
    const Json header = next();
    connection_.exchange(asks_.request(name, header, body),
                         answers_.refusal(name, answer(header), status));
  }
  // Answered by what has no body and tells no error.
  void undone(std::uint8_t operation, std::uint32_t code, const Buffer& body) {
    const std::uint64_t number = ++number_;
    const auto client = support::U128{77'000'000'000'000'000ULL + place_, 0};
    connection_.exchange(
        support::request({.operation = operation,
                          .code = code,
                          .number = number,
                          .session = session,
                          .client = client,
                          .body = body}),
        support::reply({.operation = operation, .number = number, .client = client}));
  }
  void unanswered(std::string_view name, const Json& body) {
    connection_.client(asks_.request(name, next(), body));
    capture_.wait(31'000 * Capture::millisecond);
  }
  void close() { connection_.close(); }

 private:
  static constexpr std::uint64_t session = 21;

  Json next() {
    return {{"client", client_id_},
            {"session", std::to_string(session)},
            {"request", std::to_string(++number_)}};
  }
  Json answer(const Json& request) const {
    const std::string op = std::to_string(session + number_);
    Json header = {{"client", client_id_}, {"op", op}, {"commit", op}};
    if (request.contains("request")) header["request"] = request["request"];
    return header;
  }

  Capture& capture_;
  Frames asks_;
  Frames answers_;
  std::uint8_t place_;
  std::string client_id_;
  Connection connection_;
  std::uint64_t number_ = 0;
};

Json send() {
  Json metadata = topic_name();
  metadata["partitioning"] = {{"kind", 2}, {"partition_id", 1}};
  metadata["messages_count"] = 2;
  Json indexes = Json::array();
  std::size_t end = 0;
  for (const Json& message : sent) {
    end += support::Encoder::encode(iggy::older::message, message).size();
    indexes.push_back({{"position", end}});
  }
  return {{"metadata", metadata}, {"indexes", indexes}, {"messages", sent}};
}
Json confirmation() {
  return {{"payload",
           {{"confirmations",
             {{{"stream_id", 7}, {"topic_id", 0}, {"partition_id", 1}, {"base_offset", "0"}}}}}}};
}

Json reader() {
  Json body = topic_name();
  body["consumer"] = {{"kind", 1}, {"id", named("reporter")}};
  body["partition"] = {{"flag", 1}, {"partition_id", 1}};
  return body;
}
Json poll() {
  Json body = reader();
  body.update(Json{{"strategy", {{"kind", 5}}}, {"count", 10}});
  return body;
}
Json polled(bool is_empty) {
  Json stored = Json::array();
  for (std::size_t offset = 0; offset < sent.size() && !is_empty; ++offset) {
    Json message = sent[offset];
    message.update(
        Json{{"offset", std::to_string(offset)}, {"timestamp", std::to_string(start + 700)}});
    stored.push_back(message);
  }
  return {{"payload",
           {{"partition_id", 1},
            {"current_offset", "1"},
            {"messages_count", stored.size()},
            {"messages", stored}}}};
}

void talk_of_messages(Session& session) {
  session.exchange("message.send", send(), confirmation());
  session.exchange("message.poll", poll(), polled(false));
  session.exchange("message.poll", poll(), polled(true));
  Json offset = reader();
  offset["offset"] = "1";
  session.exchange("consumer_offset.store", offset, done);
  session.exchange("consumer_offset.delete", reader(), done);
}

Json stream_header() {
  return {{"id", 7},
          {"created_at", std::to_string(start)},
          {"topics_count", 1},
          {"name", {{"value", "orders"}}}};
}
Json topic_header() {
  return {{"id", 0},
          {"created_at", std::to_string(start)},
          {"partitions_count", 2},
          {"message_expiry", "86400000000"},
          {"compression_algorithm", 1},
          {"max_topic_size", "1000000000"},
          {"name", {{"value", "invoices"}}}};
}
Json older_topic_header() {
  Json header = topic_header();
  header["replication_factor"] = 1;
  return header;
}
Json topic_settings() {
  return {{"compression_algorithm", 1},
          {"message_expiry", "86400000000"},
          {"max_topic_size", "1000000000"},
          {"replication_factor", 1},
          {"name", {{"value", "invoices"}}}};
}
Json topic(const Json& header) {
  Json partitions = Json::array();
  for (std::uint32_t partition = 0; partition < 2; ++partition)
    partitions.push_back({{"id", partition}, {"created_at", std::to_string(start)}});
  return {{"details", {{"topic", header}, {"partitions", partitions}}}};
}
Json result(const Json& payload) {
  return {{"result", Json::object()}, {"payload", payload}};
}

// Settings have places of their own, and nothing has options.
void tell_edge_2(Capture& capture) {
  Session session(capture, 2, Train::v0_11_0_edge_2, Train::v0_11_0_edge_2);
  Json stream = stream_header();
  stream["topics_count"] = 0;
  session.exchange("stream.create", {{"name", {{"value", "orders"}}}},
                   result({{"details", {{"stream", stream}}}}));
  Json create = topic_settings();
  create.update(Json{{"stream_id", named("orders")}, {"partitions_count", 2}});
  session.exchange("topic.create", create, result(topic(older_topic_header())));
  Json update = topic_settings();
  update.update(topic_name());
  session.exchange("topic.update", update, done);
  session.exchange("topic.get", topic_name(), {{"payload", topic(older_topic_header())}});
  session.exchange("topic.list", {{"stream_id", named("orders")}},
                   {{"payload", {{"topics", {older_topic_header()}}}}});
  session.exchange(
      "stream.get", {{"stream_id", id(7)}},
      {{"payload",
        {{"details", {{"stream", stream_header()}, {"topics", {older_topic_header()}}}}}}});
  session.exchange("stream.list", Json::object(), {{"payload", {{"streams", {stream_header()}}}}});
  session.exchange("stream.update", {{"stream_id", id(7)}, {"name", {{"value", "orders"}}}}, done);
  const Json user = {{"id", 4},
                     {"created_at", std::to_string(start)},
                     {"status", 1},
                     {"username", {{"value", "auditor"}}}};
  session.exchange(
      "user.create",
      {{"username", {{"value", "auditor"}}}, {"password", "not-a-password"}, {"status", 1}},
      result({{"details", {{"user", user}}}}));
  session.exchange("user.get", {{"user_id", named("auditor")}},
                   {{"payload", {{"details", {{"user", user}}}}}});
  session.exchange("user.list", Json::object(), {{"payload", {{"users", {user}}}}});
  session.exchange("user.update", {{"user_id", id(4)}, {"has_status", 1}, {"status", 2}}, done);
  talk_of_messages(session);
  session.close();
}

// Offsets with a level of acknowledgement had commands of their own.
void talk_of_levels(Session& session) {
  Json offset = reader();
  offset["ack"] = 1;
  session.exchange("consumer_offset.delete.v2", offset, done);
  offset["offset"] = "1";
  session.exchange("consumer_offset.store.v2", offset, done);
}

void tell_edge_3(Capture& capture) {
  Session session(capture, 3, Train::v0_11_0_edge_3, Train::v0_11_0_edge_3);
  const Json options = {text_pair("message_expiry", "1 day")};
  Json header = topic_header();
  header["options"] = {{"options", options}};
  session.exchange("topic.create",
                   {{"stream_id", named("orders")},
                    {"partitions_count", 2},
                    {"name", {{"value", "invoices"}}},
                    {"options", options}},
                   result(topic(header)));
  talk_of_messages(session);
  talk_of_levels(session);
  // Answered, and nothing is done.
  session.undone(iggy::operation::non_replicated, iggy::code::logout, {});
  session.undone(iggy::operation::delete_segments, 0, support::bytes_of("not a topic"));
  session.close();
}

void tell_mismatch(Capture& capture) {
  Session session(capture, 4, Train::v0_11_0_edge_3, Train::v0_11_0);
  Json offset = reader();
  offset["offset"] = "1";
  session.refused("consumer_offset.store", offset, iggy::status::invalid_command);
  session.unanswered("message.send", send());
  session.close();
}

// From the address of that place to another node; builds are told by logins alone.
void replicate(Capture& capture, std::uint8_t place, Train train, std::uint8_t operation,
               const Json& body) {
  Connection link(capture, support::ipv4_endpoint(10, 0, 3, place, 40'000U + operation),
                  support::ipv4_endpoint(10, 0, 3, 10U + place, 8091));
  const iggy::Body table = iggy::replicated_body({iggy::Generation::v0_11, train}, operation);
  link.client(support::prepare(
      {.operation = operation, .body = support::Encoder::encode(*table.layout, body)}));
  link.close();
}

void tell_replicas(Capture& capture) {
  Json create = topic_settings();
  create.update(Json{{"stream_id", id(7)}, {"partitions_count", 1}});
  const Json assignment = {{"partition_id", 0}, {"consensus_group_id", "5"}};
  replicate(capture, 2, Train::v0_11_0_edge_2, 64,
            {{"request", create}, {"partitions", {assignment}}});
  Json offset = reader();
  offset["offset"] = "1";
  replicate(capture, 3, Train::v0_11_0_edge_3, 161, offset);
  offset["ack"] = 1;
  replicate(capture, 3, Train::v0_11_0_edge_3, 164, offset);
}

}  // namespace

Buffer tell() {
  Capture capture;
  tell_edge_2(capture);
  tell_edge_3(capture);
  tell_replicas(capture);
  tell_mismatch(capture);
  return capture.bytes();
}

}  // namespace samples

int main(int argc, char** argv) {
  return samples::write_sample(argc, argv, samples::tell);
}
