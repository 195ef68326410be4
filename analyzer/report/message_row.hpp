// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A message that crossed the wire, as far as it is known, and which ones somebody wants to see.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "capture/layers.hpp"
#include "capture/memory.hpp"
#include "connection/outcome.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"

namespace analyzer::report {

// Which way it went: from a producer to a server, from a server to a consumer, between servers.
enum class MessageWay : std::uint8_t { sent, polled, replicated };
std::string_view word_of(MessageWay way);

// How a stream or a topic is named in a request.
struct Identifier {
  bool is_number = false;
  std::string text;    // its digits where it is a number
  std::string name{};  // of a number: what earlier replies of the server called it; may be empty
};

// A topic by its numbers, as of a time: where it or its stream was gone since, as far as the
// capture tells, `ends` is another.
struct TopicNumber {
  std::uint32_t stream = 0;
  std::uint32_t topic = 0;
  std::uint64_t ends = 0;
};

// Where the messages of a request go or come from, as its own body says. Shared by all of them.
struct MessagePlace {
  std::optional<Identifier> stream;
  std::optional<Identifier> topic;
  // Of polls: who reads. A group is one consumer, whoever of its members asks.
  std::optional<std::uint8_t> consumer_kind{};
  std::optional<Identifier> consumer{};
  std::optional<std::uint8_t> partitioning;  // kind; of sends
  std::string key;                           // that chooses the partition
  // What replies had told when the request came: the numbers of what is named, and how often names
  // meant something else before.
  std::optional<TopicNumber> number{};
  std::array<std::uint64_t, 2> turns{};  // of stream and topic
};

struct MessageRow {
  std::uint64_t packet = 0;  // of the last byte of its frame
  std::int64_t time = 0;     // of that packet
  std::uint64_t frame = 0;   // id of the frame
  MessageWay way = MessageWay::sent;
  bool is_from_client = true;
  capture::Endpoint client;
  capture::Endpoint server;
  std::shared_ptr<const MessagePlace> place;  // null where the request is not known
  std::optional<TopicNumber> topic{};         // of the place, or what the reply to a send told
  std::optional<std::uint64_t> partition{};
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> origin_time;  // microseconds since the Unix epoch
  std::optional<std::uint64_t> append_time;
  std::optional<connection::Outcome> outcome;  // of a send, once it ended
  // Of a send that was done: whether the reply says where it was stored. A server says nothing of a
  // send that it takes for a repeated one, and one before 0.11.0-edge.4 of none.
  std::optional<bool> is_confirmed;
  iggy::decode::U128 id;
  std::uint32_t offset_delta = 0;
  std::uint32_t payload_size = 0;
  std::uint32_t user_headers_size = 0;
  std::string payload;       // the front of it, as far as somebody wants it
  std::string user_headers;  // as they lie on the wire; empty where there are too many
  const iggy::describe::Field* headers_row = nullptr;  // theirs

  void take_place(std::shared_ptr<const MessagePlace> taken) {
    place = std::move(taken);
    if (place != nullptr) topic = place->number;
  }
};

enum class PayloadFormat : std::uint8_t { automatic, text, json, hex };

// A stream or a topic that somebody asks for: its name or, unless it stood in quotes, its number;
// or a number as lines show it with the name that was inferred of it.
struct WantedName {
  std::string text;
  bool is_name = false;
  std::string number{};  // digits; empty: the text is all that was said
};

struct MessageOptions {
  bool json = false;        // one object a line
  std::uint64_t limit = 0;  // lines; 0: all
  capture::MemoryPlan memory{};
  bool is_stream = false;       // do not hold a send for longer than 30 s or 65,536 messages
  bool keeps_payloads = false;  // whole, for files
  PayloadFormat payload = PayloadFormat::automatic;
  std::uint32_t max_payload = 256;  // bytes that are shown
  std::set<MessageWay> ways{MessageWay::sent, MessageWay::polled};
  std::optional<WantedName> stream{};
  std::optional<WantedName> topic{};
  std::optional<std::uint64_t> partition{};
  std::optional<std::pair<std::uint64_t, std::uint64_t>> offsets{};  // first and last
};

// Whether the message is wanted as far as its place, or all that is known of it, decides it. What
// is not known matches no filter that asks for it.
bool wants_place(const MessageOptions& options, MessageWay way, const MessagePlace* place);
bool wants_message(const MessageOptions& options, const MessageRow& row);

}  // namespace analyzer::report
