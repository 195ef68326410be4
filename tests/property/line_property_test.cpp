// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Lines tell requests apart: whatever streams, topics and options are called, what was asked for
// two different things never reads the same, unless a line says that it is cut.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "conversation/subject.hpp"
#include "iggy/bodies/topics.hpp"
#include "support/iggy_frames.hpp"

namespace property {
namespace {

using support::Buffer;
using support::bytes_of;
using support::LittleWriter;

// Parts that lines are made of themselves, or that have to be escaped.
constexpr std::string_view parts[] = {
    "a",      "b",      "7",      "-5",   "?",     "...", "/",    "\"",    "\\",
    "=",      ",",      " ",      ", ",   "[0]",   "(b)", "#1",   "group", "\\x0a",
    "\n",     "x",      "0",      "\xff", "first", "1 d", "raw ", "0x",    " partitions=3",
    "\u00a0", "\u0663", "\u00e9", "next", "true",  "1.5", ".",
};

using Option = std::pair<std::string, std::string>;

struct Asked {
  std::string stream;
  std::string topic;
  std::vector<Option> options;

  auto tied() const { return std::tie(stream, topic, options); }
  bool operator==(const Asked& other) const { return tied() == other.tied(); }
};

class Generator {
 public:
  Asked next() {
    Asked asked{text(), text(), {}};
    for (std::size_t left = up_to(3); left > 0; --left) asked.options.emplace_back(text(), text());
    return asked;
  }
  // The same with one place changed, where two lines are most alike.
  Asked changed(Asked asked) {
    switch (up_to(3)) {
      case 0:
        asked.stream = text();
        break;
      case 1:
        std::swap(asked.stream, asked.topic);
        break;
      case 2:
        asked.topic += parts[up_to(std::size(parts) - 1)];
        break;
      default:
        asked.options.emplace_back(text(), text());
    }
    return asked;
  }

 private:
  std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }
  std::string text() {
    std::string text(parts[up_to(std::size(parts) - 1)]);
    for (std::size_t left = up_to(2); left > 0; --left) text += parts[up_to(std::size(parts) - 1)];
    if (up_to(40) == 0)
      while (text.size() < 200) text += text;
    return text.substr(0, 255);
  }

  std::mt19937 random_{11};
};

std::string line_of(const Asked& asked) {
  LittleWriter body;
  body.u8(2).u8(asked.stream.size()).bytes(bytes_of(asked.stream)).u32(3);
  body.u8(asked.topic.size()).bytes(bytes_of(asked.topic));
  for (const auto& [key, value] : asked.options)
    for (const std::string& text : {key, value}) body.u8(2).u32(text.size()).bytes(bytes_of(text));
  iggy::conversation::Line line;
  add_subject({.state = iggy::decode::BodyState::decoded, .layout = &iggy::bodies::topic_create},
              iggy::decode::whole(body.buffer()), {}, line);
  return std::string(line.text());
}

bool is_cut(std::string_view line) {
  return line.find("\"...") != std::string_view::npos || line.ends_with("...");
}

TEST(LineProperty, DifferentRequestsReadDifferently) {
  Generator generator;
  std::size_t compared = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Asked one = generator.next();
    const std::string line = line_of(one);
    EXPECT_NE(line.find(" partitions=3"), std::string::npos) << line;
    for (const Asked& other : {generator.changed(one), generator.next()}) {
      if (one == other) continue;
      const std::string second = line_of(other);
      if (is_cut(line) && is_cut(second)) continue;
      EXPECT_NE(line, second);
      ++compared;
    }
  }
  EXPECT_GT(compared, 30'000U);
}

}  // namespace
}  // namespace property
