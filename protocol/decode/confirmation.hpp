// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Where the messages of a send are, as the reply to it says.
//
// Goes through the tables, so it knows no generation.
#pragma once

#include <cstdint>
#include <optional>

#include "decode/body.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"

namespace iggy::decode {

struct Confirmation {
  std::optional<std::uint32_t> stream;
  std::optional<std::uint32_t> topic;
  std::uint64_t partition = 0;
  std::uint64_t base_offset = 0;  // of the first message
  std::uint64_t append_time = 0;  // for who reads the header around it; 0 where it says none
};

// For sinks: one passes on its events.
class ConfirmationReader {
 public:
  void integer(const describe::Field& field, std::uint64_t value);
  void enter(const describe::Layout& layout);
  void leave(const describe::Layout& layout);
  // The only one that a reply has; nothing where it has none or several, or breaks off in it.
  std::optional<Confirmation> confirmation() const;

 private:
  std::uint32_t count_ = 0;
  bool is_inside_ = false;
  bool is_whole_ = false;  // the last one, so far
  Confirmation last_;
};

// The same of a whole reply, where its body was decoded. `header` is that of the reply, which has
// the time at which the batch was stored.
std::optional<Confirmation> confirmation_of(const BodyPlan& plan, Bytes header, Window body);

}  // namespace iggy::decode
