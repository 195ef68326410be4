// SPDX-License-Identifier: GPL-2.0-or-later
//
// The items of messages.hpp. Any function of epan may leave by longjmp, so nothing here has a
// destructor.
#include "plugin/messages.hpp"

#include <cstdint>

#include "decode/text.hpp"
#include "plugin/expert.hpp"
#include "plugin/fields.hpp"

namespace plugin {

using iggy::decode::ShortText;

namespace {

void add_offset(const MessagePlace& place, const Event& event) {
  proto_item_set_generated(proto_tree_add_uint64(place.tree, id_of(Extra::message_offset),
                                                 place.tvb, place.offset, 0, event.value));
}

void add_time(const MessagePlace& place, Extra extra, const Event& event) {
  constexpr std::uint64_t second = 1'000'000;
  const nstime_t time{static_cast<time_t>(event.value / second),
                      static_cast<int>(event.value % second * 1000)};
  proto_item_set_generated(
      proto_tree_add_time(place.tree, id_of(extra), place.tvb, place.offset, 0, &time));
}

unsigned status_of(Checksum checksum) {
  switch (checksum) {
    case Checksum::unverified:
      return PROTO_CHECKSUM_E_UNVERIFIED;
    case Checksum::right:
      return PROTO_CHECKSUM_E_GOOD;
    case Checksum::wrong:
      return PROTO_CHECKSUM_E_BAD;
  }
  return PROTO_CHECKSUM_E_UNVERIFIED;
}

// As proto_tree_add_checksum does, which knows numbers of 32 bits.
void add_checksum(const MessagePlace& place, const Event& event) {
  const Extra extra =
      event.is_of_message ? Extra::message_checksum_status : Extra::batch_checksum_status;
  proto_item_set_generated(proto_tree_add_uint(place.tree, id_of(extra), place.tvb, place.offset, 0,
                                               status_of(event.checksum)));
  if (event.checksum == Checksum::wrong) {
    const ShortText right = iggy::decode::hex({event.value, 0});
    proto_item_append_text(place.last, " [incorrect, should be %s]", right.c_str());
    const ShortText found = iggy::decode::hex({tvb_get_letoh64(place.tvb, place.offset), 0});
    expert_add_info_format(place.pinfo, place.last, expert_of_wrong_checksum(),
                           "The checksum is not that of the bytes: %s, expected %s", found.c_str(),
                           right.c_str());
    return;
  }
  const bool is_right = event.checksum == Checksum::right;
  proto_item_append_text(place.last, is_right ? " [correct]" : " [unverified]");
}

}  // namespace

void show_message_event(const MessagePlace& place, const Event& event) {
  switch (event.what) {
    case Event::What::message_offset:
      return add_offset(place, event);
    case Event::What::origin_timestamp:
      return add_time(place, Extra::origin_timestamp, event);
    case Event::What::append_timestamp:
      return add_time(place, Extra::append_timestamp, event);
    case Event::What::checksum:
      return add_checksum(place, event);
    default:
      return;
  }
}

}  // namespace plugin
