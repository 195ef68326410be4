// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wireshark's fields of the rows of all tables: iggy.<layout>.<row>.
//
// The rows that all 256-byte headers begin with, and the operation, code and status of any header,
// are one field each for all layouts: iggy.command, iggy.size, iggy.status and so on. Layouts of
// several generations that share a name share their fields.
#pragma once

#include "describe/field.hpp"

namespace plugin {

void register_rows(int protocol);

// Wireshark's number of the row's field, found by where the row stands. A secret row's field holds
// its length in bytes.
int id_of(const iggy::describe::Field& row);
// Of a secret row: the field that holds its value. It is only added where secrets are asked for.
int clear_id_of(const iggy::describe::Field& row);
// Of a row whose kind stands above it: the field that holds its value as text.
int text_id_of(const iggy::describe::Field& row);
// Whether the row nests a text behind its length and nothing else: its own field then holds the
// text, so that a filter need not name both.
bool is_counted_text(const iggy::describe::Field& row);
// How people read the row's name: "request_checksum" is "Request Checksum".
const char* label_of(const iggy::describe::Field& row);

}  // namespace plugin
