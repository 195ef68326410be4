// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which of the login shapes a body has, and what it says of the client.
//
// Nothing on the wire names the shape: a server tries the password body, then the token body. The
// same is done here, with the shapes of 0.12 first where the announced version asks for them.
// Passwords, tokens and secrets are not kept.
#pragma once

#include <cstdint>
#include <string_view>

#include "decode/window.hpp"
#include "describe/field.hpp"
#include "iggy/generation.hpp"
#include "iggy/version.hpp"

namespace iggy::decode {

enum class LoginKind : std::uint8_t { unknown, password, token, bind, legacy };

struct Login {
  LoginKind kind = LoginKind::unknown;
  const describe::Layout* layout = nullptr;  // null: no shape fits
  // The capture does not hold the whole body. The shape is not known then, and with it where the
  // secrets lie: nothing but the version prefix is told.
  bool is_cut = false;
  bool has_trailing = false;  // bytes behind the shape, which servers accept
  bool has_version = false;   // the version prefix decodes, whatever follows it
  Version version;
  // Views into the body.
  std::string_view sdk_name;
  std::string_view sdk_version;  // of legacy bodies: the version text, which names the SDK at times
  std::string_view user;

  bool is_malformed() const { return layout == nullptr && !is_cut; }
};

// The body of a Register (operation 1).
Login read_register(Window body);
// The body of session.bind (code 15, 0.12).
Login read_bind(Window body);
// The bodies of the legacy codes 38 and 44, behind either framing.
Login read_legacy_login(Window body, std::uint32_t code);

// What a server tells of the session it opened.
struct LoginReply {
  bool is_read = false;  // the body holds all of it
  std::uint32_t user_id = 0;
  std::uint64_t session = 0;
  Version server_version_number;    // 0: this generation does not tell
  std::string_view server_version;  // a view into the body
};

// The body of the reply to a login, of the shape that `layout` gives (decode/body.hpp chooses it).
LoginReply read_login_reply(Window body, const describe::Layout& layout);

}  // namespace iggy::decode
