// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Columns of text that line up, and paragraphs that wrap.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace analyzer::report {

class Table {
 public:
  enum class Align : unsigned char { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
    bool may_go = false;  // left out where the table is too wide, or where it says nothing
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // As many cells as there are columns.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Lines indented by two, with a line of titles. The last column wraps when it is text; a table
  // that is too wide all the same is left so, since a cut number is worse than a long line.
  std::string render(std::size_t width) const;

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> shown_columns(const std::vector<std::size_t>& widths,
                                         std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that text takes in a terminal, near enough: one for each UTF-8 sequence.
std::size_t display_width(std::string_view text);

// Breaks `text` at blanks so that lines with their indent fit into `width`. The first line gets
// `first_indent` blanks, the others `indent`. Ends with a newline.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t first_indent);

}  // namespace analyzer::report
