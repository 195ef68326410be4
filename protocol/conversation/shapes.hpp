// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What the body of a frame says of the generation: it reads by the tables of one alone.
//
// For connections that show nothing else. Goes by the front of a body alone, the same in both tools
// however much of it they keep, and says nothing where both generations could have sent it.
#pragma once

#include <cstdint>

#include "conversation/recognise.hpp"
#include "decode/facts.hpp"
#include "decode/window.hpp"

namespace iggy::conversation {

// `code` is that of the request that the reply answers; 0 where it is not known, and then only an
// operation of its own tells the body.
Evidence shape_of_reply(const decode::Facts& reply, std::uint32_t code, decode::Window body);

// A send whose batch has the flag of a producer: by its checksum where it is short, else by its
// rows.
Evidence shape_of_send(const decode::Facts& request, decode::Window body);

}  // namespace iggy::conversation
