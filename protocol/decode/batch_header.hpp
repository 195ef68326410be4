// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The 256 bytes in front of the messages of a batch: what stands in them, and what servers refuse.
//
// Of both generations, whose headers have the same rows at the same places but for the producer of
// 0.12. Messages are for batch_check.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decode/batch_check.hpp"
#include "decode/checksum.hpp"
#include "describe/proofs.hpp"
#include "iggy/v0_12/bodies/batches.hpp"

namespace iggy::decode {

// A view of such bytes.
class BatchHeader {
 public:
  static constexpr describe::Place checksum_place =
      describe::place_of(v0_12::batch, "batch_checksum");
  static constexpr describe::Place count_place = describe::place_of(v0_12::batch, "message_count");

  // `may_have_producer`: by the generation that it is read as.
  BatchHeader(const std::byte* bytes, bool may_have_producer);

  std::uint64_t length() const;  // of the batch with it, in bytes
  std::uint64_t partition_id() const;
  std::uint64_t checksum() const;
  std::uint32_t message_count() const;

  // The first thing that servers refuse; nothing where there is none. The batch begins at `at` of a
  // body in which `room` bytes are left for it.
  BatchVerdict wrong(std::uint32_t at, std::uint32_t room) const;
  // What a producer set though only servers set it.
  BatchVerdict stamped(std::uint32_t at) const;
  // What the checksum of the batch begins with.
  void add_to(Xxh3& hash) const;

 private:
  const std::byte* bytes_;
  std::uint64_t most_flags_;  // 1 says that there is a producer
  bool has_producer_;
};

}  // namespace iggy::decode
