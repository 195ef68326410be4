// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Generations without logins: a capture that begins behind the logins of its connections is read as
// the whole one, or says that it only infers; and 0.11 never turns into 0.12.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "capture/address.hpp"
#include "decode/body.hpp"
#include "decode/facts.hpp"
#include "iggy/registry.hpp"
#include "real_captures.hpp"

namespace property {
namespace {

using analyzer::connection::Connection;
using analyzer::connection::Frame;
using analyzer::connection::Side;
using iggy::Generation;
using Link = std::pair<std::string, std::string>;  // client and server

Link link_of(const Connection& connection) {
  return {to_string(connection.client()), to_string(connection.server())};
}

// A frame by where it ends and what it is.
using Key = std::tuple<Link, std::uint64_t, unsigned, unsigned, std::uint64_t>;
struct Read {
  Generation generation{};
  bool is_inferred = false;
  std::uint32_t code = 0;
  const iggy::describe::Layout* body = nullptr;
};

class Readings final : public analyzer::connection::FrameObserver {
 public:
  std::uint32_t wanted_body(const analyzer::connection::Facts& facts) const override {
    return facts.size;
  }
  void frame(const Connection& connection, const Frame& frame) override {
    const Key key{link_of(connection), frame.raw.place.packet, frame.facts.command,
                  frame.facts.operation, frame.facts.request};
    const auto plan =
        iggy::decode::plan_body(frame.facts, frame.generation, frame.code, frame.raw.body);
    frames.emplace(key,
                   Read{frame.generation, frame.is_generation_inferred, frame.code, plan.layout});
    const bool is_certain = !frame.is_generation_inferred;
    EXPECT_TRUE(is_certain || !certain.contains({connection.id(), frame.from}));
    if (is_certain) certain.insert({connection.id(), frame.from});
    if (frame.generation == Generation::v0_12) speaks_0_12 = true;
  }
  void ended(const Connection& connection, analyzer::stream::Ending) override {
    for (const auto& login : connection.logins()) {
      std::uint64_t& end = login_ends[link_of(connection)];
      if (end == 0) end = std::max(login.request_packet, login.answer_packet);
    }
  }

  std::multimap<Key, Read> frames;
  std::set<std::pair<std::uint64_t, Side>> certain;
  std::map<Link, std::uint64_t> login_ends;  // packet of the answer to the first login
  bool speaks_0_12 = false;
};

// Both ends of a packet's connection, and its bytes behind TCP.
struct Carried {
  Link link;
  std::size_t payload_at = 0;
  std::size_t payload_bytes = 0;
};
std::vector<Carried> carried_by(const Capture& capture) {
  std::vector<Carried> all(capture.packets.size());
  analyzer::capture::Decoder decoder;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Packet packet = capture.packets[i].packet;
    packet.bytes = capture.packets[i].bytes;
    const analyzer::capture::Decoded decoded = decoder.decode(packet);
    const auto* const segment = std::get_if<analyzer::capture::TcpSegment>(&decoded);
    if (segment == nullptr) continue;
    all[i].link = {to_string(segment->from), to_string(segment->to)};
    const std::byte* const begin = packet.bytes.data();
    if (segment->payload.data() < begin || segment->payload.data() > begin + packet.bytes.size())
      continue;  // put together elsewhere
    all[i].payload_at = static_cast<std::size_t>(segment->payload.data() - begin);
    all[i].payload_bytes = segment->payload.size();
  }
  return all;
}

// The packets of connections behind their first logins, and those of other connections.
Order without_logins(const Capture& capture, const Readings& whole) {
  const std::vector<Carried> carried = carried_by(capture);
  Order order;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Link& sent = carried[i].link;
    const Link back{sent.second, sent.first};
    const auto is_behind = [&](const Link& link) {
      const auto found = whole.login_ends.find(link);
      return found == whole.login_ends.end() || capture.packets[i].packet.number > found->second;
    };
    if (is_behind(sent) && is_behind(back)) order.push_back(i);
  }
  return order;
}

std::string text_of(const Key& key) {
  return std::get<0>(key).first + " packet " + std::to_string(std::get<1>(key)) + " command " +
         std::to_string(std::get<2>(key)) + " #" + std::to_string(std::get<4>(key));
}

