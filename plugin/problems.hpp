// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is said of a problem. Items are present.cpp's business.
#pragma once

#include <cstdint>

#include "plugin/epan.hpp"
#include "plugin/tape.hpp"

namespace plugin {

// The sentence of an event of that kind, in the memory of the pool.
const char* text_of_problem(wmem_allocator_t* pool, const Event& event);
// How many bytes are wrong, as far as they are there.
std::uint32_t bytes_of_problem(const Event& event);

}  // namespace plugin
