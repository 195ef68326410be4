// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The report for people: verdicts first, then tables, then what could not be decoded. It is meant
// to be pasted into a ticket, so nothing in it needs colour or a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/model.hpp"

namespace analyzer::report {

struct TextOptions {
  std::size_t width = 100;  // columns
  bool colour = false;
  bool explains_info = false;  // findings of severity info are told like the others
};

std::string to_text(const Model& model, const TextOptions& options);

// The tables of it.
std::string clients_text(const Model& model, std::size_t width);
std::string servers_text(const Model& model, std::size_t width);
std::string replicas_text(const Model& model, std::size_t width);
std::string operations_text(const Model& model, std::size_t width);
std::string tcp_text(const Model& model, std::size_t width);
std::string empty_connections_text(const Model& model, std::size_t width);

}  // namespace analyzer::report
