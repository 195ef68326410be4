// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Columns as wide as their cells, in the columns of a terminal.
#include "report/table.hpp"

#include <algorithm>

namespace analyzer::report {
namespace {

constexpr std::size_t indent_of_rows = 2;
constexpr std::size_t gap = 2;
// A last column that has less room than this is not wrapped.
constexpr std::size_t wrap_from = 20;

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::size_t used = display_width(text);
  if (used >= width) return text;
  const std::string blanks(width - used, ' ');
  return align == Table::Align::left ? text + blanks : blanks + text;
}

std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = display_width(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, display_width(row[i]));
    widths.push_back(widest);
  }
  return widths;
}

// All columns, less those that may go: where every cell is a dash, and while the table is too wide.
std::vector<std::size_t> Table::shown_columns(const std::vector<std::size_t>& widths,
                                              std::size_t width) const {
  std::vector<std::size_t> shown;
  std::size_t total = indent_of_rows;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool says_nothing =
        std::all_of(rows_.begin(), rows_.end(), [i](const auto& row) { return row[i] == "-"; });
    if (columns_[i].may_go && says_nothing) continue;
    total += widths[i] + (shown.empty() ? 0 : gap);
    shown.push_back(i);
  }
  for (std::size_t at = shown.size(); at-- > 0 && total > width;) {
    if (!columns_[shown[at]].may_go) continue;
    total -= widths[shown[at]] + gap;
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return shown;
}

std::string Table::render(std::size_t width) const {
  const std::vector<std::size_t> widest = widths();
  const std::vector<std::size_t> shown = shown_columns(widest, width);
  const auto line_of = [&](const auto& cell_of) {
    std::string line(indent_of_rows, ' ');
    for (const std::size_t i : shown) {
      if (i != shown.front()) line += std::string(gap, ' ');
      const std::size_t used = display_width(line);
      const bool wraps =
          i == shown.back() && columns_[i].align == Align::left && used + wrap_from < width;
      if (wraps) {
        std::string cell = wrapped(cell_of(i), width, used, 0);
        // The first line is not wrapped text but the rest of this one.
        if (used + display_width(cell_of(i)) > width)
          cell = wrapped(cell_of(i), width, used, used).substr(used);
        return trimmed(line + cell.substr(0, cell.size() - 1)) + "\n";
      }
      line += padded(cell_of(i), widest[i], columns_[i].align);
    }
    return trimmed(std::move(line)) + "\n";
  };
  std::string text = line_of([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) text += line_of([&](std::size_t i) { return row[i]; });
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t first_indent) {
  std::string out(first_indent, ' ');
  std::size_t used = first_indent;
  bool at_start = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t needed = display_width(word) + (at_start ? 0 : 1);
    if (!at_start && used + needed > width) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
      at_start = true;
    }
    if (!at_start) {
      out += ' ';
      ++used;
    }
    out += word;
    used += display_width(word);
    at_start = false;
  }
  return out + '\n';
}

}  // namespace analyzer::report
