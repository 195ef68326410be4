// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Builds batches of messages in memory, for tests, with right checksums unless a test spoils them.
//
// Offsets are written out here, apart from the tables under test; only the hash is shared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decode/checksum.hpp"
#include "support/iggy_frames.hpp"

namespace support {

struct Message {
  std::string payload = "payload";
  std::uint64_t id = 1;
  std::uint32_t offset_delta = 0;
  std::uint32_t timestamp_delta = 0;
  Buffer headers{};
};

// Offset of each message's frame, and the bytes of all.
inline Buffer message_frames(const std::vector<Message>& messages) {
  Buffer frames;
  for (const Message& message : messages) {
    Buffer frame(48);
    put_number(frame, 8, message.id, 8);
    put_number(frame, 24, message.offset_delta, 4);
    put_number(frame, 28, message.timestamp_delta, 4);
    put_number(frame, 32, message.headers.size(), 4);
    put_number(frame, 36, message.payload.size(), 4);
    frame = joined({frame, bytes_of(std::string_view(message.payload)), message.headers});
    put_number(frame, 0, iggy::decode::xxh3(Bytes{frame}.subspan(8)), 8);
    frames = joined({frames, frame});
  }
  return frames;
}

struct Batch {
  std::vector<Message> messages{Message{}};
  std::uint64_t partition = 0;
  std::uint64_t base_offset = 0;
  std::uint64_t base_timestamp = 0;
  std::uint64_t origin_timestamp = 1'700'000'000'000'000;
};

// The checksum of a batch of these bytes, which reach at least to the end of the last message. In
// 0.12 that of a producer counts flags, id, epoch and sequence.
inline std::uint64_t batch_checksum(const Buffer& batch, bool has_producer = false) {
  Buffer input(batch.begin(), batch.begin() + 40);
  append(input, Bytes{batch}.subspan(48, has_producer ? 5 : 4));
  if (has_producer) append(input, Bytes{batch}.subspan(56, 10));
  if (has_producer) append(input, Bytes{batch}.subspan(68, 4));
  for (std::size_t at = 256; at + 48 <= batch.size();) {
    append(input, Bytes{batch}.subspan(at, 8));
    at += 48 + number_at(batch, at + 32, 4) + number_at(batch, at + 36, 4);
  }
  return iggy::decode::xxh3(input);
}

inline Buffer batch_bytes(const Batch& batch = {}) {
  Buffer bytes = joined({Buffer(256), message_frames(batch.messages)});
  put_number(bytes, 0, batch.partition, 8);
  put_number(bytes, 8, batch.base_offset, 8);
  put_number(bytes, 16, batch.base_timestamp, 8);
  put_number(bytes, 24, batch.origin_timestamp, 8);
  put_number(bytes, 32, bytes.size(), 8);
  put_number(bytes, 48, batch.messages.size(), 4);
  put_number(bytes, 40, batch_checksum(bytes), 8);
  return bytes;
}

// Metadata of 18 bytes behind its length: topic 2 of stream 1, balanced.
inline constexpr std::size_t batch_in_send = 22;
inline Buffer send_body(const Buffer& batch, std::uint32_t messages_count = 1) {
  return little()
      .u32(18)
      .u8(1)
      .u8(4)
      .u32(1)
      .u8(1)
      .u8(4)
      .u32(2)
      .u8(1)
      .u8(0)
      .u32(messages_count)
      .bytes(batch)
      .buffer();
}
inline Buffer send_body(const Batch& batch = {}) {
  return send_body(batch_bytes(batch), static_cast<std::uint32_t>(batch.messages.size()));
}

// Messages as they were sent before batches had headers.
inline Buffer older_send_body(std::uint32_t count) {
  Buffer messages(std::size_t{16} * count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Buffer message(64);
    put_number(message, 0, 0x1234567812345678, 8);
    put_number(message, 8, i + 1, 8);
    put_number(message, 40, 1'700'000'000'000'000, 8);
    put_number(message, 52, 5, 4);
    messages = joined({messages, message, bytes_of(std::string_view("older"))});
  }
  return send_body(messages, count);
}

}  // namespace support
