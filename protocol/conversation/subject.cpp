// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Reads the rows that a subject names, and writes them in its order.
#include "conversation/subject.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "decode/message_rows.hpp"
#include "decode/text.hpp"
#include "decode/typed_value.hpp"
#include "decode/walk.hpp"
#include "describe/subject.hpp"
#include "iggy/exchanges.hpp"
#include "iggy/registry.hpp"

namespace iggy::conversation {
namespace {

using decode::Bytes;
using decode::Range;
using decode::text_of;
using decode::U128;
using decode::Window;
using describe::Field;
using describe::Kind;
using describe::Layout;
using describe::Piece;

// What a line says besides: the longest names of an error and a command, numbers and a time.
constexpr std::size_t room_around = 256;
// Elements of a list that a line shows.
constexpr std::size_t list_head = 3;

// One value of a row.
struct Item {
  U128 number;  // of numbers
  Range range;
  std::uint8_t kind = 0;  // of bytes: how they lie, where a row above tells
  bool is_cut = false;    // of a group: the capture ends in it

  // What lies in a group: of one that is cut all that is left, however long it says it is.
  Window inside(Window around) const {
    if (!is_cut) return decode::whole(around.captured.subspan(range.offset, range.length));
    return {around.captured.subspan(range.offset), around.on_wire - range.offset};
  }
};

// What was found of the row that a piece names.
struct Found {
  Piece piece;
  const Field* field = nullptr;  // null: it does not stand there
  std::array<Item, list_head> items{};
  std::size_t count = 0;
  bool has_more = false;

  std::size_t limit() const { return piece.is_first_only ? 1 : list_head; }
  bool has_room() const { return count < limit(); }
  void add(const Field& row, const Item& item) {
    field = &row;
    if (has_room())
      items[count++] = item;
    else
      has_more = true;
  }
};

// Whether a piece has something to say of this number.
bool is_wanted(const Piece& piece, const Field& field, U128 number) {
  if (piece.is_unless_zero) return !number.is_zero();
  if (piece.is_only_zero) return number.is_zero();
  return !piece.is_only_ones || is_all_ones(field, number.low);
}

// Finds the rows of one layout that its subject names. What is nested is only found, not read.
class Finder : public decode::Check {
 public:
  explicit Finder(std::string_view subject) {
    while (!subject.empty() && size_ < found_.size())
      found_[size_++].piece = describe::take_piece(subject);
  }
  explicit Finder(const Piece& piece) : size_(1) { found_[0].piece = piece; }

  void integer(const Field& field, std::uint64_t value, Range range) {
    if (depth_ > 0) return;
    note(field, {{value, 0}, range});
    previous_ = value;
    kinds_.note(field, value);
  }
  void wide(const Field& field, U128 value, Range range) { note(field, {value, range}); }
  void run(const Field& field, Bytes, Range range) {
    if (depth_ == 0) note(field, {{}, range, kinds_.take(field).value_or(0)});
  }
  void list(const Field& field, std::uint32_t) {
    if (depth_ == 0) list_ = find(field);
  }
  bool enter(const Field& field, const Layout&, std::uint32_t) {
    Found* const found = depth_ == 0 ? find(field) : nullptr;
    if (found == nullptr) return false;
    if (!found->has_room()) {
      found->has_more = true;
      return false;
    }
    ++depth_;
    return true;
  }
  void leave(const Field& field, const Layout&, Range range) {
    --depth_;
    note(field, {{}, range, 0, is_cut_});
  }
  void problem(const decode::Problem& problem) {
    if (list_ != nullptr) list_->has_more = true;
    if (problem.kind == decode::ProblemKind::cut_by_capture) is_cut_ = true;
  }

  bool is_cut() const { return is_cut_; }

  const Found* begin() const { return found_.data(); }
  const Found* end() const { return found_.data() + size_; }

 private:
  Found* find(const Field& field) {
    const auto named = [&field](const Found& found) { return found.piece.row == field.name; };
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(size_);
    const auto found = std::find_if(found_.begin(), end, named);
    return found == end ? nullptr : &*found;
  }

  // A row that is named twice, for two rows below it, is kept twice.
  void note(const Field& field, const Item& item) {
    if (depth_ > 0) return;
    if (!is_list(field)) list_ = nullptr;
    if (!is_meant(field, previous_) || !is_for_everybody(field)) return;
    for (Found& found : found_) {
      if (found.piece.row == field.name && is_wanted(found.piece, field, item.number))
        found.add(field, item);
    }
  }

