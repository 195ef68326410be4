// SPDX-License-Identifier: GPL-2.0-or-later
//
// One frame as it is shown: plain data that present.cpp turns into items.
//
// Everything is decided before the first item is added. The view owns nothing: its pointers lead
// into the packet's pool, the tables, or text that lives as long as the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "conversation/finding.hpp"
#include "conversation/framing.hpp"
#include "decode/batch_check.hpp"
#include "decode/body.hpp"
#include "decode/confirmation.hpp"
#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "describe/field.hpp"
#include "iggy/generation.hpp"
#include "iggy/trains.hpp"
#include "plugin/epan.hpp"
#include "plugin/tape.hpp"

namespace plugin {

// What a layout told of a region.
struct Section {
  const iggy::describe::Layout* layout = nullptr;  // null: nothing was walked
  Record record;
};

struct FrameView {
  // Where it is.
  tvbuff_t* tvb = nullptr;
  std::uint32_t offset = 0;       // of the frame in `tvb`
  std::uint32_t header_size = 0;  // bytes, all of them captured
  std::uint32_t size = 0;         // of the frame as it was sent, header included
  std::uint32_t captured = 0;     // bytes of it that `tvb` holds from `offset` on

  // What is in it: see read_frame.
  Section header;
  Section body;
  iggy::decode::BodyPlan plan;

  // What is known of it. Texts are valid UTF-8; null, 0 and unknown are not shown.
  const char* summary = nullptr;
  std::string_view name;   // of the command: "topic.create"
  std::uint32_t code = 0;  // of the command, where no row of the header has it
  iggy::Generation generation{};
  std::optional<iggy::Train> train;
  bool is_generation_inferred = false;
  iggy::Plane plane{};
  iggy::conversation::Side from{};
  std::string_view transport;
  std::uint32_t request_in = 0;  // packets
  std::uint32_t response_in = 0;
  bool has_response_time = false;
  nstime_t response_time{};
  const char* outcome = nullptr;
  const char* topic = nullptr;        // of the messages: "orders/invoices"
  const char* topic_alone = nullptr;  // "invoices"
  bool shows_payloads = false;        // other dissectors are asked for those that it holds
  std::uint64_t findings = 0;         // bit n: FindingId n
  // What is to be told of its batches, and what a finding about a batch is about, which may be that
  // of the request.
  iggy::decode::BatchVerdict batch;
  iggy::decode::BatchVerdict found_batch;

  bool has(iggy::conversation::FindingId id) const {
    return (findings >> static_cast<unsigned>(id) & 1U) != 0;
  }
  bool is_legacy() const { return header_size < 256; }
};
static_assert(std::is_trivially_copyable_v<FrameView>);
static_assert(std::is_trivially_destructible_v<FrameView>);

// How much of a frame is read.
struct Reading {
  Tape::Keep keep = Tape::Keep::everything;
  std::uint32_t most_elements = Tape::usual_elements;  // of each list
  bool show_secrets = false;
  bool show_payloads = false;      // to other dissectors, whose fields somebody may ask for
  bool verify_checksums = false;   // of batches and messages
  bool may_have_producer = false;  // see decode/batch_check
  std::optional<iggy::decode::Confirmation> confirmation;  // see Tape::confirm
};

// Walks header and body and sets `header`, `body`, `plan` and `shows_payloads`. `bytes` are those
// of the frame that are captured; size, header_size and code are set already. Calls nothing that
// may longjmp.
void read_frame(FrameView& view, const iggy::decode::Facts& facts, iggy::decode::Bytes bytes,
                const Reading& reading, wmem_allocator_t* pool);

}  // namespace plugin
