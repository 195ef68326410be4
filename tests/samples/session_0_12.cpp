// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Makes samples/session-0.12.pcap: a healthy session of protocol 0.12 with two nodes.
//
//   make-session-0-12 FILE
//
// No server of 0.12 is published, so this is what its protocol and its client say, not what one was
// seen to do: a login, a second connection that is bound to the session, requests that are answered
// out of turn, messages that are sent, polled and fetched, and a logout.
#include "batches.hpp"
#include "wire.hpp"
#include "write.hpp"

namespace samples {
namespace {

constexpr std::uint64_t session = 4711;
constexpr std::uint64_t stream_op = 4713;
constexpr std::uint64_t topic_op = 4714;  // created the topic's partitions as well
constexpr std::uint64_t newest_op = 4716;
constexpr std::uint64_t start = 1'796'000'000'000'000;  // microseconds
const std::string client_id = "182937465019283746501928374650192837465";
const std::string secret = support::hex_of(support::bind_secret());

const Json version_info = {{"protocol_version", 12U << 10 | 2},
                           {"sdk_name", {{"value", "rust-sdk"}}},
                           {"sdk_version", {{"value", "0.11.1-edge.10"}}}};
const Json login = {{"user_id", 3},
                    {"session", std::to_string(session)},
                    {"server_protocol_version", 12U << 10 | 2},
                    {"server_version", {{"value", "0.10.0"}}}};
const Json done = {{"result", Json::object()}, {"payload", Json::object()}};

Json id(std::uint32_t number) {
  return {{"kind", 1}, {"id", number}};
}
Json named(const std::string& text) {
  return {{"kind", 2}, {"text", text}};
}
Json number_pair(const std::string& key, std::uint64_t value) {
  Json pair = text_pair(key, "");
  pair["value_kind"] = 12;  // uint64
  pair["value"] = support::hex_of(support::little().u64(value).buffer());
  return pair;
}

// What a client writes into its headers: one number for all requests of the session.
class Client {
 public:
  Json next(Json more = Json::object()) {
    ++number_;
    Json header = same(session);
    header["request"] = std::to_string(number_);
    header.update(more);
    return header;
  }
  // Of a request that changes metadata: a random identifier that its reply repeats.
  Json change() { return next({{"request_checksum", std::to_string(900'000 + number_)}}); }
  // Of a request to a partition.
  Json partition() {
    return next({{"partition_incarnation", std::to_string(topic_op)},
                 {"minimum_metadata_op", std::to_string(topic_op)}});
  }
  static Json same(std::uint64_t of_session) {
    return {{"client", client_id}, {"session", std::to_string(of_session)}};
  }

 private:
  std::uint64_t number_ = 0;
};

// The header of an answer, from that of its request.
Json answer(const Json& request, std::uint64_t op = session) {
  Json header = {{"client", client_id}, {"op", std::to_string(op)}, {"commit", std::to_string(op)}};
  for (const char* const echoed : {"request", "request_checksum", "partition_incarnation"})
    if (request.contains(echoed)) header[echoed] = request[echoed];
  return header;
}
// Of one that is committed: its result can be relied on.
Json committed(const Json& request, std::uint64_t op) {
  Json header = answer(request, op);
  header["reserved"] = "01000000";
  header["timestamp"] = std::to_string(start + op);
  return header;
}

Json topic_header() {
  return {{"id", 0},
          {"created_at", std::to_string(start)},
          {"partitions_count", 2},
          {"name", {{"value", "invoices"}}},
          {"options", {{"options", {number_pair("message_expiry", 86'400'000'000)}}}},
          {"derived_options", {{"options", {text_pair("durability", "replicated")}}}}};
}
Json partition_info(std::uint32_t partition, std::uint64_t messages) {
  return {
      {"id", partition},
      {"created_at", std::to_string(start)},
      {"segments_count", 1},
      {"current_offset", std::to_string(messages == 0 ? 0 : messages - 1)},
      {"messages_count", std::to_string(messages)},
      {"context",
       {{"incarnation", std::to_string(topic_op)}, {"metadata_op", std::to_string(newest_op)}}}};
}

class Story {
 public:
  Buffer tell() {
    open_session();
    create();
    find_partitions();
    ask_out_of_turn();
    send();
    read();
    finish();
    return capture_.bytes();
  }

 private:
  // The first connection logs in; the other node is told of the session.
  void open_session() {
    Json header = Client::same(0);
    header["request_checksum"] = "900000";
    const Json body = {{"version_info", version_info},
                       {"bind_secret", secret},
                       {"username", {{"value", "billing"}}},
                       {"password", "not-a-password"}};
    first_.exchange(frames_.request("user.login_register", header, body),
                    frames_.reply("user.login_register", committed(header, session),
                                  {{"result", Json::object()}, {"payload", {{"login", login}}}}),
                    25 * Capture::millisecond);
    header = client_.next();
    first_.exchange(frames_.request("cluster.metadata", header),
                    frames_.reply("cluster.metadata", answer(header),
                                  {{"payload", {{"name", "orders-cluster"}, {"nodes", nodes()}}}}));
    second_.emplace(capture_, client_at(50'002), node(2));
    header = Client::same(session);
    const Json identity = {{"client_id", client_id},
                           {"session", std::to_string(session)},
                           {"metadata_watermark", std::to_string(session)}};
    second_->exchange(
        frames_.request(
            "session.bind", header,
            {{"version_info", version_info}, {"identity", identity}, {"bind_secret", secret}}),
        frames_.reply("session.bind", answer(header), {{"payload", {{"login", login}}}}));
    ping(first_);
    ping(*second_);
  }

  void create() {
    Json header = client_.change();
    const Json stream = {
        {"id", 7},
        {"created_at", std::to_string(start)},
        {"name", {{"value", "orders"}}},
        {"derived_options", {{"options", {text_pair("encryption_key_source", "none")}}}}};
    first_.exchange(frames_.request("stream.create", header, {{"name", {{"value", "orders"}}}}),
                    frames_.reply("stream.create", committed(header, stream_op),
                                  {{"result", Json::object()},
                                   {"payload", {{"details", {{"stream", stream}}}}}}),
                    3 * Capture::millisecond);
    header = client_.change();
    Json reply = committed(header, topic_op);
    reply["operation"] = 64;  // CreateTopicWithAssignments
    first_.exchange(
        frames_.request("topic.create", header,
                        {{"stream_id", id(7)},
                         {"partitions_count", 2},
                         {"name", {{"value", "invoices"}}},
                         {"options", {number_pair("message_expiry", 86'400'000'000)}}}),
        frames_.reply("topic.create", reply,
                      {{"result", Json::object()}, {"payload", {{"details", topic(0)}}}}),
        3 * Capture::millisecond);
    header = client_.change();
    reply = committed(header, newest_op);
    reply["operation"] = 73;  // UpdateTopicResolved
    first_.exchange(frames_.request("resource.update", header,
                                    {{"scope", 1},
                                     {"stream_id", named("orders")},
                                     {"topic_id", named("invoices")},
                                     {"options", {text_pair("name", "invoices-2026")}}}),
                    frames_.reply("resource.update", reply, done), 2 * Capture::millisecond);
  }

  // Which node leads each of the two partitions.
  void find_partitions() {
    for (std::uint32_t partition = 0; partition < 2; ++partition) {
      const Json header = client_.next();
      first_.exchange(
          frames_.request("partition.route", header,
                          {{"stream_id", id(7)}, {"topic_id", id(0)}, {"partition_id", partition}}),
          frames_.reply("partition.route", answer(header),
                        {{"payload",
                          {{"incarnation", std::to_string(topic_op)},
                           {"metadata_op", std::to_string(topic_op)},
                           {"view", 4},
                           {"partitions_count", 2},
                           {"primary_replica", partition}}}}));
    }
  }

  // Three requests in one segment, the last answered first.
  void ask_out_of_turn() {
    const Json get = client_.next();
    const Json list = client_.next();
    const Json describe = client_.next();
    first_.client(support::joined(
        {frames_.request("topic.get", get, {{"stream_id", id(7)}, {"topic_id", id(0)}}),
         frames_.request("stream.list", list),
         frames_.request("options.describe", describe, {{"scope", 1}})}));
    capture_.wait(Capture::millisecond / 2);
    first_.server(frames_.reply("options.describe", answer(describe),
                                {{"payload",
                                  {{"entries",
                                    {{{"key", {{"value", "message_expiry"}}},
                                      {"kind", 12},
                                      {"flags", 3},
                                      {"default_value", "ffffffffffffffff"},
                                      {"description", "How long messages are kept"}}}}}}}));
    capture_.wait(Capture::millisecond);
    first_.server(frames_.reply("topic.get", answer(get), {{"payload", {{"details", topic(0)}}}}));
    capture_.wait(Capture::millisecond);
    const Json stream = {{"id", 7},
                         {"created_at", std::to_string(start)},
                         {"topics_count", 1},
                         {"name", {{"value", "orders"}}}};
    first_.server(
        frames_.reply("stream.list", answer(list), {{"payload", {{"streams", {stream}}}}}));
  }

  // One batch to each partition, both on their way at once; the second node answers first.
  void send() {
    const Json to_first = client_.partition();
    const Json to_second = client_.partition();
    first_.client(send_request(
        to_first, 0, {{1, R"({"invoice":1,"total":9.5})"}, {2, R"({"invoice":2,"total":120})"}}));
    second_->client(send_request(to_second, 1, {{3, "plain text", {text_pair("trace", "a1b2")}}}));
    capture_.wait(2 * Capture::millisecond);
    second_->server(confirmation(to_second, 1));
    capture_.wait(Capture::millisecond);
    first_.server(confirmation(to_first, 0));
  }

  void read() {
    const Json consumer = {{"kind", 1}, {"id", named("reporter")}};
    const Json target = {{"consumer", consumer}, {"stream_id", id(7)}, {"topic_id", id(0)}};
    Json header = client_.partition();
    Json body = target;
    body.update(Json{{"partition", {{"flag", 1}, {"partition_id", 0}}},
                     {"strategy", {{"kind", 5}}},
                     {"count", 10},
                     {"auto_commit", 1}});
    Json polled = {{"current_offset", "1"},
                   {"messages_count", 2},
                   {"context", context()},
                   {"batches", {batch_json(stored(0))}}};
    first_.exchange(frames_.request("message.poll", header, body),
                    frames_.reply("message.poll", answer(header), {{"payload", polled}}));
    fetch(target);
    wait_and_cancel(body);
    header = client_.partition();
    body = target;
    body.update(
        Json{{"partition", {{"flag", 1}, {"partition_id", 0}}}, {"offset", "1"}, {"ack", 1}});
    first_.exchange(frames_.request("consumer_offset.store", header, body),
                    frames_.reply("consumer_offset.store", committed(header, 12), done));
  }

  // Both partitions in one request. The second one is led by the other node, and says so.
  void fetch(const Json& target) {
    const Json header = client_.next();
    Json body = target;
    Json targets = Json::array();
    for (std::uint32_t partition = 0; partition < 2; ++partition)
      targets.push_back({{"partition_id", partition},
                         {"strategy", {{"kind", 1}, {"value", "0"}}},
                         {"max_bytes", 65'536},
                         {"incarnation", std::to_string(topic_op)}});
    body.update(Json{{"wait_us", "0"},
                     {"request_timeout_us", "1000000"},
                     {"min_count", 1},
                     {"count", 100},
                     {"max_bytes", 1'048'576},
                     {"targets", targets}});
    const Json records = Json::array({batch_json(stored(0))});
    const std::size_t length = length_of(stored(0));
    const Json sections =
        Json::array({{{"partition_id", 0},
                      {"current_offset", "1"},
                      {"messages_count", 2},
                      {"context", context()},
                      {"next_offset", "2"},
                      {"records_length", length}},
                     {{"partition_id", 1}, {"status", 89}, {"context", context()}}});
    first_.exchange(frames_.request("message.fetch", header, body),
                    frames_.reply("message.fetch", answer(header),
                                  {{"payload", {{"sections", sections}, {"records", records}}}}));
  }

  // A poll that waits for messages until its client gives it up; both numbers are one request.
  void wait_and_cancel(Json body) {
    Json header = client_.partition();
    body.update(Json{{"wait_us", "5000000"},
                     {"min_count", 1},
                     {"max_bytes", 65'536},
                     {"request_timeout_us", "10000000"}});
    first_.client(frames_.request("message.poll_deferred", header, body));
    capture_.wait(900 * Capture::millisecond);
    first_.client(frames_.request("message.cancel_deferred", {{"client", client_id},
                                                              {"session", std::to_string(session)},
                                                              {"request", header["request"]}}));
    capture_.wait(Capture::millisecond);
    first_.server(frames_.reply(
        "message.poll_deferred", answer(header),
        {{"payload",
          {{"current_offset", "1"}, {"context", context()}, {"batches", Json::array()}}}}));
  }

  void finish() {
    const Json header = client_.change();
    first_.exchange(frames_.request("user.logout", header),
                    frames_.reply("user.logout", committed(header, 4720)),
                    2 * Capture::millisecond);
    first_.close();
    second_->close();
  }

  void ping(Connection& connection) {
    const Json header = client_.next();
    connection.exchange(frames_.request("ping", header), frames_.reply("ping", answer(header)));
  }

  Buffer send_request(const Json& header, std::uint32_t partition,
                      std::vector<Message> messages) const {
    const std::uint32_t count = static_cast<std::uint32_t>(messages.size());
    const Json metadata = {{"stream_id", id(7)},
                           {"topic_id", id(0)},
                           {"partitioning", {{"kind", 2}, {"partition_id", partition}}},
                           {"messages_count", count}};
    const Batch batch{.origin_timestamp = start + 500,
                      .producer = session << 20,
                      .messages = std::move(messages)};
    return frames_.request("message.send", header,
                           {{"metadata", metadata}, {"batch", batch_json(batch)}});
  }
  Buffer confirmation(const Json& request, std::uint32_t partition) const {
    Json header = committed(request, 11);
    header["timestamp"] = std::to_string(stored_at);
    return frames_.reply("message.send", header,
                         {{"payload",
                           {{"confirmations",
                             {{{"stream_id", 7},
                               {"topic_id", 0},
                               {"partition_id", partition},
                               {"base_offset", "0"}}}}}}});
  }
  static constexpr std::uint64_t stored_at = start + 700;
  static Batch stored(std::uint64_t partition) {
    return {.partition = partition,
            .base_timestamp = stored_at,
            .origin_timestamp = start + 500,
            .producer = session << 20,
            .messages = {{1, R"({"invoice":1,"total":9.5})"}, {2, R"({"invoice":2,"total":120})"}}};
  }
  static std::size_t length_of(const Batch& batch) {
    return support::Encoder::encode(iggy::v0_12::batch, batch_json(batch)).size();
  }
  static Json context() {
    return {{"incarnation", std::to_string(topic_op)}, {"metadata_op", std::to_string(newest_op)}};
  }
  static Json topic(std::uint64_t messages) {
    return {{"topic", topic_header()},
            {"partitions", {partition_info(0, messages), partition_info(1, messages)}}};
  }
  static Json nodes() {
    Json all = Json::array();
    for (std::uint32_t replica = 0; replica < 2; ++replica)
      all.push_back({{"replica_id", replica},
                     {"name", "node-" + std::to_string(replica)},
                     {"ip", "10.0.1." + std::to_string(replica + 1)},
                     {"tcp_port", 8090},
                     {"role", replica}});
    return all;
  }
  static Endpoint client_at(std::uint16_t port) {
    return support::ipv4_endpoint(10, 0, 0, 1, port);
  }
  static Endpoint node(unsigned last) { return support::ipv4_endpoint(10, 0, 1, last, 8090); }

  Capture capture_;
  Frames frames_{Generation::v0_12};
  Client client_;
  Connection first_{capture_, client_at(50'001), node(1)};
  std::optional<Connection> second_;
};

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  return samples::write_sample(argc, argv, [] { return samples::Story().tell(); });
}
