// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The words of a subject: the text beside a layout that says how a line of a frame tells of it.
//
// "{stream_id}/{topic_id}[{partition}] {strategy} {count}" names rows of the layout. What stands in
// front of a row is shown with it and not without it; closing brackets right behind a row belong to
// it, as does all that follows the last one. Of a row in quotes each text stands in such. A row
// that is not there, or of which there is nothing to say, is left out. Inside the braces:
//   {stream}            a number, a text, or the subject of what the row nests; of a list its head
//   {stream.name}       what is nested, one row of it
//   {batches[0].count}  of a list the first element alone
//   {count|message}     a number with its noun: "1 message", "7 messages"
//   {status?}           a number that says nothing where it is 0
//   {count!}            a number that says nothing unless it is 0
//   {partition_id~}     a number that says nothing unless all its bits are 1
//   {base+list[0].more} the sum of two numbers; nothing where one of them is not there
// Nothing here reads bytes.
#pragma once

#include <cstddef>
#include <string_view>

#include "describe/field.hpp"

namespace iggy::describe {

// One row of a subject, and the text that goes with it.
struct Piece {
  std::string_view before;
  std::string_view row;
  std::string_view nested;  // the path below the row; empty: the row as a whole
  std::string_view addend;  // the path of a number that is added; empty: no sum
  std::string_view noun;
  std::string_view after;
  bool is_quoted = false;       // "{row}"
  bool is_first_only = false;   // of a list
  bool is_unless_zero = false;  // of a number
  bool is_only_zero = false;    // likewise
  bool is_only_ones = false;    // likewise
};

// Pieces that a subject has at most.
inline constexpr std::size_t max_pieces = 7;

// The part of a text up to a sign, which with the sign is taken off it; all of it without one.
constexpr std::string_view take_until(std::string_view& text, char sign) {
  const std::size_t end = text.find(sign);
  const std::string_view front = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return front;
}

// The piece that a path stands for.
constexpr Piece piece_of(std::string_view path, std::string_view noun = {}) {
  constexpr std::string_view first = "[0]";
  Piece piece;
  piece.addend = path;
  path = take_until(piece.addend, '+');
  piece.row = take_until(path, '.');
  piece.nested = path;
  piece.noun = noun;
  piece.is_first_only = piece.row.ends_with(first);
  if (piece.is_first_only) piece.row.remove_suffix(first.size());
  piece.is_unless_zero = piece.row.ends_with('?');
  piece.is_only_zero = piece.row.ends_with('!');
  piece.is_only_ones = piece.row.ends_with('~');
  if (piece.is_unless_zero || piece.is_only_zero || piece.is_only_ones) piece.row.remove_suffix(1);
  return piece;
}

// Takes the next piece off the front of `subject`; a piece without a row: there is none.
constexpr Piece take_piece(std::string_view& subject) {
  constexpr std::string_view closing = "])";
  std::string_view before = take_until(subject, '{');
  std::string_view noun = take_until(subject, '}');
  const std::string_view path = take_until(noun, '|');
  const bool is_quoted = before.ends_with('"') && subject.starts_with('"');
  if (is_quoted) {
    before.remove_suffix(1);
    subject.remove_prefix(1);
  }
  const bool is_last = subject.find('{') == std::string_view::npos;
  const std::size_t behind = is_last ? subject.size() : subject.find_first_not_of(closing);
  Piece piece = piece_of(path, noun);
  piece.before = before;
  piece.is_quoted = is_quoted;
  piece.after = subject.substr(0, behind);
  subject.remove_prefix(behind);
  return piece;
}

// A line never tells what somebody may not see.
constexpr bool is_for_everybody(const Field& field) {
  return !is_secret(field) && !is_payload(field);
}

constexpr bool fits_row(const Field& field, const Piece& piece);

// Whether the path names a row of the layout or of what it nests.
constexpr bool has_path(const Layout& layout, const Piece& piece) {
  for (const Field& field : layout.fields)
    if (field.name == piece.row && fits_row(field, piece)) return true;
  return false;
}

constexpr bool fits_row(const Field& field, const Piece& piece) {
  if (!is_for_everybody(field)) return false;
  if (piece.is_first_only && !is_list(field)) return false;
  const bool is_about_number =
      !piece.noun.empty() || piece.is_unless_zero || piece.is_only_zero || piece.is_only_ones;
  if (piece.nested.empty()) return !is_about_number || is_number(field);
  if (field.kind != Kind::group) return false;
  return has_path(*field.layout, piece_of(piece.nested, piece.noun));
}

// The same of both paths of a sum, which are those of numbers.
constexpr bool fits_layout(const Layout& layout, Piece piece) {
  if (piece.addend.empty()) return has_path(layout, piece);
  if (piece.noun.empty()) piece.noun = "number";
  return has_path(layout, piece) && has_path(layout, piece_of(piece.addend, piece.noun));
}

// Whether every row that the subject names is there and no secret, and the pieces are not too many.
constexpr bool has_fitting_subject(const Layout& layout) {
  std::string_view subject = layout.subject;
  for (std::size_t pieces = 0; !subject.empty(); ++pieces)
    if (pieces == max_pieces || !fits_layout(layout, take_piece(subject))) return false;
  return true;
}

}  // namespace iggy::describe
