// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads the names of topics.hpp, by the names that all generations give the rows.
#include "plugin/topics.hpp"

#include <optional>

#include "conversation/subject.hpp"
#include "decode/body.hpp"
#include "decode/message_rows.hpp"
#include "decode/walk.hpp"
#include "iggy/frame.hpp"
#include "iggy/registry.hpp"

namespace plugin {

using iggy::Command;
using iggy::Generation;
using iggy::decode::Bytes;
using iggy::decode::Facts;
using iggy::decode::Range;
using iggy::decode::Window;
using iggy::describe::Field;
using iggy::describe::Layout;

namespace {

// What stands in front of the messages.
class TopicSink : public iggy::decode::Check {
 public:
  void integer(const Field& field, std::uint64_t value, Range) {
    if (named_ != nullptr && field.name == "id") *named_ = std::to_string(value);
  }
  void run(const Field& field, Bytes bytes, Range) {
    if (named_ == nullptr || field.name != "text") return;
    *named_ = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  bool enter(const Field& field, const Layout& layout, std::uint32_t) {
    named_ = field.name == "stream_id" ? &stream_ : field.name == "topic_id" ? &topic_ : nullptr;
    return !iggy::decode::is_batch(layout);
  }
  void leave(const Field&, const Layout&, Range) { named_ = nullptr; }

  const std::optional<std::string>& stream() const { return stream_; }
  const std::optional<std::string>& topic() const { return topic_; }

 private:
  std::optional<std::string> stream_;
  std::optional<std::string> topic_;
  std::optional<std::string>* named_ = nullptr;  // the identifier that the walk is in
};

bool is_about_messages(const Facts& facts, Generation generation, std::uint32_t code) {
  return facts.operation == iggy::operation::send_messages ||
         iggy::decode::is_answered_with_messages(generation, code);
}

}  // namespace

std::uint32_t Topics::of_request(const Facts& facts, iggy::Dialect sender, std::uint32_t code,
                                 Window body) {
  if (!is_about_messages(facts, sender.generation, code)) return none;
  const Window front = iggy::conversation::subject_front(body);
  const iggy::decode::BodyPlan plan = iggy::decode::plan_body(facts, sender, code, front);
  if (plan.layout == nullptr) return none;
  TopicSink sink;
  iggy::decode::Walk walk(front, sink);
  walk.read(*plan.layout);
  return sink.stream() && sink.topic() ? remember(*sink.stream(), *sink.topic()) : none;
}

std::uint32_t Topics::of_prepare(const Facts& facts) {
  const bool is_prepare = facts.is(Command::Prepare) || facts.is(Command::RepairPrepare);
  if (!is_prepare || facts.operation != iggy::operation::send_messages) return none;
  const iggy::PartitionGroup group = iggy::partition_of(facts.group);
  return remember(std::to_string(group.stream), std::to_string(group.topic));
}

std::uint32_t Topics::remember(const std::string& stream, const std::string& topic) {
  std::string name = stream;
  name.append("/").append(topic);
  // Names may hold slashes, so where the one of the stream ends belongs to the key.
  std::string key = std::to_string(stream.size()) + ' ' + name;
  const auto known = places_.find(key);
  if (known != places_.end()) return known->second;
  if (topics_.size() > limit) return none;
  const auto index = static_cast<std::uint32_t>(topics_.size());
  topics_.push_back({std::move(name), stream.size() + 1});
  places_.emplace(std::move(key), index);
  return index;
}

// Only the last star is ever tried again, so the work is the product of the lengths at most.
bool fits_pattern(std::string_view pattern, std::string_view text) {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t at = 0;
  std::size_t star = none;
  std::size_t resume = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != none) {
      at = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == none;
}

}  // namespace plugin
