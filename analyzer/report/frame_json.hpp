// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The JSON form of one frame, all but what depends on how its request ends.
#pragma once

#include <string_view>

#include "connection/connection.hpp"
#include "connection/frame.hpp"
#include "report/json_sink.hpp"
#include "report/json_writer.hpp"

namespace analyzer::report {

// Whether a frame's object may have a member at that dotted path; inside `header` and `body` the
// first row is checked, not what lies below it.
bool is_frame_path(std::string_view path);

// Writes the members into an object that the caller has begun and will end.
void write_frame(JsonWriter& json, const connection::Connection& connection,
                 const connection::Frame& frame, Shown shows);

}  // namespace analyzer::report
