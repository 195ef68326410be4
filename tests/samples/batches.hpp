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
  std::uint32_t first_sequence = 0;
  std::vector<Message> messages;
};

inline std::uint64_t hash_of_rest(const Buffer& bytes, std::size_t from) {
  return iggy::decode::xxh3(support::Bytes{bytes}.subspan(from));
}

inline Json message_json(const Message& message, std::uint32_t place) {
  const iggy::describe::Layout& layout = iggy::bodies::message_frame;
  const Buffer headers =
      support::Encoder::encode(iggy::bodies::user_headers, {{"pairs", message.headers}});
  Json json = {{"id", std::to_string(message.id)},
               {"offset_delta", place},
               {"timestamp_delta", 10 * place},
               {"payload", support::hex_of(std::as_bytes(std::span(message.payload)))},
               {"user_headers", support::hex_of(headers)}};
  // All of the message but the checksum itself.
  json["checksum"] = std::to_string(hash_of_rest(support::Encoder::encode(layout, json), 8));
  return json;
}

// Source of what the checksum covers: core/binary_protocol/src/batch.rs.
inline Json batch_json(const Batch& batch) {
  Json json = {{"partition_id", std::to_string(batch.partition)},
               {"base_offset", std::to_string(batch.base_offset)},
               {"base_timestamp", std::to_string(batch.base_timestamp)},
               {"origin_timestamp", std::to_string(batch.origin_timestamp)},
               {"producer_flags", batch.producer == 0 ? 0 : 1},
               {"producer_id", std::to_string(batch.producer)},
               {"base_sequence", batch.first_sequence},
               {"messages", Json::array()}};
  support::LittleWriter checksums;
  for (const Message& message : batch.messages) {
    json["messages"].push_back(
        message_json(message, static_cast<std::uint32_t>(json["messages"].size())));
    checksums.u64(std::stoull(json["messages"].back()["checksum"].get<std::string>()));
  }
  const Buffer bytes = support::Encoder::encode(iggy::v0_12::batch, json);
  support::LittleWriter covered;
  covered.bytes(support::Bytes{bytes}.first(40));
  covered.bytes(support::Bytes{bytes}.subspan(48, 4));
  if (batch.producer != 0)
    covered.u8(1)
        .bytes(support::Bytes{bytes}.subspan(56, 10))
        .bytes(support::Bytes{bytes}.subspan(68, 4));
  covered.bytes(checksums.buffer());
  json["batch_checksum"] = std::to_string(iggy::decode::xxh3(covered.buffer()));
  return json;
}

}  // namespace samples
