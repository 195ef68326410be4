// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads a frame into the tapes of its view.
#include "plugin/frame_view.hpp"

#include "decode/message_rows.hpp"
#include "decode/walk.hpp"

namespace plugin {

using iggy::decode::BodyPlan;
using iggy::decode::Bytes;
using iggy::decode::Facts;
using iggy::decode::Window;
using iggy::describe::Layout;

namespace {

Section read_header(const Layout& layout, Bytes header, const Reading& reading,
                    wmem_allocator_t* pool) {
  Tape tape(pool, reading.keep, reading.most_elements);
  iggy::decode::Walk walk(iggy::decode::whole(header), tape);
  walk.read(layout);
  return {&layout, tape.record()};
}

Section read_body(const BodyPlan& plan, Window body, const Reading& reading,
                  wmem_allocator_t* pool) {
  Tape tape(pool, reading.keep, reading.most_elements);
  if (reading.verify_checksums) tape.verify(body, reading.may_have_producer);
  tape.confirm(reading.confirmation);
  iggy::decode::read_body(plan, body, reading.show_secrets, tape);
  const bool is_hidden = iggy::decode::is_hidden(plan, reading.show_secrets);
  return {is_hidden ? nullptr : plan.layout, tape.record()};
}

}  // namespace

void read_frame(FrameView& view, const Facts& facts, Bytes bytes, const Reading& reading,
                wmem_allocator_t* pool) {
  const Bytes header = bytes.first(view.header_size);
  const Window body{bytes.subspan(view.header_size), view.size - view.header_size};
  view.header =
      read_header(iggy::decode::header_layout_of(facts, view.generation), header, reading, pool);
  view.plan = iggy::decode::plan_body(facts, {view.generation, view.train}, view.code, body);
  view.shows_payloads = reading.show_payloads && view.plan.layout != nullptr &&
                        iggy::decode::holds_batches(*view.plan.layout);
  Reading of_body = reading;
  if (view.shows_payloads) of_body.keep = Tape::Keep::everything;
  view.body = read_body(view.plan, body, of_body, pool);
}

}  // namespace plugin
