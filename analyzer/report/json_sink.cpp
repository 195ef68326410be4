// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The body of a message as JSON, as the decoder visits its fields.
#include "report/json_sink.hpp"

#include <algorithm>

namespace analyzer::report {

using iggy::decode::Bytes;
using iggy::decode::Range;
using iggy::decode::U128;
using iggy::describe::Field;
using iggy::describe::Kind;
using iggy::describe::Layout;
using iggy::describe::Privacy;

void JsonSink::integer(const Field& field, std::uint64_t value, Range) {
  member(field);
  if (field.privacy == Privacy::secret && !show_secrets_)
    json_.text(masked);
  else if (field.kind == Kind::u64)
    json_.wide(value);
  else
    json_.number(value);
}

void JsonSink::wide(const Field& field, U128 value, Range) {
  member(field);
  if (field.privacy == Privacy::secret && !show_secrets_)
    json_.text(masked);
  else
    json_.wide(value);
}

void JsonSink::run(const Field& field, Bytes bytes, Range) {
  member(field);
  if (field.privacy == Privacy::secret && !show_secrets_)
    json_.text(masked);
  else if (field.kind == Kind::text)
    json_.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  else
    json_.hex(bytes);
}

bool JsonSink::enter(const Field& field, const Layout&, std::uint32_t) {
  Level& level = levels_.back();
  if (field.kind == Kind::repeat) {
    if (level.open_list != &field) {
      member(field);
      json_.begin_array();
      level.open_list = &field;
      level.lists.push_back(&field);
    }
  } else {
    member(field);
  }
  json_.begin_object();
  levels_.push_back({});
  return true;
}

void JsonSink::leave(const Field&, const Layout& layout, Range) {
  add_empty_lists(layout);
  levels_.pop_back();
  json_.end_object();
}

void JsonSink::finish(const Layout& layout) {
  add_empty_lists(layout);
}

void JsonSink::member(const Field& field) {
  close_list();
  json_.key(field.name);
}

void JsonSink::close_list() {
  if (levels_.back().open_list == nullptr) return;
  levels_.back().open_list = nullptr;
  json_.end_array();
}

void JsonSink::add_empty_lists(const Layout& layout) {
  close_list();
  const auto& lists = levels_.back().lists;
  for (const Field& field : layout.fields)
    if (field.kind == Kind::repeat && std::find(lists.begin(), lists.end(), &field) == lists.end())
      json_.key(field.name).begin_array().end_array();
}

}  // namespace analyzer::report
