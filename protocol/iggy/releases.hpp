// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which published releases speak which protocol version: what advice may name.
//
// Strings never decide which version is spoken; the packed number does. Which builds differ though
// they announce one number is told in trains.hpp. Source: tags and manifests of apache/iggy.
#pragma once

#include <span>
#include <string_view>

#include "iggy/version.hpp"

namespace iggy {

struct Release {
  std::string_view sdk;  // sdk_name in the login, or "server"
  Version announced;
  std::string_view releases;  // as people name them
};

// Releases of an SDK (or "server") that announce `version`; empty when none is published.
std::string_view releases_of(std::string_view sdk, Version version);

}  // namespace iggy
