// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Walks any layout over any bytes and stops the program when the walk breaks a promise.
//
// The first byte chooses the layout, the second how much of the rest was captured, the third how
// much more was sent; then come the bytes.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "../unit/support/walk_order.hpp"
#include "decode/walk.hpp"
#include "iggy/registry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const auto layouts = iggy::all_layouts();
  const iggy::describe::Layout& layout = *layouts[data[0] % layouts.size()];
  const std::size_t missing = data[1];
  const std::uint32_t unseen = data[2];
  const auto all = std::as_bytes(std::span(data, size)).subspan(3);
  const std::size_t captured = missing < all.size() ? all.size() - missing : all.size();
  const iggy::decode::Window window{all.first(captured),
                                    static_cast<std::uint32_t>(captured) + unseen};

  support::WalkOrder order(window, 0);
  iggy::decode::Walk walk(window, order);
  const bool complete = walk.read(layout);
  order.done(complete);
  if (order.broken_promise != nullptr) {
    std::fprintf(stderr, "broken promise: %s\n", order.broken_promise);
    std::abort();
  }
  return 0;
}
