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
#include "iggy/conduct.hpp"
#include "iggy/registry.hpp"

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
  NameReader(NameCatalogue& catalogue, std::uint32_t server, std::uint64_t packet)
      : catalogue_(catalogue), server_(server), packet_(packet) {}

  void integer(const Field& field, std::uint64_t value, Range) {
    const bool is_plain = field.role == describe::Role::plain;
    const Thing thing = field.thing == Thing::none && is_plain ? around_ : field.thing;
    if (thing != Thing::none) take_number(thing, value);
  }
  void run(const Field& field, Bytes bytes, Range range) {
    if (field.layout != nullptr && field.thing != Thing::none) {
      decode::read_inside(field, bytes, range, *this);
      return;
    }
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
    is_in_reply_ = true;
    for (std::size_t i = 0; i < named_.size(); ++i)
      if (!named_[i].number) asked_[i] = {named_[i].text, {}, true};
    if (removed_ != Thing::none) end_removed();
    clean = true;
  }
  // Of a request that was not captured.
  void end_unknown(const Layout& asked) {
    is_in_reply_ = true;
    if (removes(asked)) catalogue_.forget_any(server_, packet_);
  }

  // What the request named by its text has the number that the reply told, unless that told several
  // or a text of its own.
  void end_reply() {
    for (const Thing thing : {Thing::stream, Thing::topic, Thing::consumer_group}) {
      const Asked& asked = asked_of(thing);
      if (asked.text.empty() || !asked.answer || !asked.is_open || !clean) continue;
      if (const auto key = key_of(thing)) catalogue_.learn(*key, asked.text, packet_);
    }
  }

 private:
  // What the request named by its text alone, and the number that the reply has told of it.
  struct Asked {
    std::string text;
    std::optional<std::uint32_t> answer;
    bool is_open = false;  // no other number was told, and no text
  };

  // How a thing was identified last.
  struct Named {
    std::optional<std::uint32_t> number;
    std::string text;
  };

  static bool removes(const Layout& layout) {
    return std::any_of(layout.fields.begin(), layout.fields.end(), [](const Field& field) {
      return field.is_removed && field.thing != Thing::consumer_group;
    });
  }

  void end_removed() {
    if (const auto key = clean ? key_of(removed_) : std::nullopt)
      catalogue_.forget(*key, packet_);
    else if (removed_ != Thing::consumer_group)
      catalogue_.forget_unplaced(server_, packet_);
  }

  Asked& asked_of(Thing thing) { return asked_[static_cast<std::size_t>(thing)]; }
  Named& of(Thing thing) { return named_[static_cast<std::size_t>(thing)]; }

  void take_number(Thing thing, std::uint64_t value) {
    if (value > 0xffff'ffffU) return;
    const auto number = static_cast<std::uint32_t>(value);
    of(thing) = {number, {}};
    if (is_in_reply_) {
      Asked& asked = asked_of(thing);
      if (asked.answer && asked.answer != number) asked.is_open = false;
      asked.answer = number;
    }
    last_ = thing;
  }

  void take_text(Thing thing, std::string_view text) {
    if (thing == Thing::named_last) thing = last_;
    if (thing == Thing::none) return;
    last_ = thing;
    if (is_in_reply_) asked_of(thing).is_open = false;
    Named& named = of(thing);
    const bool is_first = !named.number && named.text.empty();
    if (is_first) {
      named.text = text;
    } else if (const auto key = key_of(thing)) {
      catalogue_.learn(*key, text, packet_);
    }
  }

  // The number of a thing that may have been named by its text alone.
  std::optional<std::uint32_t> number_of(Thing thing, const NameScope& scope) {
    const Named& named = of(thing);
    if (named.number || named.text.empty()) return named.number;
    std::optional<NameKey> key = scope.key_of(thing, 0);
    if (!key) return std::nullopt;
    key->server = server_;
    return catalogue_.number_of(*key, named.text, catalogue_.version(packet_));
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
  std::uint64_t packet_;  // of the reply
  std::array<Named, describe::thing_count> named_;
  std::array<Asked, describe::thing_count> asked_;
  bool is_in_reply_ = false;
  Thing around_ = Thing::none;  // what the rows at hand identify, by the group that they are in
  Thing last_ = Thing::none;    // the thing that was named last
  Thing removed_ = Thing::none;
};

void read(const NamingFrame& frame, std::uint32_t code, std::uint32_t most, NameReader& reader) {
  const Bytes bytes = frame.body.captured;
  const Window front{bytes.first(std::min<std::size_t>(bytes.size(), most)), frame.body.on_wire};
  const decode::BodyPlan plan = decode::plan_body(frame.facts, frame.sender, code, front);
  if (plan.layout == nullptr || plan.state != decode::BodyState::decoded) return;
  decode::Walk(front, reader).read(*plan.layout);
}

}  // namespace

void learn_names(NameCatalogue& catalogue, std::uint32_t server, std::uint32_t code,
                 const std::optional<NamingFrame>& request, const NamingFrame& reply) {
  NameReader reader(catalogue, server, reply.packet);
  if (request) read(*request, code, subject_bytes, reader);
  const CommandBodies* const bodies = find_bodies(reply.sender, code);
  const bool has_request = bodies != nullptr && !bodies->request.layout->fields.empty();
  if (!request && has_request)
    reader.end_unknown(*bodies->request.layout);
  else
    reader.end_request();
  read(reply, code, naming_bytes, reader);
  reader.end_reply();
}

std::uint32_t server_of_names(NameCatalogue& catalogue, ClientFacts& client, Generation generation,
                              std::uint32_t server, std::string_view endpoint) {
  if (!conduct_of(generation).sessions_outlive_connections) return server;
  if (client.names_server == 0) client.names_server = server;
  const bool is_joined =
      client.names_server != server && catalogue.join(endpoint, client.names_server);
  return is_joined ? client.names_server : server;
}

}  // namespace iggy::conversation
