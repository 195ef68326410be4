// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Which shape a login has: passwords and tokens, with and without the secret of 0.12, older and
// legacy bodies, trailing bytes, and what is malformed or cut.
#include "decode/login.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "iggy/legacy.hpp"
#include "iggy/login.hpp"
#include "support/iggy_frames.hpp"

namespace iggy::decode {
namespace {

using support::Buffer;
using support::joined;
using support::legacy_login_body;
using support::password_body;
using support::short_text;
using support::token_body;

Login whole_register(const Buffer& body) {
  return read_register(whole(body));
}

// The first `size` bytes of a body that was sent whole, in a buffer of exactly that size.
Login cut_register(const Buffer& body, std::size_t size) {
  const Buffer piece = support::cut(body, size);
  const Buffer exact(piece);
  Login login = read_register({exact, static_cast<std::uint32_t>(body.size())});
  login.sdk_name = {};  // these views die with the buffer
  login.sdk_version = {};
  login.user = login.user.empty() ? std::string_view() : std::string_view("somebody");
  return login;
}

TEST(Login, PasswordOf011) {
  const Buffer body = password_body();
  const Login login = whole_register(body);
  EXPECT_EQ(login.kind, LoginKind::password);
  EXPECT_EQ(login.layout, &login::login_register);
  EXPECT_EQ(login.version, version_0_11_0);
  EXPECT_TRUE(login.has_version);
  EXPECT_EQ(login.sdk_name, "rust-sdk");
  EXPECT_EQ(login.sdk_version, "0.11.0");
  EXPECT_EQ(login.user, "iggy");
  EXPECT_FALSE(login.is_cut || login.has_trailing || login.is_malformed());
}

TEST(Login, TokenOf011KeepsNoToken) {
  const Buffer body = token_body();
  const Login login = whole_register(body);
  EXPECT_EQ(login.kind, LoginKind::token);
  EXPECT_EQ(login.layout, &login::login_register_with_pat);
  EXPECT_EQ(login.user, "");
  EXPECT_EQ(login.sdk_name, "rust-sdk");
}

TEST(Login, ContextMakesNoDifference) {
  const Buffer password = password_body({.context = "some context"});
  const Buffer token = token_body({.context = "some context"});
  EXPECT_EQ(whole_register(password).kind, LoginKind::password);
  EXPECT_EQ(whole_register(token).kind, LoginKind::token);
}

TEST(Login, SecretOf012) {
  const Version version = make_version(0, 12, 2);
  const Buffer password = password_body({.version = version, .secret = true});
  const Buffer token = token_body({.version = version, .secret = true});
  EXPECT_EQ(whole_register(password).layout, &login::login_register_with_secret);
  EXPECT_EQ(whole_register(password).user, "iggy");
  EXPECT_EQ(whole_register(token).layout, &login::login_register_with_pat_with_secret);
  EXPECT_EQ(whole_register(token).user, "");
}

TEST(Login, Version012WithoutASecretIsReadAllTheSame) {
  const Buffer body = password_body({.version = version_0_12_0});
  EXPECT_EQ(whole_register(body).layout, &login::login_register);
}

TEST(Login, Version0111MayHaveTheSecret) {
  const Buffer without = password_body({.version = version_0_11_1});
  const Buffer with = password_body({.version = version_0_11_1, .secret = true});
  const Buffer token = token_body({.version = version_0_11_1, .secret = true});
  EXPECT_EQ(whole_register(without).layout, &login::login_register);
  EXPECT_EQ(whole_register(with).layout, &login::login_register_with_secret);
  EXPECT_EQ(whole_register(token).layout, &login::login_register_with_pat_with_secret);
}

TEST(Login, Version0110NeverHasTheSecret) {
  const Buffer body = password_body({.secret = true});
  const Login login = whole_register(body);
  EXPECT_NE(login.layout, &login::login_register_with_secret);
}

TEST(Login, TrailingBytesMeanThePasswordShape) {
  const Buffer body = joined({password_body(), support::bytes_of("more")});
  const Login login = whole_register(body);
  EXPECT_EQ(login.layout, &login::login_register);
  EXPECT_TRUE(login.has_trailing);
  EXPECT_FALSE(login.is_malformed());
}

TEST(Login, ExactTokenWinsOverPasswordWithTrailingBytes) {
  // As a password body this reads as user, empty password, empty context and one byte more.
  const Buffer body = token_body({.context = std::string(1, '\0')});
  EXPECT_EQ(whole_register(body).kind, LoginKind::token);
}

TEST(Login, OfV0HasNoVersion) {
  const Buffer body = legacy_login_body("iggy");
  const Login login = whole_register(body);
  EXPECT_EQ(login.layout, &legacy::login);
  EXPECT_EQ(login.kind, LoginKind::password);
  EXPECT_FALSE(login.has_version);
  EXPECT_EQ(login.user, "iggy");
}

TEST(Login, MalformedKeepsTheVersionAndNoName) {
  const Buffer body = joined({support::login_prefix({}), short_text("iggy"), {std::byte{200}}});
  const Login login = whole_register(body);
  EXPECT_TRUE(login.is_malformed());
  EXPECT_EQ(login.kind, LoginKind::unknown);
  EXPECT_TRUE(login.has_version);
  EXPECT_EQ(login.version, version_0_11_0);
  EXPECT_EQ(login.sdk_name, "rust-sdk");
  EXPECT_EQ(login.user, "");
}

TEST(Login, MalformedFromTheStart) {
  EXPECT_TRUE(whole_register({}).is_malformed());
  EXPECT_TRUE(whole_register(support::bytes_of({1, 2, 3})).is_malformed());
  EXPECT_FALSE(whole_register(support::bytes_of({1, 2, 3})).has_version);
}

// Servers read what was sent: a body that ends early is malformed wherever it ends.
TEST(Login, EveryShorterBodyIsMalformedOrAnotherShape) {
  const Buffer body = password_body();
  for (std::size_t size = 0; size < body.size(); ++size) {
    const Buffer shorter(support::cut(body, size));
    const Login login = whole_register(shorter);
    EXPECT_FALSE(login.layout == &login::login_register && !login.has_trailing) << size;
    EXPECT_FALSE(login.is_cut) << size;
  }
}

TEST(Login, CutByTheCaptureIsNotMalformed) {
  const Version version = make_version(0, 12, 2);
  for (const Buffer& body :
       {password_body(), token_body(), password_body({.version = version, .secret = true}),
        token_body({.version = version, .secret = true}),
        password_body({.version = version_0_11_1, .secret = true})}) {
    for (std::size_t size = 0; size < body.size(); ++size) {
      const Login login = cut_register(body, size);
      EXPECT_TRUE(login.is_cut) << size;
      EXPECT_FALSE(login.is_malformed()) << size;
      EXPECT_EQ(login.layout, nullptr) << size;
    }
  }
}

TEST(Login, CutV0LoginIsNotMalformed) {
  const Buffer body = legacy_login_body();
  for (std::size_t size = 5; size < body.size(); ++size)
    EXPECT_FALSE(cut_register(body, size).is_malformed()) << size;
}

// A token login that is cut behind its token fits the password shape as far as it goes, with the
// token as the user's name.
TEST(Login, CutTokenIsNoUserName) {
  const Buffer body = token_body();
  for (std::size_t size = 0; size < body.size(); ++size)
    EXPECT_EQ(cut_register(body, size).user, "") << size;
}

// The same by bytes behind the body, which make the token a user without a password.
TEST(Login, TokenWithTrailingZerosIsNoUserName) {
  const Buffer body = joined({token_body(), Buffer(2)});
  EXPECT_EQ(whole_register(body).user, "");
}

TEST(Login, CutPasswordNamesNobodyEither) {
  const Buffer body = password_body();
  EXPECT_EQ(cut_register(body, body.size() - 1).user, "");
}

TEST(Login, Legacy38) {
  const Buffer with_version = legacy_login_body("someone", "0.6.0");
  const Login login = read_legacy_login(whole(with_version), 38);
  EXPECT_EQ(login.kind, LoginKind::legacy);
  EXPECT_EQ(login.layout, &legacy::login);
  EXPECT_EQ(login.user, "someone");
  EXPECT_EQ(login.sdk_version, "0.6.0");
  const Buffer shorter = joined({short_text("someone"), short_text("a-password")});
  EXPECT_EQ(read_legacy_login(whole(shorter), 38).layout, &legacy::short_login);
  EXPECT_EQ(read_legacy_login(whole(shorter), 38).user, "someone");
}

TEST(Login, Legacy44KeepsNoToken) {
  const Buffer body = short_text("a-token");
  const Login login = read_legacy_login(whole(body), 44);
  EXPECT_EQ(login.kind, LoginKind::legacy);
  EXPECT_EQ(login.layout, &legacy::login_with_token);
  EXPECT_EQ(login.user, "");
  EXPECT_TRUE(read_legacy_login(whole(Buffer{}), 44).is_malformed());
}

TEST(Login, BindOf012) {
  const Buffer body =
      joined({support::login_prefix({.version = version_0_12_0}),
              support::little().u64(1).u64(2).u64(5).u64(9).buffer(), support::bind_secret()});
  const Login login = read_bind(whole(body));
  EXPECT_EQ(login.kind, LoginKind::bind);
  EXPECT_EQ(login.layout, &login::session_bind);
  EXPECT_EQ(login.version, version_0_12_0);
  EXPECT_TRUE(read_bind(whole(support::cut(body, body.size() - 1))).is_malformed());
}

TEST(LoginReply, OfAServer) {
  const Buffer body = support::login_reply_body(version_0_11_0, "0.9.0");
  const LoginReply reply = read_login_reply(whole(body), login::register_reply);
  EXPECT_TRUE(reply.is_read);
  EXPECT_EQ(reply.user_id, 1U);
  EXPECT_EQ(reply.session, 5U);
  EXPECT_EQ(reply.server_version_number, version_0_11_0);
  EXPECT_EQ(reply.server_version, "0.9.0");
}

TEST(LoginReply, OfV0AndOfALegacyServer) {
  const Buffer v0 = support::little().u32(3).u64(17).buffer();
  const LoginReply reply = read_login_reply(whole(v0), login::v0_login_reply);
  EXPECT_TRUE(reply.is_read);
  EXPECT_EQ(reply.user_id, 3U);
  EXPECT_EQ(reply.session, 17U);
  EXPECT_EQ(reply.server_version_number.packed, 0U);
  const Buffer old = support::little().u32(3).buffer();
  EXPECT_EQ(read_login_reply(whole(old), legacy::login_reply).user_id, 3U);
}

TEST(LoginReply, CutAnywhereIsNotRead) {
  const Buffer body = support::login_reply_body();
  for (std::size_t size = 0; size < body.size(); ++size) {
    const Buffer piece(support::cut(body, size));
    EXPECT_FALSE(read_login_reply(whole(piece), login::register_reply).is_read) << size;
    const Window cut{piece, static_cast<std::uint32_t>(body.size())};
    EXPECT_FALSE(read_login_reply(cut, login::register_reply).is_read) << size;
  }
}

}  // namespace
}  // namespace iggy::decode
