// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What requests and replies tell of names, and how lines show them.
#include "conversation/naming.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "conversation/subject.hpp"
#include "iggy/registry.hpp"
#include "iggy/v0_12/bodies/change_records.hpp"
#include "support/body_facts.hpp"
#include "support/encoder.hpp"

namespace support {
namespace {

using iggy::Generation;
using iggy::conversation::KnownNames;
using iggy::conversation::Line;
using iggy::conversation::NameCatalogue;
using iggy::conversation::NamingFrame;

Json number(std::uint32_t id) {
  return {{"kind", 1}, {"id", id}};
}
Json text(const std::string& text) {
  return {{"kind", 2}, {"text", text}};
}
Json name(const std::string& name) {
  return {{"value", name}};
}
Json stream_header(std::uint32_t id, const std::string& called) {
  return {{"id", id}, {"name", name(called)}};
}
Json in_topic(const Json& stream, const Json& topic) {
  return {{"stream_id", stream}, {"topic_id", topic}};
}
Json with(Json values, const char* key, const Json& value) {
  values[key] = value;
  return values;
}
Json details(const char* key, const Json& header, const char* list = nullptr,
             const Json& elements = Json::array()) {
  Json made{{key, header}};
  if (list != nullptr) made[list] = elements;
  return {{"payload", {{"details", made}}}};
}

// A server that does what it is asked, and what its connections tell.
class Server {
 public:
  explicit Server(Generation generation, NameCatalogue& names, const std::string& endpoint = "a")
      : generation_(generation), names_(names), number_(names.server(endpoint)) {}

  void does(const std::string& command, const Json& asked, const Json& answered) {
    const Json& facts = command_named(generation_, command);
    const std::uint32_t code = facts["code"];
    const iggy::CommandBodies& bodies = *iggy::find_bodies(generation_, code);
    EXPECT_TRUE(iggy::tells_names(generation_, code)) << command;
    const Buffer request_body = Encoder::encode(*bodies.request.layout, asked);
    const Buffer reply_body = Encoder::encode(*bodies.reply.layout, answered);
    std::optional<NamingFrame> sent;
    if (!request_body.empty()) sent = frame_of(request_frame(facts, request_body));
    const Buffer answer = reply({.operation = facts["reply_operations"][0], .body = reply_body});
    learn_names(names_, number_, code, sent, frame_of(answer));
  }

  // The same where the request was not captured.
  void answers(const std::string& command, const Json& answered) {
    const Json& facts = command_named(generation_, command);
    const std::uint32_t code = facts["code"];
    const Buffer body =
        Encoder::encode(*iggy::find_bodies(generation_, code)->reply.layout, answered);
    learn_names(names_, number_, code, std::nullopt,
                frame_of(reply({.operation = facts["reply_operations"][0], .body = body})));
  }

  // What the line of a request says.
  std::string line(const std::string& command, const Json& asked) const {
    const Json& facts = command_named(generation_, command);
    const std::uint32_t code = facts["code"];
    const Buffer body =
        Encoder::encode(*iggy::find_bodies(generation_, code)->request.layout, asked);
    frames_.push_back(request_frame(facts, body));
    const NamingFrame frame = frame_of(frames_.back());
    Line line;
    add_subject(frame.facts, generation_, code, frame.body, {&names_, number_, names_.version()},
                line);
    return std::string(line.text());
  }
  std::string topic(std::uint32_t stream, std::uint32_t topic) const {
    return line("topic.get", in_topic(number(stream), number(topic)));
  }
  std::string group(std::uint32_t group) const {
    return line("consumer_group.join",
                with(in_topic(number(1), number(2)), "group_id", number(group)));
  }

 private:
  Buffer request_frame(const Json& facts, const Buffer& body) const {
    const std::uint8_t operation = facts["request_operation"];
    const std::uint32_t code = facts["code"];
    return request({.operation = operation, .code = operation == 2 ? code : 0, .body = body});
  }
  NamingFrame frame_of(const Buffer& frame) const {
    const iggy::decode::Bytes all{kept_.emplace_back(frame)};
    return {iggy::decode::facts_of(all.first(256), generation_), generation_,
            iggy::decode::whole(all.subspan(256))};
  }

