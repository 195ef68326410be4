// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Decodes login bodies whose values are known (tests/data/login-vectors.json) and checks who may
// see which row.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "decode/walk.hpp"
#include "iggy/legacy.hpp"
#include "iggy/login.hpp"
#include "support/body_recorder.hpp"
#include "support/test_data.hpp"

namespace iggy {
namespace {

using describe::Layout;
using describe::Privacy;
using Json = nlohmann::ordered_json;

const Layout* layout_of_reply(const std::string& command, const Json& decoded) {
  if (command == "session.bind") return &login::session_bind_reply;
  if (command == "user.login" || command == "personal_access_token.login")
    return &legacy::login_reply;
  return decoded["result"]["count"] == 0 ? &login::register_reply : &login::rejection;
}

const Layout* layout_of_request(const std::string& command, bool with_secret) {
  if (command == "user.login") return &legacy::login;
  if (command == "personal_access_token.login") return &legacy::login_with_token;
  if (command == "session.bind") return &login::session_bind;
  if (command == "user.login_register")
    return with_secret ? &login::login_register_with_secret : &login::login_register;
  return with_secret ? &login::login_register_with_pat_with_secret
                     : &login::login_register_with_pat;
}

const Layout* layout_of(const Json& vector) {
  const std::string kind = vector["kind"];
  if (kind == "primitive") return &login::client_version_info;
  if (kind == "request")
    return layout_of_request(vector["command"], vector["generation"] == "0.12");
  return layout_of_reply(vector["command"], vector["decoded"]);
}

// Legacy replies stand bare; the truth puts the payload of every reply under one key.
Json wanted_of(const Json& vector, const Layout& layout) {
  return &layout == &legacy::login_reply ? vector["decoded"]["payload"] : vector["decoded"];
}

TEST(LoginLayout, DecodesKnownBodies) {
  std::ifstream in(support::test_data("login-vectors.json"));
  ASSERT_TRUE(in);
  const Json vectors = Json::parse(in);
  EXPECT_EQ(vectors.size(), 21U);
  for (const Json& vector : vectors) {
    SCOPED_TRACE(vector["kind"].get<std::string>() + ' ' + vector["id"].get<std::string>() + ' ' +
                 vector["generation"].get<std::string>());
    const Layout& layout = *layout_of(vector);
    const std::vector<std::byte> bytes = support::bytes_of_hex(vector["hex"]);
    support::BodyRecorder recorder;
    decode::Walk walk(decode::whole(bytes), recorder);
    EXPECT_TRUE(walk.read(layout));
    EXPECT_TRUE(walk.at_end());
    walk.finish();
    EXPECT_TRUE(recorder.problems.empty());
    EXPECT_EQ(recorder.body().dump(), wanted_of(vector, layout).dump());
  }
}

std::string decoded(const Layout& layout, const std::string& hex) {
  const std::vector<std::byte> bytes = support::bytes_of_hex(hex);
  support::BodyRecorder recorder;
  decode::Walk walk(decode::whole(bytes), recorder);
  EXPECT_TRUE(walk.read(layout));
  walk.finish();
  EXPECT_TRUE(recorder.problems.empty());
  return recorder.body().dump();
}

TEST(LoginLayout, LegacyBodies) {
  EXPECT_EQ(decoded(legacy::short_login, "04696767790469676779"),
            R"({"username":{"length":4,"value":"iggy"},"password_length":4,"password":"iggy"})");
  EXPECT_EQ(decoded(legacy::login,
                    "04696767790469676779"
                    "06000000302e31302e30"
                    "00000000"),
            R"({"username":{"length":4,"value":"iggy"},"password_length":4,"password":"iggy",)"
            R"("version_length":6,"version":"0.10.0","context_length":0,"context":""})");
  EXPECT_EQ(decoded(legacy::login_with_token, "03616263"),
            R"({"token":{"length":3,"value":"abc"}})");
  EXPECT_EQ(decoded(legacy::error_text,
                    "02000000"
                    "6e6f"),
            R"({"text_length":2,"text":"no"})");
  EXPECT_EQ(decoded(legacy::request, "1c00000026000000"), R"({"length":28,"code":38})");
  EXPECT_EQ(decoded(legacy::reply, "0300000000000000"), R"({"status":3,"length":0})");
}

TEST(LoginLayout, ReplyOfV0) {
  EXPECT_EQ(decoded(login::v0_login_reply,
                    "01000000"
                    "2a00000000000000"),
            R"({"user_id":1,"session":"42"})");
}

TEST(LoginLayout, EmptyNamesAreOutOfRange) {
  const std::vector<std::byte> bytes = support::bytes_of_hex("002c000000");
  support::BodyRecorder recorder;
  decode::Walk walk(decode::whole(bytes), recorder);
  EXPECT_FALSE(walk.read(login::client_version_info));
  ASSERT_EQ(recorder.problems.size(), 1U);
  EXPECT_EQ(recorder.problems[0].kind, decode::ProblemKind::out_of_range);
  EXPECT_EQ(recorder.problems[0].field->name, "length");
  EXPECT_EQ(recorder.problems[0].needed, 1U);
  EXPECT_EQ(recorder.problems[0].available, 0U);
}

// Every row of every layout that can hold somebody's secret or name, and no other.
void privacy_of(const Layout& layout, const std::string& above, std::vector<std::string>& secret,
                std::vector<std::string>& identity) {
  for (const describe::Field& field : layout.fields) {
    const std::string path = above + std::string(field.name);
    if (field.privacy == Privacy::secret) secret.push_back(path);
    if (field.privacy == Privacy::identity) identity.push_back(path);
    if (field.layout != nullptr) privacy_of(*field.layout, path + '.', secret, identity);
  }
}

using Paths = std::vector<std::string>;

void expect_privacy(const Layout& layout, const Paths& wanted_secret,
                    const Paths& wanted_identity) {
  Paths secret;
  Paths identity;
  privacy_of(layout, "", secret, identity);
  EXPECT_EQ(secret, wanted_secret) << layout.name;
  EXPECT_EQ(identity, wanted_identity) << layout.name;
}

TEST(LoginLayout, MarksSecretsAndNames) {
  const Paths user = {"username.value"};
  expect_privacy(login::login_register, {"password"}, user);
  expect_privacy(login::login_register_with_pat, {"token"}, {});
  expect_privacy(login::login_register_with_secret, {"bind_secret", "password"}, user);
  expect_privacy(login::login_register_with_pat_with_secret, {"bind_secret", "token"}, {});
  expect_privacy(login::session_bind, {"bind_secret"}, {"identity.client_id"});
  expect_privacy(legacy::short_login, {"password"}, user);
  expect_privacy(legacy::login, {"password"}, user);
  expect_privacy(legacy::login_with_token, {"token.value"}, {});
  expect_privacy(login::register_reply, {}, {"payload.login.user_id"});
  expect_privacy(login::session_bind_reply, {}, {"payload.login.user_id"});
  expect_privacy(login::v0_login_reply, {}, {"user_id"});
  expect_privacy(legacy::login_reply, {}, {"user_id"});
}

}  // namespace
}  // namespace iggy
