// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The words of each finding, in one table. What a finding means is decided by the core.
#include "report/advice.hpp"

#include <fmt/format.h>

#include "iggy/releases.hpp"
#include "report/words.hpp"

namespace analyzer::report {

using iggy::GateRule;
using iggy::GateVerdict;
using iggy::Version;
using iggy::VersionWindow;

namespace {

// "protocol 0.11" or, where the number counts with its patch, "protocol 0.12.2".
std::string protocol_text(Version version) {
  return iggy::gate_rule_of(version) == GateRule::patch_ignored
             ? fmt::format("protocol {}.{}", version.major(), version.minor())
             : "protocol " + to_text(version);
}

std::string client_release(const connection::LoginRecord& login, Version version) {
  return fmt::format("a release of {} ({})", protocol_text(version),
                     release_text(login.sdk, version));
}

std::string server_release(Version version) {
  const std::string_view known = iggy::releases_of("server", version);
  if (iggy::gate_rule_of(version) == GateRule::patch_ignored)
    return known.empty() ? "one of " + protocol_text(version)
                         : fmt::format("one of {} ({})", protocol_text(version), known);
  return fmt::format("a build that announces exactly {}{} (0.12 servers accept one number)",
                     to_text(version), known.empty() ? "" : fmt::format(", {}", known));
}

// Whether any server ever spoke it: 0.10 was never released as a server of 256-byte headers.
bool has_servers(Version version) {
  return version >= iggy::version_0_11_0 && version.stray_bits() == 0 && version.major() == 0 &&
         version.minor() <= 12;
}

}  // namespace

std::string release_text(std::string_view sdk, Version version) {
  const Version plain = iggy::gate_rule_of(version) == GateRule::patch_ignored
                            ? iggy::make_version(version.major(), version.minor(), 0)
                            : version;
  const std::string_view known = iggy::releases_of(sdk, plain);
  if (!known.empty()) return std::string(known);
  return "for the Rust SDK: " + std::string(iggy::releases_of("rust-sdk", plain).empty()
                                                ? "none published"
                                                : iggy::releases_of("rust-sdk", plain));
}

std::string version_advice(VersionWindow window, const connection::LoginRecord& login) {
  if (!iggy::window_is_consistent(iggy::reason::incompatible_protocol, window))
    return "the eviction names no usable window, so compare the releases of both sides by hand";
  if (window.highest < iggy::version_0_11_0)
    return "move client and server to one release train: a server that accepts only 0.10 is a "
           "build "
           "that was never released";
  if (!login.has_version)
    return fmt::format("use a client that the server accepts: {}", to_text(window));
  const std::string fix = client_release(login, window.highest);
  if (login.version.stray_bits() != 0 || login.version.packed == 0)
    return fmt::format("the number that the client announces is no version; use {}", fix);
  switch (iggy::gate(window, login.version)) {
    case GateVerdict::too_old:
      return fmt::format("upgrade the client to {}", fix);
    case GateVerdict::too_new:
      return has_servers(login.version)
                 ? fmt::format("upgrade the server to {}, or pin the client to {}",
                               server_release(login.version), fix)
                 : fmt::format("pin the client to {}", fix);
    case GateVerdict::accepted:
      break;
  }
  return "by its own window the server should have accepted this version; report it, with this "
         "capture";
}

std::string status_4_advice(const connection::LoginRecord& login) {
  return fmt::format(
      "pin the client to {}, or upgrade the server to {}. The login body is not damaged",
      client_release(login, iggy::version_0_11_0), server_release(login.version));
}

}  // namespace analyzer::report