// What is shown as fact is what the whole capture shows. Returns how many frames are only inferred
// to be of another generation.
std::size_t expect_same_bodies(const Readings& whole, const Readings& found) {
  std::size_t inferred = 0;
  for (const auto& [key, read] : found.frames) {
    // Frames that are alike in all that tells them apart are read alike.
    const auto known = whole.frames.find(key);
    if (known == whole.frames.end()) {
      ADD_FAILURE() << "no such frame in the whole capture: " << text_of(key);
      continue;
    }
    if (read.generation != known->second.generation) {
      EXPECT_TRUE(read.is_inferred) << text_of(key);
      ++inferred;
    } else if (read.code == known->second.code) {
      EXPECT_EQ(read.body, known->second.body) << text_of(key);
    }
  }
  return inferred;
}

// As a client writes it that is not told where partitions are: no field of 0.12 in any header.
Capture without_fields_of_0_12(const Capture& capture) {
  Capture changed = capture;
  const std::vector<Carried> carried = carried_by(capture);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    std::span<std::byte> left = std::span(changed.packets[i].bytes)
                                    .subspan(carried[i].payload_at, carried[i].payload_bytes);
    while (left.size() >= 256) {
      const auto facts = iggy::decode::facts_of(left, Generation::v0_12);
      if (facts.size < 256) break;
      const auto clear = [&left](std::size_t from, std::size_t to) {
        std::fill(left.begin() + static_cast<std::ptrdiff_t>(from),
                  left.begin() + static_cast<std::ptrdiff_t>(to), std::byte{0});
      };
      if (facts.is(iggy::Command::Request)) clear(144, 160), clear(200, 224);
      if (facts.is(iggy::Command::Reply)) clear(220, 232);
      left = left.subspan(std::min<std::size_t>(facts.size, left.size()));
    }
  }
  return changed;
}

class GenerationProperty : public testing::TestWithParam<std::size_t> {
 protected:
  GenerationProperty() : capture_(all_captures()[GetParam()]) {
    follow(capture_, whole_order(capture_), whole_);
  }
  const Capture& capture_;
  Readings whole_;
};

TEST_P(GenerationProperty, WithoutLogins) {
  if (capture_.name == "version-gate.pcap")
    GTEST_SKIP() << "a client made by hand writes a stamp that only 0.12 has";
  Readings found;
  follow(capture_, without_logins(capture_, whole_), found);
  const std::size_t inferred = expect_same_bodies(whole_, found);
  EXPECT_TRUE(whole_.speaks_0_12 || !found.speaks_0_12);
  // A read before the first answer has nothing of its own.
  EXPECT_TRUE(capture_.name != "session-0.12.pcap" || inferred == 1U) << inferred;
}

constexpr std::size_t sampled_packets = 60;

// Nothing that is lost turns 0.11 into 0.12, with logins or without.
TEST_P(GenerationProperty, OnePacketLess) {
  if (whole_.speaks_0_12) GTEST_SKIP() << "speaks 0.12, also version-gate.pcap";
  for (const bool with_logins : {true, false}) {
    const Order all = with_logins ? whole_order(capture_) : without_logins(capture_, whole_);
    const std::size_t step = std::max<std::size_t>(1, all.size() / sampled_packets);
    for (std::size_t left_out = 0; left_out < all.size(); left_out += step) {
      Order order = all;
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(left_out));
      Readings found;
      follow(capture_, order, found);
      ASSERT_FALSE(found.speaks_0_12) << "without the packet at " << left_out;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, GenerationProperty,
                         testing::Range<std::size_t>(0, all_captures().size()),
                         [](const auto& made) {
                           return test_name(all_captures()[made.param].name);
                         });

// What is left to tell the generation are codes and bodies.
TEST(GenerationOfBodies, TellsWithoutLoginsAndHeaders) {
  const auto& all = all_captures();
  const auto sample = std::find_if(all.begin(), all.end(), [](const Capture& capture) {
    return capture.name == "session-0.12.pcap";
  });
  ASSERT_NE(sample, all.end());
  Readings whole;
  follow(*sample, whole_order(*sample), whole);
  const Capture changed = without_fields_of_0_12(*sample);
  Readings found;
  follow(changed, without_logins(*sample, whole), found);
  expect_same_bodies(whole, found);
  std::set<Link> certain;
  for (const auto& [key, read] : found.frames)
    if (!read.is_inferred) certain.insert(std::get<0>(key));
  EXPECT_EQ(certain.size(), 2U);  // the second one by its client id
}

}  // namespace
}  // namespace property
