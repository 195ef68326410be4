// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Tries the shapes of login.hpp.
#include "decode/login.hpp"

#include <array>
#include <span>

#include "decode/utf8.hpp"
#include "decode/walk.hpp"
#include "iggy/legacy.hpp"
#include "iggy/login.hpp"
#include "iggy/registry.hpp"

namespace iggy::decode {
namespace {

using describe::Field;
using describe::Layout;

// Keeps what a login says of its client, and how the walk ended.
class LoginSink : public Check {
 public:
  explicit LoginSink(Login& login) : login_(login) {}

  void integer(const Field& field, std::uint64_t value, Range) {
    if (field.name == "protocol_version") login_.version.packed = static_cast<std::uint32_t>(value);
    if (field.name == "password_length") has_empty_password = value == 0;
  }
  void run(const Field& field, Bytes bytes, Range) {
    const std::string_view text = text_of(bytes);
    if (outer_ == "sdk_name") login_.sdk_name = text;
    if (outer_ == "sdk_version") {
      login_.sdk_version = text;
      login_.has_version = true;  // the last text of the version prefix
    }
    if (outer_ == "username") login_.user = text;
    if (field.name == "version") login_.sdk_version = text;
  }
  bool enter(const Field& field, const Layout&, std::uint32_t) {
    outer_ = field.name;
    return true;
  }
  void leave(const Field&, const Layout&, Range) { outer_ = {}; }
  void problem(const Problem& problem) {
    if (problem.kind == ProblemKind::trailing)
      trailing = true;
    else
      broken = problem.kind != ProblemKind::cut_by_capture;
    cut = cut || problem.kind == ProblemKind::cut_by_capture;
  }

  bool broken = false;
  bool cut = false;
  bool trailing = false;
  bool has_empty_password = false;

 private:
  Login& login_;
  std::string_view outer_;  // the group that is being read
};

// Keeps what a login reply tells.
class ReplySink : public Check {
 public:
  explicit ReplySink(LoginReply& reply) : reply_(reply) {}

  void integer(const Field& field, std::uint64_t value, Range) {
    if (field.name == "user_id") reply_.user_id = static_cast<std::uint32_t>(value);
    if (field.name == "session") reply_.session = value;
    if (field.name == "server_protocol_version")
      reply_.server_version_number.packed = static_cast<std::uint32_t>(value);
  }
  void run(const Field&, Bytes bytes, Range) { reply_.server_version = text_of(bytes); }