  std::array<Found, describe::max_pieces> found_{};
  std::size_t size_ = 0;
  std::uint64_t previous_ = 0;  // of the number above
  decode::NextKind kinds_;
  bool is_cut_ = false;
  Found* list_ = nullptr;  // that is being read
  int depth_ = 0;
};

// A number with its name, or with its noun.
void add_number(const Field& field, std::uint64_t value, std::string_view noun, Line& line) {
  const std::string_view name = describe::name_of(field, value);
  if (!name.empty())
    line.add(name);
  else if (field.shape == describe::Shape::version)
    line.add_version({static_cast<std::uint32_t>(value)});
  else if (field.shape == describe::Shape::duration)
    line.add(decode::duration_text(value).text());
  else if (field.shape == describe::Shape::or_none && is_all_ones(field, value))
    line.add("none");
  else
    line.add_number(value);
  if (!noun.empty()) line.add(" ").add(noun).add(value == 1 ? "" : "s");
}

// The number at the path of a piece, where it is there.
std::optional<std::uint64_t> number_at(const Layout& layout, const Piece& piece, Window window) {
  Finder finder(piece);
  decode::Walk(window, finder).read(layout);
  const Found& found = *finder.begin();
  if (found.count == 0) return std::nullopt;
  const Item& item = found.items[0];
  if (piece.nested.empty()) return item.number.low;
  return number_at(*found.field->layout, describe::piece_of(piece.nested), item.inside(window));
}

std::optional<std::uint64_t> sum_at(const Layout& layout, const Piece& piece, Window window) {
  const auto base = number_at(layout, piece, window);
  const auto more = number_at(layout, describe::piece_of(piece.addend), window);
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  if (!base || !more || *more > most - *base) return std::nullopt;
  return *base + *more;
}

// What separates a piece from those before it, where there are none.
std::string_view without_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
  return text;
}

class Writer {
 public:
  Writer(const KnownNames& names, Line& line)
      : names_(names), line_(line), begin_(line.text().size()) {}

  // Writes what the finder looks for of a layout whose bytes are the window.
  void write(const Layout& layout, Finder finder, Window window) {
    decode::Walk(window, finder).read(layout);
    write_found(layout, finder, window);
  }
  // The same of a body; false where it breaks off, and so is none of that layout.
  bool write_body(const Layout& layout, Finder finder, Window window) {
    const bool is_whole = decode::Walk(window, finder).read(layout);
    write_found(layout, finder, window);
    return is_whole || finder.is_cut();
  }

 private:
  void write_found(const Layout& layout, const Finder& finder, Window window) {
    for (const Found& found : finder) {
      if (found.count == 0 || line_.is_full()) continue;
      const std::size_t start = line_.text().size();
      line_.add(start == begin_ ? without_space(found.piece.before) : found.piece.before);
      const std::size_t empty = line_.text().size();
      const bool was_quoted = std::exchange(is_quoted_, is_quoted_ || found.piece.is_quoted);
      write_items(layout, found, window);
      is_quoted_ = was_quoted;
      if (line_.text().size() == empty)
        line_.cut_to(start);
      else
        line_.add(found.piece.after);
    }
  }

  void write_items(const Layout& layout, const Found& found, Window window) {
    const std::size_t start = line_.text().size();
    if (!found.piece.addend.empty()) {
      const auto sum = sum_at(layout, found.piece, window);
      if (sum) add_number(*found.field, *sum, found.piece.noun, line_);
      return;
    }
    const auto separator = [this, start] { return line_.text().size() == start ? "" : ", "; };
    for (std::size_t i = 0; i < found.count; ++i) {
      const std::size_t before = line_.text().size();
      line_.add(separator());
      const std::size_t empty = line_.text().size();
      write_item(layout, found, found.items[i], window);
      if (line_.text().size() == empty) line_.cut_to(before);
    }
    if (found.has_more && !found.piece.is_first_only) line_.add(separator()).add("...");
  }

  void write_item(const Layout& layout, const Found& found, const Item& item, Window window) {
    const Field& field = *found.field;
    const Bytes bytes = window.captured.subspan(item.range.offset, item.range.length);
    switch (field.kind) {
      case Kind::u8:
      case Kind::u16:
      case Kind::u32:
      case Kind::u64:
        add_number(field, item.number.low, found.piece.noun, line_);
        if (!describe::is_told_twice(layout, field))
          add_name(field.thing == Thing::none ? around_ : field.thing, item.number.low);
        break;
      case Kind::u128:
        line_.add(decode::hex(item.number).text());
        break;
      case Kind::bytes:
        if (item.kind != 0)
          write_typed(field, item.kind, bytes);
        else
          write_text(text_of(bytes));
        break;
      case Kind::text:
        write_text(text_of(bytes));
        take_name(text_of(bytes));
        break;
      case Kind::group:
        write_group(field, found.piece, item.inside(window));
        break;
      case Kind::f32:
      case Kind::zero:
      case Kind::rest:
        break;
    }
  }

  void write_text(std::string_view text) {
    if (is_quoted_)
      line_.add_quoted(text);
    else
      line_.add_from_wire(text);
  }

  // A key or a value. What is a time of an option is told as one.
  void write_typed(const Field& field, std::uint8_t kind, Bytes bytes) {
    const Option* const key = option_of(field, text_of(bytes));
    const decode::TypedValue value = decode::read_typed(kind, bytes);
    const bool is_value = key == nullptr && option_ != nullptr;
    const decode::ShortText means =
        is_value ? decode::meaning_of(*option_, value) : decode::ShortText{};
    option_ = key;
    if (means.is_empty())
      add_typed(line_, value);
    else
      line_.add(means.text());
  }

