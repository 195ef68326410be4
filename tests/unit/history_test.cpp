// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The words and letters that Zeek's documentation gives to connections.
#include "stream/history.hpp"

#include <gtest/gtest.h>

#include "tcp_script.hpp"

namespace script {
namespace {

using analyzer::stream::History;

struct Shown {
  std::string state;
  std::string history;
  friend bool operator==(const Shown&, const Shown&) = default;
};
std::ostream& operator<<(std::ostream& out, const Shown& shown) {
  return out << shown.state << ' ' << shown.history;
}

class States : public testing::Test {
 protected:
  // A window that has room, so that the letters are few.
  void send(TcpSegment segment) {
    segment.window = 1;
    script.send(segment);
  }
  void syn() { send(script.from_client("", {.syn = true})); }
  void syn_ack() { send(script.from_server("", {.syn = true, .ack = true})); }
  void established() {
    syn();
    syn_ack();
    send(script.from_client(""));
    send(script.from_client("ab"));
    send(script.from_server("cd"));
  }
  void fin_of_client() { send(script.from_client("", {.fin = true, .ack = true})); }
  void fin_of_server() { send(script.from_server("", {.fin = true, .ack = true})); }
  void reset_of_client() { send(script.from_client("", {.rst = true, .ack = true})); }
  void reset_of_server() { send(script.from_server("", {.rst = true, .ack = true})); }
  Shown shown() {
    const TcpFacts facts = script.only().facts;
    return {std::string(state_of(facts)), facts.history.text()};
  }

  Script script;
};

TEST_F(States, NoReply) {
  syn();
  EXPECT_EQ(shown(), (Shown{"S0", "S"}));
}
TEST_F(States, NotEnded) {
  established();
  EXPECT_EQ(shown(), (Shown{"S1", "ShADd"}));
}
TEST_F(States, EndedByBoth) {
  established();
  fin_of_client();
  fin_of_server();
  send(script.from_client(""));
  EXPECT_EQ(shown(), (Shown{"SF", "ShADdFf"}));
}
TEST_F(States, Refused) {
  syn();
  reset_of_server();
  EXPECT_EQ(shown(), (Shown{"REJ", "Sr"}));
}
TEST_F(States, EndedByTheClient) {
  established();
  fin_of_client();
  EXPECT_EQ(shown(), (Shown{"S2", "ShADdF"}));
}
TEST_F(States, EndedByTheServer) {
  established();
  fin_of_server();
  EXPECT_EQ(shown(), (Shown{"S3", "ShADdf"}));
}
TEST_F(States, ResetByTheClient) {
  established();
  reset_of_client();
  EXPECT_EQ(shown(), (Shown{"RSTO", "ShADdR"}));
}
TEST_F(States, ResetByTheServer) {
  established();
  reset_of_server();
  EXPECT_EQ(shown(), (Shown{"RSTR", "ShADdr"}));
}
TEST_F(States, ResetByTheClientWithoutAReply) {
  syn();
  reset_of_client();
  EXPECT_EQ(shown(), (Shown{"RSTOS0", "SR"}));
}
TEST_F(States, EndedByTheClientWithoutAReply) {
  syn();
  fin_of_client();
  EXPECT_EQ(shown(), (Shown{"SH", "SF"}));
}
TEST_F(States, ResetByTheServerWithoutASyn) {
  syn_ack();
  reset_of_server();
  EXPECT_EQ(shown(), (Shown{"RSTRH", "^hr"}));
}
TEST_F(States, EndedByTheServerWithoutASyn) {
  syn_ack();
  fin_of_server();
  EXPECT_EQ(shown(), (Shown{"SHR", "^hf"}));
}
TEST_F(States, OnlyTheMiddle) {
  script.client.acknowledgement = script.server.sequence;
  send(script.from_client("ab"));
  send(script.from_server("cd"));
  EXPECT_EQ(shown(), (Shown{"OTH", "Dd"}));
}

TEST_F(States, NamesGapsZeroWindowsAndRepeatedBytes) {
  established();
  const TcpSegment first = script.from_client("ef");
  send(first);
  script.wait(second);
  send(first);
  script.send(script.from_server(""));  // a window of 0
  script.from_client("not captured");
  fin_of_client();
  fin_of_server();
  EXPECT_EQ(shown(), (Shown{"SF", "ShADdTawFfG"}));
}

TEST(History, CountsByPowersOfTen) {
  History history;
  for (std::uint64_t count = 1; count <= 1'000; ++count)
    history.add_counted('t', Direction::second_to_first, count);
  EXPECT_EQ(history.text(), "tttt");
}

TEST(History, WhatComesOnceAlwaysFindsAPlace) {
  History history;
  for (const char letter : {'t', 'w', 'g'})
    for (std::uint64_t count = 1; count <= 100'000; count *= 10)
      history.add_counted(letter, Direction::first_to_second, count);
  for (const char letter : {'s', 'h', 'a', 'd', 'f', 'r', 'i', 'q'})
    for (const Direction from : {Direction::first_to_second, Direction::second_to_first})
      history.add(letter, from);
  EXPECT_EQ(history.text().size(), 24U);
  EXPECT_TRUE(history.text().ends_with("SsHhAaDdFfRrIiQq"));
}

}  // namespace
}  // namespace script
