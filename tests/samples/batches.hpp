// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Batches of messages with right checksums, as a producer of 0.12 sends them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decode/checksum.hpp"
#include "iggy/bodies/batches.hpp"
#include "iggy/v0_12/bodies/batches.hpp"
#include "support/batches.hpp"
#include "wire.hpp"

namespace samples {

// A pair of texts, in options and in user headers.
inline Json text_pair(const std::string& key, const std::string& value) {
  return {{"key_kind", 2},
          {"key", support::hex_of(std::as_bytes(std::span(key)))},
          {"value_kind", 2},
          {"value", support::hex_of(std::as_bytes(std::span(value)))}};
}

struct Message {
  std::uint64_t id = 0;
  std::string payload;
  Json headers = Json::array();
};

struct Batch {
  std::uint64_t partition = 0;
  std::uint64_t base_offset = 0;
  std::uint64_t base_timestamp = 0;
  std::uint64_t origin_timestamp = 0;
  std::uint64_t producer = 0;  // 0: none
  std::vector<Message> messages;
};

inline Json message_json(const Message& message, std::uint32_t place) {
  const iggy::describe::Layout& layout = iggy::bodies::message_frame;
  const Buffer headers =
      support::Encoder::encode(iggy::bodies::user_headers, {{"pairs", message.headers}});
  Json json = {{"id", std::to_string(message.id)},
               {"offset_delta", place},
               {"timestamp_delta", 10 * place},
               {"payload", support::hex_of(std::as_bytes(std::span(message.payload)))},
               {"user_headers", support::hex_of(headers)}};
  const Buffer bytes = support::Encoder::encode(layout, json);
  // All of the message but the checksum itself.
  json["checksum"] = std::to_string(iggy::decode::xxh3(support::Bytes{bytes}.subspan(8)));
  return json;
}

inline Json batch_json(const Batch& batch) {
  Json json = {{"partition_id", std::to_string(batch.partition)},
               {"base_offset", std::to_string(batch.base_offset)},
               {"base_timestamp", std::to_string(batch.base_timestamp)},
               {"origin_timestamp", std::to_string(batch.origin_timestamp)},
               {"producer_flags", batch.producer == 0 ? 0 : 1},
               {"producer_id", std::to_string(batch.producer)},
               {"messages", Json::array()}};
  for (const Message& message : batch.messages)
    json["messages"].push_back(
        message_json(message, static_cast<std::uint32_t>(json["messages"].size())));
  const Buffer bytes = support::Encoder::encode(iggy::v0_12::batch, json);
  json["batch_checksum"] = std::to_string(support::batch_checksum(bytes, batch.producer != 0));
  return json;
}

}  // namespace samples
