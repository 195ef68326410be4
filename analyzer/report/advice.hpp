// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What to do about a refused version, in words that are right for the versions at hand.
#pragma once

#include <string>
#include <string_view>

#include "connection/frame.hpp"
#include "iggy/version.hpp"

namespace analyzer::report {

// For a client that was refused with this window. `login` may tell nothing.
std::string version_advice(iggy::VersionWindow window, const connection::LoginRecord& login);
// For a 0.12 client that a server of 0.11 refused with status 4, before looking at the version.
std::string status_4_advice(const connection::LoginRecord& login);
// "rust-sdk 0.11.0", or in general words where no release of that SDK is known.
std::string release_text(std::string_view sdk, iggy::Version version);

}  // namespace analyzer::report
