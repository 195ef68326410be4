// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the line of a frame says of its body, by the subjects that stand beside the layouts.
//
// Only the front of a body is looked at, and of a list only its head. What a body does not hold,
// or nobody may see, is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "conversation/line.hpp"
#include "conversation/names.hpp"
#include "decode/body.hpp"
#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "iggy/generation.hpp"

namespace iggy::conversation {

// How much of a body a subject needs: the longest names of a stream, a topic, a consumer and a key
// with the header of a batch behind them are half of it.
inline constexpr std::uint32_t subject_bytes = 4096;

// The front of a body. Both tools look at no more of it, so that both say the same.
decode::Window subject_front(decode::Window body);

// The number in the row of a body at this path, as subjects write it ("metadata.messages_count");
// nothing where it does not stand in the front of the body.
std::optional<std::uint64_t> number_in(const decode::BodyPlan& plan, decode::Window body,
                                       std::string_view path);

// Adds the subject of a frame to the line; nothing where there is none. `code` is that of
// plan_body. Behind a number stands its name in parentheses, where earlier replies told it.
void add_subject(const decode::Facts& facts, Dialect sender, std::uint32_t code,
                 decode::Window body, const KnownNames& names, Line& line);
// What the rows of a header say, where its layout has a subject.
void add_subject(const describe::Layout& layout, decode::Bytes header, Line& line);
// Of a body whose layout is known.
void add_subject(const decode::BodyPlan& plan, decode::Window body, const KnownNames& names,
                 Line& line);

}  // namespace iggy::conversation
