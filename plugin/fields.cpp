// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registration of fields.hpp.
#include "plugin/fields.hpp"

#include <array>
#include <cstddef>
#include <iterator>

#include "plugin/epan.hpp"
#include "plugin/expert.hpp"
#include "plugin/rows.hpp"

namespace plugin {

namespace {

int protocol = -1;
struct ExtraInfo {
  const char* label;
  const char* filter;
  ftenum_t type;
  const char* blurb;
};

// In the order of Extra.
constexpr ExtraInfo extra_infos[] = {
    {"Header", "iggy.header", FT_NONE, "What every frame begins with"},
    {"Body", "iggy.body", FT_NONE, "What follows the header"},
    {"Generation", "iggy.generation", FT_STRING, "Which tables the frame was read with"},
    {"Generation Inferred", "iggy.generation_inferred", FT_STRING,
     "Yes where nothing on the connection has shown the generation so far"},
    {"Plane", "iggy.plane", FT_STRING, "Whether clients or replicas speak on the connection"},
    {"From", "iggy.from", FT_STRING, "Which side sent the frame"},
    {"Command Name", "iggy.name", FT_STRING, "What is asked or answered, as upstream names it"},
    {"Request In", "iggy.request_in", FT_FRAMENUM,
     "The packet with the end of the request that this answers"},
    {"Response In", "iggy.response_in", FT_FRAMENUM,
     "The packet with the end of the answer to this request"},
    {"Response Time", "iggy.response_time", FT_RELATIVE_TIME,
     "From the last byte of the request to the last byte of the answer"},
    {"Outcome", "iggy.outcome", FT_STRING, "How the request ended"},
    {"Not Shown", "iggy.not_shown", FT_UINT64,
     "Elements or values that are left out to keep the tree small"},
    {"Transport", "iggy.transport", FT_STRING, "What carries the frames of the connection"},
    {"Continues Frame In", "iggy.continues", FT_FRAMENUM,
     "The packet with the header of the frame that these bytes belong to"},
    {"Placement Preamble", "iggy.preamble", FT_BYTES,
     "What a replica of 0.12 sends before the first frame"},
    {"No Frame", "iggy.no_frame", FT_NONE,
     "Bytes of the connection that belong to no frame, or to one whose header is missing"},
    {"Problem", "iggy.problem", FT_STRING, "What is wrong with the bytes, in a word"},
    {"Finding", "iggy.finding", FT_STRING,
     "What a report on the capture would say, by the id that iggy-pcap gives it"},
    {"Code", "iggy.header.code", FT_UINT32,
     "The code in a header whose operation names the command, so that it is zero"},
    {"Offset", "iggy.message.offset", FT_UINT64, "Where the message stands in its partition"},
    {"Origin Timestamp", "iggy.message.origin_timestamp", FT_ABSOLUTE_TIME,
     "When the producer made it"},
    {"Append Timestamp", "iggy.message.append_timestamp", FT_ABSOLUTE_TIME,
     "When the server stored the batch of the message"},
    {"Checksum Status", "iggy.message_frame.checksum.status", FT_UINT8,
     "Whether the checksum of the message is that of its bytes"},
    {"Batch Checksum Status", "iggy.batch.batch_checksum.status", FT_UINT8,
     "Whether the checksum of the batch is that of its header and of the checksums of messages"},
    {"Topic", "iggy.topic", FT_STRING,
     "Stream and topic of the messages, as the request or the group names them"},
};
constexpr std::size_t extra_count = std::size(extra_infos);
static_assert(extra_count == static_cast<std::size_t>(Extra::topic) + 1);
constexpr std::size_t subtree_count = static_cast<std::size_t>(Subtree::row) + 1;

std::array<int, extra_count> extras;
std::array<int, subtree_count> subtrees;
std::array<hf_register_info, extra_count> infos;

// The names of a field's numbers; what the packet in a field is to this one, so that the packet
// list draws its arrows.
const void* meaning_of(Extra extra) {
  switch (extra) {
    case Extra::request_in:
      return FRAMENUM_TYPE(FT_FRAMENUM_REQUEST);
    case Extra::response_in:
      return FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE);
    case Extra::message_checksum_status:
    case Extra::batch_checksum_status:
      return VALS(proto_checksum_vals);
    default:
      return nullptr;
  }
}

int display_of(ftenum_t type) {
  if (type == FT_ABSOLUTE_TIME) return ABSOLUTE_TIME_UTC;
  return type == FT_UINT64 || type == FT_UINT32 ? BASE_DEC : BASE_NONE;
}

void register_extras() {
  for (std::size_t i = 0; i < extra_count; ++i) {
    const ExtraInfo& info = extra_infos[i];
    const int display = display_of(info.type);
    extras[i] = -1;
    infos[i] = {&extras[i],
                {info.label, info.filter, info.type, display, meaning_of(static_cast<Extra>(i)), 0,
                 info.blurb, HFILL}};
  }
  proto_register_field_array(protocol, infos.data(), static_cast<int>(extra_count));
}

void register_subtrees() {
  std::array<int*, subtree_count> places{};
  for (std::size_t i = 0; i < subtree_count; ++i) {
    subtrees[i] = -1;
    places[i] = &subtrees[i];
  }
  proto_register_subtree_array(places.data(), static_cast<int>(subtree_count));
}

}  // namespace

void register_protocol() {
  protocol = proto_register_protocol("Apache Iggy", "Iggy", "iggy");
  register_extras();
  register_rows(protocol);
  register_subtrees();
  register_experts(protocol);
}

int protocol_id() {
  return protocol;
}

int id_of(Extra extra) {
  return extras[static_cast<std::size_t>(extra)];
}

int id_of(Subtree subtree) {
  return subtrees[static_cast<std::size_t>(subtree)];
}

}  // namespace plugin
