// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The places and bounds of batch_header.hpp, from the rows of the batch.
#include "decode/batch_header.hpp"

#include <array>
#include <string_view>

#include "iggy/bodies/batches.hpp"

namespace iggy::decode {
namespace {

using describe::offset_of;
using describe::Place;
using describe::place_of;
// Where generations agree the table of 0.12 has the same rows at the same places.
using v0_12::batch;

constexpr std::size_t batch_length_at = offset_of<std::uint64_t>(batch, "batch_length");

// What the checksum of a batch begins with, up to the checksum itself.
constexpr Place hashed_front = {offset_of<std::uint64_t>(batch, "partition_id"),
                                place_of(batch, "batch_length").end};
static_assert(hashed_front.begin == 0 && hashed_front.end == BatchHeader::checksum_place.begin);
static_assert(BatchHeader::checksum_place.begin ==
              offset_of<std::uint64_t>(bodies::batch, "batch_checksum"));
static_assert(BatchHeader::count_place.begin ==
              offset_of<std::uint32_t>(bodies::batch, "message_count"));

// What a server stamps.
constexpr Place stamped_rows = {offset_of<std::uint64_t>(batch, "partition_id"),
                                place_of(batch, "base_timestamp").end};

// What a producer of 0.12 adds, and the bytes between and behind it.
constexpr std::size_t producer_flags_at = offset_of<std::uint8_t>(batch, "producer_flags");
constexpr std::array producer_rows = {place_of(batch, "producer_id"),
                                      place_of(batch, "producer_epoch"),
                                      place_of(batch, "base_sequence")};
// What servers take of such a row.
constexpr std::uint64_t most_of(std::string_view name) {
  for (const describe::Field& field : batch.fields)
    if (field.name == name && field.when == describe::When::otherwise) return field.maximum;
  return 0;
}
constexpr std::array most_in_rows = {most_of("producer_id"), most_of("producer_epoch"),
                                     most_of("base_sequence")};
static_assert(producer_rows.size() == most_in_rows.size() && most_in_rows.back() == 0x7fff'ffff);
constexpr std::array zero_rows = {place_of(batch, "producer_padding"),
                                  place_of(batch, "producer_padding2"),
                                  place_of(batch, "reserved")};
constexpr Place reserved = place_of(bodies::batch, "reserved");
static_assert(reserved.begin == producer_flags_at && reserved.end == bodies::batch_header_bytes);
static_assert(zero_rows.back().end == reserved.end);

// The first byte of [place] that is not zero; the end where there is none, which is told at once.
std::size_t first_set(const std::byte* header, Place place) {
  if (all_zero({header + place.begin, std::size_t{place.end} - place.begin})) return place.end;
  std::size_t at = place.begin;
  while (at < place.end && header[at] == std::byte{0}) ++at;
  return at;
}

// The first byte that every sender leaves zero and this one did not; the end of the header where
// there is none.
std::size_t first_wrong(const std::byte* header, bool has_producer) {
  if (!has_producer) return first_set(header, reserved);
  for (const Place row : zero_rows)
    if (const std::size_t at = first_set(header, row); at != row.end) return at;
  return reserved.end;
}

std::uint64_t number_at(const std::byte* header, Place place) {
  std::uint64_t number = 0;
  for (std::size_t at = place.end; at > place.begin; --at)
    number = number << 8U | std::to_integer<std::uint64_t>(header[at - 1]);
  return number;
}

// The row of a producer whose number servers do not take; one behind the last where there is none.
std::size_t first_too_large(const std::byte* header) {
  std::size_t row = 0;
  while (row < producer_rows.size() && number_at(header, producer_rows[row]) <= most_in_rows[row])
    ++row;
  return row;
}

}  // namespace

BatchHeader::BatchHeader(const std::byte* bytes, bool may_have_producer)
    : bytes_(bytes),
      most_flags_(may_have_producer ? 1 : 0),
      has_producer_(may_have_producer && bytes[producer_flags_at] == std::byte{1}) {}

std::uint64_t BatchHeader::length() const {
  return load<std::uint64_t>(bytes_ + batch_length_at);
}
std::uint64_t BatchHeader::partition_id() const {
  return load<std::uint64_t>(bytes_ + stamped_rows.begin);
}
std::uint64_t BatchHeader::checksum() const {
  return load<std::uint64_t>(bytes_ + checksum_place.begin);
}
std::uint32_t BatchHeader::message_count() const {
  return load<std::uint32_t>(bytes_ + count_place.begin);
}

BatchVerdict BatchHeader::wrong(std::uint32_t at, std::uint32_t room) const {
  constexpr std::uint64_t header_bytes = bodies::batch_header_bytes;
  const auto place = [at](std::size_t in) { return at + static_cast<std::uint32_t>(in); };
  if (length() < header_bytes)
    return {BatchFault::batch_length, 0, place(batch_length_at), header_bytes, length()};
  if (const std::size_t byte = first_wrong(bytes_, has_producer_); byte != header_bytes)
    return {BatchFault::reserved, 0, place(byte), byte == producer_flags_at ? most_flags_ : 0,
            std::to_integer<std::uint64_t>(bytes_[byte])};
  if (length() > room) return {BatchFault::batch_length, 0, place(batch_length_at), room, length()};
  const std::size_t row = has_producer_ ? first_too_large(bytes_) : producer_rows.size();
  if (row == producer_rows.size()) return {};
  const Place number = producer_rows[row];
  return {BatchFault::producer, 0, place(number.begin), most_in_rows[row],
          number_at(bytes_, number)};
}

BatchVerdict BatchHeader::stamped(std::uint32_t at) const {
  const std::size_t byte = first_set(bytes_, stamped_rows);
  if (byte == stamped_rows.end) return {};
  return {BatchFault::stamped, 0, at + static_cast<std::uint32_t>(byte), 0,
          std::to_integer<std::uint64_t>(bytes_[byte])};
}

void BatchHeader::add_to(Xxh3& hash) const {
  hash.add({bytes_ + hashed_front.begin, hashed_front.end});
  hash.add({bytes_ + count_place.begin, std::size_t{count_place.end} - count_place.begin});
  if (!has_producer_) return;
  hash.add({bytes_ + producer_flags_at, 1});
  for (const Place row : producer_rows)
    hash.add({bytes_ + row.begin, std::size_t{row.end} - row.begin});
}

}  // namespace iggy::decode
