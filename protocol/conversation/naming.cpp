// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Walks the bodies of naming.hpp and puts numbers and texts together.
#include "conversation/naming.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "conversation/subject.hpp"
#include "decode/body.hpp"
#include "decode/walk.hpp"

namespace iggy::conversation {
namespace {

using decode::Bytes;
using decode::Range;
using decode::Window;
using describe::Field;
using describe::Layout;

// A sink of the walk over a request and then its reply.
class NameReader : public decode::Check {
 public:
  NameReader(NameCatalogue& catalogue, std::uint32_t server)
      : catalogue_(catalogue), server_(server) {}

  void integer(const Field& field, std::uint64_t value, Range) {
    const bool is_plain = field.role == describe::Role::plain;
    const Thing thing = field.thing == Thing::none && is_plain ? around_ : field.thing;
    if (thing != Thing::none) take_number(thing, value);
  }
  void run(const Field& field, Bytes bytes, Range) {
    const bool is_text = field.kind == describe::Kind::text;
    const Thing thing = field.thing == Thing::none && is_text ? around_ : field.thing;
    if (thing != Thing::none) take_text(thing, decode::text_of(bytes));
  }
  bool enter(const Field& field, const Layout&, std::uint32_t) {
    if (field.thing == Thing::none) return true;
    around_ = field.thing;
    if (field.is_removed) removed_ = field.thing;
    return true;
  }
  void leave(const Field& field, const Layout&, Range) {
    if (field.thing != Thing::none) around_ = Thing::none;
  }

  // What the request removes is gone.
  void end_request() {
    if (removed_ == Thing::none || !clean) return;
    if (const auto key = key_of(removed_)) catalogue_.forget(*key);
  }

 private:
  // How a thing was identified last.
  struct Named {
    std::optional<std::uint32_t> number;
    std::string text;
  };

  Named& of(Thing thing) { return named_[static_cast<std::size_t>(thing)]; }

  void take_number(Thing thing, std::uint64_t value) {
    if (value > 0xffff'ffffU) return;
    of(thing) = {static_cast<std::uint32_t>(value), {}};
    last_ = thing;
  }

  void take_text(Thing thing, std::string_view text) {
    if (thing == Thing::named_last) thing = last_;
    if (thing == Thing::none) return;
    last_ = thing;
    Named& named = of(thing);
    const bool is_first = !named.number && named.text.empty();
    if (is_first) {
      named.text = text;
    } else if (const auto key = key_of(thing)) {
      catalogue_.learn(*key, text);
    }
  }

  // The number of a thing that may have been named by its text alone.
  std::optional<std::uint32_t> number_of(Thing thing, const NameScope& scope) {
    const Named& named = of(thing);
    if (named.number || named.text.empty()) return named.number;
    std::optional<NameKey> key = scope.key_of(thing, 0);
    if (!key) return std::nullopt;
    key->server = server_;
    return catalogue_.number_of(*key, named.text, catalogue_.version());
  }

  std::optional<NameKey> key_of(Thing thing) {
    NameScope scope;
    for (const Thing outer : {Thing::stream, Thing::topic}) {
      if (outer == thing) break;
      scope.enter(outer, number_of(outer, scope));
    }
    const std::optional<std::uint32_t> number = number_of(thing, scope);
    if (!number) return std::nullopt;
    std::optional<NameKey> key = scope.key_of(thing, *number);
    if (key) key->server = server_;
    return key;
  }

  NameCatalogue& catalogue_;
  std::uint32_t server_;
  std::array<Named, describe::thing_count> named_;
  Thing around_ = Thing::none;  // what the rows at hand identify, by the group that they are in
  Thing last_ = Thing::none;    // the thing that was named last
  Thing removed_ = Thing::none;
};

void read(const NamingFrame& frame, std::uint32_t code, std::uint32_t most, NameReader& reader) {
  const Bytes bytes = frame.body.captured;
  const Window front{bytes.first(std::min<std::size_t>(bytes.size(), most)), frame.body.on_wire};
  const decode::BodyPlan plan = decode::plan_body(frame.facts, frame.generation, code, front);
  if (plan.layout == nullptr || plan.state != decode::BodyState::decoded) return;
  decode::Walk(front, reader).read(*plan.layout);
}

}  // namespace

void learn_names(NameCatalogue& catalogue, std::uint32_t server, std::uint32_t code,
                 const std::optional<NamingFrame>& request, const NamingFrame& reply) {
  NameReader reader(catalogue, server);
  if (request) read(*request, code, subject_bytes, reader);
  reader.end_request();
  read(reply, code, naming_bytes, reader);
}

}  // namespace iggy::conversation