  Generation generation_;
  NameCatalogue& names_;
  std::uint32_t number_;
  mutable std::deque<Buffer> kept_;
  mutable std::deque<Buffer> frames_;
};

void create_both(Server& server) {
  server.does("stream.create", {{"name", name("orders")}},
              details("stream", stream_header(1, "orders")));
  server.does("topic.create", with({{"stream_id", number(1)}}, "name", name("invoices")),
              details("topic", stream_header(2, "invoices")));
}

class Naming : public testing::TestWithParam<Generation> {
 protected:
  NameCatalogue names;
  Server server{GetParam(), names};
};
INSTANTIATE_TEST_SUITE_P(Generations, Naming,
                         testing::Values(Generation::v0_11, Generation::v0_12));

TEST_P(Naming, OfWhatIsCreated) {
  EXPECT_EQ(server.topic(1, 2), "1/2");
  create_both(server);
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2(invoices)");
  EXPECT_EQ(server.topic(1, 3), "1(orders)/3");
  EXPECT_EQ(server.topic(2, 2), "2/2");
}

TEST_P(Naming, IsThatOfOneServer) {
  create_both(server);
  EXPECT_EQ(Server(GetParam(), names, "b").topic(1, 2), "1/2");
}

TEST_P(Naming, OfLists) {
  server.does("stream.list", {},
              {{"payload", {{"streams", {stream_header(1, "orders"), stream_header(4, "logs")}}}}});
  server.does("topic.list", {{"stream_id", text("logs")}},
              {{"payload", {{"topics", {stream_header(2, "errors"), stream_header(3, "debug")}}}}});
  EXPECT_EQ(server.topic(4, 3), "4(logs)/3(debug)");
  EXPECT_EQ(server.topic(4, 2), "4(logs)/2(errors)");
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2");
}

TEST_P(Naming, OfAStreamWithItsTopics) {
  server.does("stream.get", {{"stream_id", number(1)}},
              details("stream", stream_header(1, "orders"), "topics",
                      {stream_header(2, "invoices"), stream_header(3, "receipts")}));
  EXPECT_EQ(server.topic(1, 3), "1(orders)/3(receipts)");
}

// What lies in a thing whose number is not known cannot be looked up later.
TEST_P(Naming, OfTopicsOfAnUnknownStream) {
  server.does("topic.get", in_topic(text("orders"), text("invoices")),
              details("topic", stream_header(2, "invoices")));
  EXPECT_EQ(server.topic(1, 2), "1/2");
}

TEST_P(Naming, OfGroupsForWhoReads) {
  create_both(server);
  server.does("consumer_group.create",
              with(in_topic(text("orders"), text("invoices")), "name", name("billing")),
              details("group", stream_header(3, "billing")));
  EXPECT_EQ(server.group(3), "1(orders)/2(invoices) group 3(billing)");
  Json poll =
      with(in_topic(text("orders"), number(2)), "consumer", {{"kind", 2}, {"id", number(3)}});
  poll["partition"] = {{"flag", 1}, {"partition_id", 0}};
  poll["strategy"] = {{"kind", 5}};
  poll["count"] = 10;
  EXPECT_EQ(server.line("message.poll", poll),
            "orders/2(invoices)[0] next 10 for consumer group 3(billing)");
  poll["consumer"]["kind"] = 1;
  EXPECT_EQ(server.line("message.poll", poll), "orders/2(invoices)[0] next 10 for consumer 3");
}

TEST_P(Naming, EndsWithWhatIsDeleted) {
  create_both(server);
  server.does("topic.delete", in_topic(text("orders"), text("invoices")), Json::object());
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2");
  server.does("stream.delete", {{"stream_id", number(1)}}, Json::object());
  EXPECT_EQ(server.topic(1, 2), "1/2");
}

TEST_P(Naming, OutlivesWhatIsPurged) {
  EXPECT_FALSE(iggy::tells_names(GetParam(), 205));
  EXPECT_FALSE(iggy::tells_names(GetParam(), 305));
}

// A send by names is answered with numbers.
TEST_P(Naming, OfWhatASendIsConfirmedFor) {
  const Json asked{{"metadata", with(in_topic(text("orders"), text("invoices")), "partitioning",
                                     {{"kind", 1}})}};
  const auto confirmed = [](std::uint32_t stream, std::uint32_t topic) {
    return Json{{"stream_id", stream}, {"topic_id", topic}};
  };
  const auto reply = [](const Json& confirmations) {
    return Json{{"payload", {{"confirmations", confirmations}}}};
  };
  server.does("message.send", asked, reply(Json::array()));
  EXPECT_EQ(server.topic(1, 2), "1/2");
  server.does("message.send", asked, reply(Json::array({confirmed(1, 2), confirmed(1, 3)})));
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2");
  server.does("message.send", asked, reply(Json::array({confirmed(1, 2)})));
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2(invoices)");
}

// A text of the reply says better what the thing is called than the request does.
TEST_P(Naming, OfWhatIsAskedForByAnotherSpelling) {
  server.does("stream.get", {{"stream_id", text("ORDERS")}},
              details("stream", stream_header(1, "orders")));
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2");
}

// Only what needs no request is learnt without one.
TEST_P(Naming, OfRepliesWithoutARequest) {
  server.answers("stream.create", details("stream", stream_header(1, "orders")));
  server.answers("topic.create", details("topic", stream_header(2, "invoices")));
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2");
  server.answers("topic.delete", Json::object());
  EXPECT_EQ(server.topic(1, 2), "1/2");
}

// What a client may send is shown as text, never as it is.
TEST_P(Naming, IsEscaped) {
  server.does("stream.get", {{"stream_id", number(1)}},
              details("stream", stream_header(1, "a\nb")));
  EXPECT_EQ(server.topic(1, 2), "1(\"a\\x0ab\")/2");
}

// From 0.12 on there is resource.update.
TEST(NamingOf0_11, FollowsWhatIsRenamed) {
  NameCatalogue names;
  Server server(Generation::v0_11, names);
  create_both(server);
  server.does("stream.update", with({{"stream_id", number(1)}}, "name", name("purchases")),
              Json::object());
  server.does("topic.update",
              with(in_topic(text("purchases"), text("invoices")), "name", name("bills")),
              Json::object());
  EXPECT_EQ(server.topic(1, 2), "1(purchases)/2(bills)");
}

Json option(const std::string& key, const std::string& value) {
  const auto hex = [](const std::string& bytes) {
    std::string digits;
    for (const char c : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return digits;
  };
  return {{"key_kind", 2}, {"key", hex(key)}, {"value_kind", 2}, {"value", hex(value)}};
}

TEST(NamingOf0_12, FollowsTheOptionOfTheName) {
  NameCatalogue names;
  Server server(Generation::v0_12, names);
  create_both(server);
  Json update = in_topic(text("orders"), number(2));
  update["scope"] = 1;
  update["options"] = {option("durability", "persisted"), option("name", "bills")};
  server.does("resource.update", update, Json::object());
  EXPECT_EQ(server.topic(1, 2), "1(orders)/2(bills)");
  server.does("resource.update",
              {{"scope", 2}, {"stream_id", text("orders")}, {"options", {option("name", "bound")}}},
              Json::object());
  EXPECT_EQ(server.topic(1, 2), "1(bound)/2(bills)");
}

// Items say what is there now; records say what was.
TEST(NamingOf0_12, OfItemsOfTheMetadataLog) {
  NameCatalogue names;
  Server server(Generation::v0_12, names);
  const auto body = [](const iggy::describe::Layout& layout, const Json& values) {
    return hex_of(Encoder::encode(layout, values));
  };
  const Json stream{
      {"key", {{"stream_id", 1}}}, {"name", name("orders")}, {"options", {{"state", 1}}}};
  Json topic_key{{"stream", {{"stream_id", 1}}}, {"topic_id", 2}};
  const Json topic{{"key", topic_key}, {"name", name("invoices")}, {"options", {{"state", 1}}}};
  const Json group{{"topic", topic_key}, {"group_id", 3}, {"name", name("billing")}};
  Json old = stream;
  old["name"] = name("old");
  server.does("metadata.changes", {{"start", 3}},
              {{"payload",
                {{"records", {{{"kind", 1}, {"body", body(iggy::v0_12::mc_stream, old)}}}},
                 {"items", Json::array()}}}});
  EXPECT_EQ(server.topic(1, 2), "1/2");
  server.does("metadata.changes", {{"start", 3}},
              {{"payload",
                {{"records", Json::array()},
                 {"items",
                  {{{"group", 1}, {"body", body(iggy::v0_12::mc_stream, stream)}},
                   {{"group", 2}, {"body", body(iggy::v0_12::mc_topic_item, topic)}},
                   {{"group", 4}, {"body", body(iggy::v0_12::mc_group_item, group)}}}}}}});
  EXPECT_EQ(server.group(3), "1(orders)/2(invoices) group 3(billing)");
}

TEST(NamingOfAll, IsToldByFewCommands) {
  for (const Generation generation : with_body_facts)
    for (const std::uint32_t code : {1U, 10U, 38U, 40U, 100U, 103U, 121U, 604U, 606U})
      EXPECT_FALSE(iggy::tells_names(generation, code)) << code;
  EXPECT_FALSE(iggy::tells_names(Generation::v0, 200));
}

TEST(Naming, NodesOfOneClientOf012TellOneSetOfNames) {
  NameCatalogue catalogue;
  const std::uint32_t first = catalogue.server("10.0.0.1:8090");
  const std::uint32_t second = catalogue.server("10.0.0.2:8090");
  iggy::conversation::ClientFacts client;
  const auto placed = [&](Generation generation, std::uint32_t server, std::string_view endpoint) {
    return iggy::conversation::server_of_names(catalogue, client, generation, server, endpoint);
  };
  // Up to 0.11 a session is that of a connection.
  EXPECT_EQ(placed(Generation::v0_11, first, "10.0.0.1:8090"), first);
  EXPECT_EQ(placed(Generation::v0_11, second, "10.0.0.2:8090"), second);
  EXPECT_EQ(placed(Generation::v0_12, first, "10.0.0.1:8090"), first);
  EXPECT_EQ(placed(Generation::v0_12, second, "10.0.0.2:8090"), first);
  EXPECT_EQ(catalogue.server("10.0.0.2:8090"), first);
  // What has told names of its own keeps its number, also for this client.
  const std::uint32_t third = catalogue.server("10.0.0.3:8090");
  catalogue.learn({third, iggy::describe::Thing::stream, 0, 0, 7}, "orders");
  EXPECT_EQ(placed(Generation::v0_12, third, "10.0.0.3:8090"), third);
  EXPECT_EQ(catalogue.server("10.0.0.3:8090"), third);
}

}  // namespace
}  // namespace support