  void write_group(const Field& field, const Piece& piece, Window window) {
    const Thing outer = around_;
    if (field.thing != Thing::none) around_ = field.thing;
    if (!piece.nested.empty())
      write(*field.layout, Finder(describe::piece_of(piece.nested, piece.noun)), window);
    else
      write(*field.layout, Finder(field.layout->subject), window);
    around_ = outer;
  }

  // The name of a thing behind its number. What is written next may lie in it.
  void add_name(Thing thing, std::uint64_t number) {
    const std::optional<NameKey> key = scope_.key_of(thing, number);
    if (thing == Thing::none || !key) return;
    scope_.enter(thing, key->number);
    const std::string_view name = names_.name_of(*key);
    if (!name.empty()) line_.add("(").add_from_wire(name).add(")");
  }

  // Of a thing that is named by its text only what lies in it needs its number.
  void take_name(std::string_view text) {
    const std::optional<NameKey> key = scope_.key_of(around_, 0);
    if (around_ != Thing::none && key) scope_.enter(around_, names_.number_of(*key, text));
  }

  const KnownNames& names_;
  Line& line_;
  std::size_t begin_;               // of what is written
  bool is_quoted_ = false;          // whether each text is
  const Option* option_ = nullptr;  // whose value comes next
  Thing around_ = Thing::none;      // what the rows at hand identify, by the group they are in
  NameScope scope_;
};

constexpr std::string_view older_note = ", messages as before 0.11.0-edge.4";

// Whether a message without a batch around it stands in a body.
bool tells_message(const Layout& layout, Window body) {
  struct Sink : decode::Check {
    bool enter(const Field&, const Layout& inner, std::uint32_t) {
      reader.enter(inner);
      return !reader.is_in_message();
    }
    decode::MessageReader reader;
  };
  Sink sink;
  decode::Walk(body, sink).read(layout);
  return sink.reader.is_older();
}

// Whether a command that was done may be answered with more than that.
bool has_answer(Dialect sender, std::uint32_t code) {
  const CommandBodies* const bodies = find_bodies(sender, code);
  return bodies != nullptr && bodies->reply.layout != nullptr &&
         !bodies->reply.layout->fields.empty();
}

// Of a reply that may say something, no bytes at all say another thing than a count of 0.
std::string_view text_of_empty(const decode::Facts& reply, Dialect sender, std::uint32_t code) {
  if (reply.is(Command::Reply) && tells_nothing_done(reply.operation, code))
    return "empty reply: nothing was done";
  const decode::BodyPlan plan = decode::plan_body(reply, sender, code, {});
  if (plan.state == decode::BodyState::missing) return "body is missing";
  return has_answer(sender, code) ? "empty reply" : std::string_view{};
}

}  // namespace

Window subject_front(Window body) {
  return {body.captured.first(std::min<std::size_t>(body.captured.size(), subject_bytes)),
          body.on_wire};
}

std::optional<std::uint64_t> number_in(const decode::BodyPlan& plan, Window body,
                                       std::string_view path) {
  if (plan.layout == nullptr || decode::is_hidden(plan, false)) return std::nullopt;
  return number_at(*plan.layout, describe::piece_of(path), subject_front(body));
}

void add_subject(const Layout& layout, Bytes header, Line& line) {
  Writer(KnownNames{}, line).write(layout, Finder(layout.subject), decode::whole(header));
}

void add_subject(const decode::BodyPlan& plan, Window body, const KnownNames& names, Line& line) {
  line.leave_room(room_around);
  if (plan.state == decode::BodyState::malformed) line.add("malformed");
  if (plan.layout == nullptr || decode::is_hidden(plan, false)) return;
  // The subject of a reply is that of its payload.
  constexpr std::string_view payload = "{payload}";
  const auto write = [&](const Layout& layout) {
    const Finder finder(layout.subject.empty() ? payload : layout.subject);
    return Writer(names, line).write_body(layout, finder, subject_front(body));
  };
  const std::size_t begin = line.text().size();
  if (write(*plan.layout)) {
    if (plan.is_older && tells_message(*plan.layout, subject_front(body))) line.add(older_note);
    return;
  }
  if (const Layout* const older = decode::older_messages(*plan.layout, subject_front(body))) {
    line.cut_to(begin);
    write(*older);
    line.add(older_note);
    return;
  }
  line.add(line.text().size() == begin ? "" : ", ").add("body breaks off");
}

void add_subject(const decode::Facts& facts, Dialect sender, std::uint32_t code, Window body,
                 const KnownNames& names, Line& line) {
  if (facts.is_reply() && facts.status == 0 && body.on_wire == 0) {
    line.add(text_of_empty(facts, sender, code));
    return;
  }
  const Window front = subject_front(body);
  add_subject(decode::plan_body(facts, sender, code, front), front, names, line);
}

}  // namespace iggy::conversation
