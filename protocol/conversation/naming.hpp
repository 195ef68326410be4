// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What a request that was done, with its reply, tells of the names of things.
//
// Rows say what they identify, so this knows no command: two rows of one thing in one layout, a
// number and a text, are a pair; so are the text that a request names a thing by and the number
// that its reply tells of it. A row that its request removes ends what it names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "conversation/names.hpp"
#include "conversation/session.hpp"
#include "decode/facts.hpp"
#include "decode/window.hpp"
#include "iggy/dialect.hpp"
#include "iggy/generation.hpp"

namespace iggy::conversation {

// The front of a reply that is looked at: some thousand streams or topics.
inline constexpr std::uint32_t naming_bytes = 1U << 18;

// A frame and what of its body is known.
struct NamingFrame {
  decode::Facts facts;
  Dialect sender;
  decode::Window body;
  std::uint64_t packet = 0;  // of a reply
};

// `code` is the command of the request, one that tells_names holds for. A request without a body is
// left out, and so is one that was not captured.
void learn_names(NameCatalogue& catalogue, std::uint32_t server, std::uint32_t code,
                 const std::optional<NamingFrame>& request, const NamingFrame& reply);

// Whose names a connection tells on which that client has logged in: in 0.12 a client id is one
// session on all nodes of a cluster, and what one of them told of numbers holds for the others.
// Else `server`, which is that of the endpoint, and so where that has told names of its own.
std::uint32_t server_of_names(NameCatalogue& catalogue, ClientFacts& client, Generation generation,
                              std::uint32_t server, std::string_view endpoint);

}  // namespace iggy::conversation
