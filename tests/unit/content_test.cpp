// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What is said of connections without a frame: another protocol, or nobody can know.
#include <gtest/gtest.h>

#include "connection/connection.hpp"
#include "support/iggy_frames.hpp"
#include "support/iggy_scene.hpp"

namespace analyzer::connection {
namespace {

using support::Buffer;
using support::bytes_of;
using support::counting_bytes;
using support::Talk;

class ContentTest : public testing::Test, private FrameObserver {
 protected:
  Content only() {
    scene.finish();
    EXPECT_EQ(contents_.size(), 1U);
    return contents_.at(0);
  }
  support::Scene scene{*this};

 private:
  void frame(const Connection&, const Frame&) override {}
  void ended(const Connection& connection, stream::Ending) override {
    contents_.push_back(connection.content());
  }
  std::vector<Content> contents_;
};

TEST_F(ContentTest, Frames) {
  Talk talk(scene);
  talk.lose_client(256);
  talk.server(support::pong(1));
  EXPECT_EQ(only(), Content::frames);
}

TEST_F(ContentTest, AnotherProtocol) {
  Talk talk(scene);
  talk.client(bytes_of("SELECT 1;SELECT 2;SELECT 3;"));
  EXPECT_EQ(only(), Content::other);
}

// What shows that it is another one came before the hole.
TEST_F(ContentTest, AnotherProtocolWithAHole) {
  Talk talk(scene);
  talk.client(bytes_of("SELECT 1;SELECT 2;SELECT 3;"));
  talk.lose_client(300);
  talk.client(bytes_of("SELECT 4;SELECT 5;SELECT 6;"));
  EXPECT_EQ(only(), Content::other);
}

// A snap length or a drop inside the first header.
TEST_F(ContentTest, TheFirstHeaderIsCut) {
  Talk talk(scene);
  const Buffer whole = support::ping(1);
  talk.client(Buffer(whole.begin(), whole.begin() + 42));
  talk.lose_client(whole.size() - 42);
  talk.client(Buffer(whole.begin(), whole.begin() + 42));
  EXPECT_EQ(only(), Content::untold);
}

TEST_F(ContentTest, TheFirstSegmentIsMissing) {
  Talk talk(scene);
  talk.lose_client(256);
  talk.client(bytes_of("SELECT 1;SELECT 2;SELECT 3;"));
  EXPECT_EQ(only(), Content::untold);
}

// It may have asked for an upgrade to WebSocket.
TEST_F(ContentTest, TheHeadOfHttpIsCut) {
  Talk talk(scene);
  talk.client(bytes_of("GET / HTTP/1.1\r\nHost: x\r\n"));
  talk.lose_client(200);
  talk.client(counting_bytes(50));
  EXPECT_EQ(only(), Content::untold);
}

TEST_F(ContentTest, Http) {
  Talk talk(scene);
  talk.client(bytes_of("GET / HTTP/1.1\r\n\r\n"));
  talk.lose_client(200);
  talk.client(counting_bytes(50));
  EXPECT_EQ(only(), Content::other);
}

TEST_F(ContentTest, Tls) {
  Talk talk(scene);
  talk.client(support::joined({bytes_of({0x16, 3, 1, 0, 60}), counting_bytes(60)}));
  talk.lose_client(200);
  talk.client(counting_bytes(50));
  EXPECT_EQ(only(), Content::encrypted);
}

}  // namespace
}  // namespace analyzer::connection