 private:
  LoginReply& reply_;
};

struct Shape {
  const Layout* layout;
  LoginKind kind;
  bool is_strict = false;  // must end exactly: another shape is more likely
};

bool is_printable(std::string_view text) {
  return consists_of(text, showable_length);
}

// A version that some client could announce, with names that some SDK could have.
bool is_plausible_prefix(const Login& login) {
  return login.version.stray_bits() == 0 && login.version.major() == 0 &&
         login.version >= first_announced_version && is_printable(login.sdk_name) &&
         is_printable(login.sdk_version);
}

// What reading the body with one shape gives; its `layout` is null when the shape does not fit.
struct Attempt {
  Login login;
  bool has_empty_password = false;
};

Attempt try_shape(Window body, const Shape& shape) {
  Attempt attempt;
  Login& login = attempt.login;
  login.kind = shape.kind;
  LoginSink sink(login);
  Walk walk(body, sink);
  walk.read(*shape.layout);
  if (!sink.broken && !sink.cut) walk.finish();
  attempt.has_empty_password = sink.has_empty_password;
  login.is_cut = sink.cut;
  login.has_trailing = sink.trailing;
  // Where the shape is in doubt, an unprintable name is a secret read with the wrong shape.
  const bool is_in_doubt = shape.is_strict || sink.trailing || shape.kind == LoginKind::legacy;
  const bool is_refused =
      (shape.is_strict && sink.trailing) || (is_in_doubt && !is_printable(login.user));
  login.layout = sink.broken || sink.cut || is_refused ? nullptr : shape.layout;
  return attempt;
}

// What is left of a login whose shape is not known: its version prefix, where that is one.
Login without_shape(const Login& login) {
  Login bare;
  bare.is_cut = login.is_cut;
  if (!login.has_version || !is_plausible_prefix(login)) return bare;
  bare.has_version = true;
  bare.version = login.version;
  bare.sdk_name = login.sdk_name;
  bare.sdk_version = login.sdk_version;
  return bare;
}

// The first shape that ends exactly; else the first that fits with bytes behind it; else the first
// one that the capture cut; else none. A server refuses an empty password and goes on to the token,
// so a password shape with one gives way to a token shape that fits.
Login choose(Window body, std::span<const Shape> shapes) {
  Login exact;
  Login fitting;
  Login rest;
  bool may_be_token = false;
  const bool is_cut = body.captured.size() < body.on_wire;
  for (const Shape& shape : shapes) {
    Attempt attempt = try_shape(body, shape);
    Login& login = attempt.login;
    if (is_cut) {  // what fits the captured part may be another shape in the whole
      login.layout = nullptr;
      login.is_cut = true;
    }
    if (login.layout != nullptr && may_be_token && login.kind == LoginKind::token) return login;
    may_be_token = may_be_token || (login.layout != nullptr && attempt.has_empty_password);
    if (login.layout != nullptr && !login.has_trailing && exact.layout == nullptr) {
      exact = login;
      if (!may_be_token) return exact;
    }
    if (login.layout != nullptr && login.has_trailing && fitting.layout == nullptr) fitting = login;
    const bool says_more =
        (login.is_cut && !rest.is_cut) || (login.has_version && !rest.has_version);
    if (login.layout == nullptr && says_more) rest = login;
  }
  if (exact.layout != nullptr) return exact;
  return fitting.layout != nullptr ? fitting : without_shape(rest);
}

constexpr Shape password{&login::login_register, LoginKind::password};
constexpr Shape token{&login::login_register_with_pat, LoginKind::token};
constexpr Shape secret_password{&login::login_register_with_secret, LoginKind::password};
constexpr Shape secret_token{&login::login_register_with_pat_with_secret, LoginKind::token};
constexpr Shape strict_password{&login::login_register, LoginKind::password, true};
constexpr Shape strict_token{&login::login_register_with_pat, LoginKind::token, true};
constexpr Shape without_version{&legacy::login, LoginKind::password, true};

}  // namespace

Login read_register(Window body) {
  // Builds between 0.11.1 and 0.12.0 announce 0.11.1 and may have the secret, so the shapes of 0.12
  // are tried for them as well, but last.
  static constexpr std::array before_0_12{password, token};
  static constexpr std::array between{password, token, secret_password, secret_token};
  static constexpr std::array from_0_12{secret_password, secret_token, strict_password,
                                        strict_token};
  static constexpr std::array of_v0{without_version};

  const bool has_number = body.captured.size() >= 4;
  const Version version{has_number ? load<std::uint32_t>(body.captured.data()) : 0};
  const Login login = version >= version_0_12_0   ? choose(body, from_0_12)
                      : version == version_0_11_1 ? choose(body, between)
                                                  : choose(body, before_0_12);
  if ((login.layout != nullptr && !login.has_trailing) || login.is_cut) return login;
  // Clients of v0 send no version: their body begins with the user's name.
  const Login older = choose(body, of_v0);
  return older.layout != nullptr && !older.has_trailing ? older : login;
}

Login read_bind(Window body) {
  // With bytes behind it, a wrong length of its name may have moved the secret into other rows.
  static constexpr std::array shapes{Shape{&login::session_bind, LoginKind::bind, true}};
  return choose(body, shapes);
}

Login read_legacy_login(Window body, std::uint32_t code) {
  static constexpr std::array by_password{Shape{&legacy::login, LoginKind::legacy, true},
                                          Shape{&legacy::short_login, LoginKind::legacy, true},
                                          Shape{&legacy::login, LoginKind::legacy}};
  static constexpr std::array by_token{Shape{&legacy::login_with_token, LoginKind::legacy}};
  return code == code::login ? choose(body, by_password) : choose(body, by_token);
}

LoginReply read_login_reply(Window body, const describe::Layout& layout) {
  LoginReply reply;
  ReplySink sink(reply);
  Walk walk(body, sink);
  reply.is_read = walk.read(layout);
  return reply;
}

}  // namespace iggy::decode
