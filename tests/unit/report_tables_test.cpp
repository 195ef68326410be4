// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The tables of the text report, of models that are made by hand.
#include <gtest/gtest.h>

#include "report/report_text.hpp"

namespace analyzer::report {
namespace {

ConnectionSummary client_of(std::uint32_t minor, std::uint32_t patch) {
  ConnectionSummary connection;
  connection.plane = Plane::client;
  connection.frames_from_client = 1;
  connection::LoginRecord login;
  login.has_reply = true;
  login.server_version_number = {minor << 10U | patch};
  connection.logins.push_back(login);
  return connection;
}

// A server that was upgraded while the capture ran.
TEST(ReportTables, EveryWindowThatAServerAnnounced) {
  Model model;
  model.connections = {client_of(11, 0), client_of(12, 2)};
  const std::string text = servers_text(model, 200);
  EXPECT_NE(text.find("0.11.0, 0.12.2"), std::string::npos) << text;
  EXPECT_NE(text.find("0.11.x, exactly 0.12.2 (*)"), std::string::npos) << text;
}

// An answer may be ok by its status and still say that nothing was done.
TEST(ReportTables, WhatWasNotDoneIsNotOk) {
  Model model;
  OperationSummary& operation = model.operations["segment.delete"];
  operation.outcomes[{connection::OutcomeKind::ok, 0}] = 3;
  operation.undone = 2;
  const std::string text = operations_text(model, 200);
  EXPECT_NE(text.find("2 (ok, nothing was done)"), std::string::npos) << text;
  EXPECT_NE(text.find("segment.delete         3   1 "), std::string::npos) << text;
}

}  // namespace
}  // namespace analyzer::report
