// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The main function of a sample's maker: writes the capture into the file that it is called with.
#pragma once

#include <cstdio>
#include <exception>

#include "support/iggy_frames.hpp"

namespace samples {

template <class Make>
int write_sample(int argc, char** argv, Make make) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  try {
    const support::Buffer bytes = make();
    std::FILE* const file = std::fopen(argv[1], "wb");
    const bool is_written =
        file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    if (file != nullptr && std::fclose(file) == 0 && is_written) return 0;
    std::perror(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  }
  return 1;
}

}  // namespace samples
