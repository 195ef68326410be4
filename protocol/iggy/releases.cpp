// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which releases announce which protocol version. A row for each published release; what is not
// listed here is not guessed.
#include "iggy/releases.hpp"

namespace iggy {
namespace {

constexpr Version v(std::uint32_t minor, std::uint32_t patch) {
  return make_version(0, minor, patch);
}

// clang-format off
constexpr Release releases[] = {
    {"rust-sdk",   v(11, 0), "rust-sdk 0.11.0"},
    {"rust-sdk",   v(11, 1), "rust-sdk 0.11.1-edge.1"},
    {"rust-sdk",   v(12, 0), "rust-sdk 0.11.1-edge.2 to edge.5"},
    {"rust-sdk",   v(12, 1), "rust-sdk 0.11.1-edge.6"},
    {"rust-sdk",   v(12, 2), "rust-sdk 0.11.1-edge.7 to edge.9"},
    {"node-sdk",   v(11, 0), "node-sdk 0.10.0"},
    {"go-sdk",     v(11, 0), "go-sdk 0.9.0"},
    {"csharp-sdk", v(11, 0), "csharp-sdk 0.9.0"},
    {"java-sdk",   v(11, 0), "java-sdk 0.9.0"},
    {"server",     v(11, 0), "server 0.9.0"},
    {"server",     v(12, 0), "server 0.10.0"},
};
// clang-format on

}  // namespace

std::string_view releases_of(std::string_view sdk, Version version) {
  for (const Release& release : releases)
    if (release.sdk == sdk && release.announced == version) return release.releases;
  return {};
}

}  // namespace iggy
