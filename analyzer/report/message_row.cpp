// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The filters of message_row.hpp.
#include "report/message_row.hpp"

namespace analyzer::report {
namespace {

bool fits(const std::optional<WantedName>& wanted, const std::optional<Identifier>& name) {
  if (!wanted) return true;
  if (!name) return false;
  if (!wanted->number.empty())
    return name->is_number && name->text == wanted->number && name->name == wanted->text;
  const bool may_be_text = !wanted->is_name || !name->is_number;
  return (may_be_text && name->text == wanted->text) ||
         (name->is_number && !name->name.empty() && name->name == wanted->text);
}

}  // namespace

std::string_view word_of(MessageWay way) {
  switch (way) {
    case MessageWay::sent:
      return "sent";
    case MessageWay::polled:
      return "polled";
    case MessageWay::replicated:
      return "replicated";
  }
  return {};
}

bool wants_place(const MessageOptions& options, MessageWay way, const MessagePlace* place) {
  static const MessagePlace unknown;
  const MessagePlace& known = place == nullptr ? unknown : *place;
  return options.ways.contains(way) && fits(options.stream, known.stream) &&
         fits(options.topic, known.topic);
}

bool wants_message(const MessageOptions& options, const MessageRow& row) {
  if (!wants_place(options, row.way, row.place.get())) return false;
  if (options.partition && row.partition != options.partition) return false;
  return !options.offsets || (row.offset && *row.offset >= options.offsets->first &&
                              *row.offset <= options.offsets->second);
}

}  // namespace analyzer::report
