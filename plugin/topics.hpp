// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which topic the messages of a frame belong to, as the wire names it: "orders/invoices" where the
// request gives names, "0/1" where it gives numbers. Each name is kept once.
//
// Written on the first pass over a capture alone. No epan here: nothing can longjmp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "iggy/dialect.hpp"

namespace plugin {

struct Topic {
  std::string name;          // of stream and topic, with a slash between them
  std::size_t topic_at = 0;  // where that of the topic begins
};

class Topics {
 public:
  static constexpr std::uint32_t none = 0;

  // The topic of a request that brings messages or asks for them, or of messages between replicas.
  // `none` where the frame names none, or too many topics are known.
  std::uint32_t of_request(const iggy::decode::Facts& facts, iggy::Dialect sender,
                           std::uint32_t code, iggy::decode::Window body);
  std::uint32_t of_prepare(const iggy::decode::Facts& facts);

  // Stays where it is as long as the capture is open.
  const Topic& at(std::uint32_t index) const { return topics_[index]; }

 private:
  std::uint32_t remember(const std::string& stream, const std::string& topic);

  static constexpr std::size_t limit = 20'000;

  std::deque<Topic> topics_{Topic{}};
  std::unordered_map<std::string, std::uint32_t> places_;
};

// Whether the pattern fits the whole text; a star stands for any characters, also for none.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace plugin
