// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registration of fields.hpp.
#include "plugin/fields.hpp"

#include <array>
#include <cstddef>

#include "plugin/epan.hpp"
#include "plugin/expert.hpp"
#include "plugin/rows.hpp"

namespace plugin {

namespace {

int protocol = -1;
constexpr std::size_t extra_count = static_cast<std::size_t>(Extra::no_frame) + 1;
constexpr std::size_t subtree_count = static_cast<std::size_t>(Subtree::row) + 1;
std::array<int, extra_count> extras;
std::array<int, subtree_count> subtrees;

// What a number in FT_FRAMENUM fields means, so that the packet list draws its arrows.
const void* const is_request = FRAMENUM_TYPE(FT_FRAMENUM_REQUEST);
const void* const is_response = FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE);

// In the order of Extra.
std::array<hf_register_info, extra_count> extra_infos{{
    {&extras[0],
     {"Header", "iggy.header", FT_NONE, BASE_NONE, nullptr, 0, "What every frame begins with",
      HFILL}},
    {&extras[1],
     {"Body", "iggy.body", FT_NONE, BASE_NONE, nullptr, 0, "What follows the header", HFILL}},
    {&extras[2],
     {"Generation", "iggy.generation", FT_STRING, BASE_NONE, nullptr, 0,
      "Which tables the frame was read with", HFILL}},
    {&extras[3],
     {"Plane", "iggy.plane", FT_STRING, BASE_NONE, nullptr, 0,
      "Whether clients or replicas speak on the connection", HFILL}},
    {&extras[4],
     {"From", "iggy.from", FT_STRING, BASE_NONE, nullptr, 0, "Which side sent the frame", HFILL}},
    {&extras[5],
     {"Command Name", "iggy.name", FT_STRING, BASE_NONE, nullptr, 0,
      "What is asked or answered, as upstream names it", HFILL}},
    {&extras[6],
     {"Request In", "iggy.request_in", FT_FRAMENUM, BASE_NONE, is_request, 0,
      "The packet with the end of the request that this answers", HFILL}},
    {&extras[7],
     {"Response In", "iggy.response_in", FT_FRAMENUM, BASE_NONE, is_response, 0,
      "The packet with the end of the answer to this request", HFILL}},
    {&extras[8],
     {"Response Time", "iggy.response_time", FT_RELATIVE_TIME, BASE_NONE, nullptr, 0,
      "From the last byte of the request to the last byte of the answer", HFILL}},
    {&extras[9],
     {"Outcome", "iggy.outcome", FT_STRING, BASE_NONE, nullptr, 0, "How the request ended", HFILL}},
    {&extras[10],
     {"Not Shown", "iggy.not_shown", FT_UINT64, BASE_DEC, nullptr, 0,
      "Elements or values that are left out to keep the tree small", HFILL}},
    {&extras[11],
     {"Transport", "iggy.transport", FT_STRING, BASE_NONE, nullptr, 0,
      "What carries the frames of the connection", HFILL}},
    {&extras[12],
     {"Continues Frame In", "iggy.continues", FT_FRAMENUM, BASE_NONE, nullptr, 0,
      "The packet with the header of the frame that these bytes belong to", HFILL}},
    {&extras[13],
     {"Placement Preamble", "iggy.preamble", FT_BYTES, BASE_NONE, nullptr, 0,
      "What a replica of 0.12 sends before the first frame", HFILL}},
    {&extras[14],
     {"No Frame", "iggy.no_frame", FT_NONE, BASE_NONE, nullptr, 0,
      "Bytes of the connection that belong to no frame, or to one whose header is missing", HFILL}},
}};

}  // namespace

void register_protocol() {
  protocol = proto_register_protocol("Apache Iggy", "Iggy", "iggy");
  extras.fill(-1);
  proto_register_field_array(protocol, extra_infos.data(), static_cast<int>(extra_count));
  register_rows(protocol);
  std::array<int*, subtree_count> places{};
  for (std::size_t i = 0; i < subtree_count; ++i) {
    subtrees[i] = -1;
    places[i] = &subtrees[i];
  }
  proto_register_subtree_array(places.data(), static_cast<int>(subtree_count));
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
