// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The planner, the writer and the model of capture.hpp. None of them uses the code under test,
// and the sizes of frames are read here at their offset.
#include "hard/capture.hpp"

#include <algorithm>

#include "support/iggy_frames.hpp"

namespace support::hard {
namespace {

constexpr std::int64_t packet_gap = 100'000;  // nanoseconds
constexpr std::size_t header_bytes = 256;
constexpr std::size_t size_at = 48;
constexpr std::size_t shortest_ethernet = 60;
constexpr std::size_t ip_at = 14;
constexpr unsigned vlan_tag = 0x8100;
// A single number past the last byte is a FIN rather than a byte.
constexpr std::int64_t fin_number = 1;

std::uint32_t size_of_frame(Bytes stream, std::size_t begin) {
  return static_cast<std::uint32_t>(number_at(stream, begin + size_at, 4));
}

// Sends the bytes of a turn in segments.
void say(Plan& plan, const Turn& turn, std::size_t longest, std::array<std::int64_t, 2>& said) {
  for (std::size_t begin = 0; begin < turn.bytes.size(); begin += longest) {
    const Bytes piece =
        Bytes{turn.bytes}.subspan(begin).first(std::min(longest, turn.bytes.size() - begin));
    Planned packet{.side = turn.side, .at = said[turn.side], .acknowledged = said[1 - turn.side]};
    append(packet.payload, piece);
    said[turn.side] = packet.end();
    plan.packets.push_back(std::move(packet));
  }
}

// How much of the other side was said before the turn of the last byte before `end`.
std::int64_t heard_before(const Conversation& conversation, std::size_t side, std::int64_t end) {
  std::array<std::int64_t, 2> said{};
  for (const Turn& turn : conversation.turns) {
    said[turn.side] += static_cast<std::int64_t>(turn.bytes.size());
    if (turn.side == side && said[side] >= end) break;
  }
  return said[1 - side];
}

void number_times(Plan& plan) {
  for (std::size_t i = 0; i < plan.packets.size(); ++i)
    plan.packets[i].time = static_cast<std::int64_t>(i) * packet_gap;
}

// Takes a packet to another place of the list; the times stay where they are.
void move(Plan& plan, std::size_t from, std::size_t to) {
  const auto at = [&plan](std::size_t i) {
    return plan.packets.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::vector<std::int64_t> times;
  for (const Planned& packet : plan.packets) times.push_back(packet.time);
  if (from < to)
    std::rotate(at(from), at(from + 1), at(to + 1));
  else
    std::rotate(at(to), at(from), at(from + 1));
  for (std::size_t i = 0; i < times.size(); ++i) plan.packets[i].time = times[i];
}

void insert(Plan& plan, Planned packet, std::size_t behind) {
  const std::size_t place = std::min(behind + 1, plan.packets.size());
  packet.time = plan.packets[place - 1].time + packet_gap / 4;
  plan.packets.insert(plan.packets.begin() + static_cast<std::ptrdiff_t>(place), std::move(packet));
}

std::size_t link_and_ip_bytes(const Planned& packet) {
  return ip_at + 20 + 20 + (packet.has_tag ? 4 : 0);
}

// How many bytes of the payload are in the file.
std::size_t captured_bytes(const Planned& packet) {
  if (!packet.snap) return packet.payload.size();
  const std::size_t before = link_and_ip_bytes(packet);
  return *packet.snap <= before ? 0 : std::min(packet.payload.size(), *packet.snap - before);
}

// The TCP header is there, so that the packet says anything at all.
bool is_readable(const Planned& packet) {
  return packet.stray == 0 && (!packet.snap || *packet.snap >= link_and_ip_bytes(packet));
}

}  // namespace

Buffer Conversation::stream(std::size_t side) const {
  Buffer all;
  for (const Turn& turn : turns)
    if (turn.side == side) append(all, turn.bytes);
  return all;
}

std::int64_t Conversation::turn_begin(std::size_t side, std::int64_t end) const {
  std::int64_t begin = 0;
  for (const Turn& turn : turns) {
    const auto size = static_cast<std::int64_t>(turn.bytes.size());
    if (turn.side != side) continue;
    if (begin + size >= end) break;
    begin += size;
  }
  return begin;
}

Conversation usual_conversation(std::size_t exchanges, std::size_t longest, unsigned seed) {
  Conversation made;
  made.turns.push_back({client, login(password_body())});
  made.turns.push_back({server, login_reply()});
  std::uint64_t number = 1;
  for (std::size_t i = 0; i < exchanges; ++i) {
    Turn asked{client, {}};
    Turn answered{server, {}};
    const std::size_t requests = (i + seed) % 4 == 3 ? 3 : 1;
    for (std::size_t j = 0; j < requests; ++j, ++number) {
      const std::size_t one = (number * 7'919 + seed * 131) % (longest + 1);
      const std::size_t other = (number * 104'729 + seed * 17) % (longest + 1);
      const auto fill = static_cast<unsigned>(number + seed);
      append(asked.bytes,
             request({.code = 100, .number = number, .body = counting_bytes(one, fill)}));
      append(answered.bytes, reply({.number = number, .body = counting_bytes(other, fill + 91)}));
    }
    made.turns.push_back(std::move(asked));
    made.turns.push_back(std::move(answered));
  }
  return made;
}

std::vector<std::size_t> Plan::with_payload(std::size_t side) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < packets.size(); ++i)
    if (packets[i].side == side && !packets[i].payload.empty()) places.push_back(i);
  return places;
}

Plan plan(const Conversation& conversation, const Shape& shape) {
  Plan made;
  made.conversation = &conversation;
  std::array<std::int64_t, 2> said{};
  if (shape.handshake) {
    made.packets.push_back({.side = client, .flags = {.syn = true}, .at = -1, .acknowledged = -1});
    made.packets.push_back({.side = server, .flags = {.syn = true, .ack = true}, .at = -1});
    made.packets.push_back({.side = client});
  }
  for (const Turn& turn : conversation.turns) {
    say(made, turn, shape.segment, said);
    const std::size_t other = 1 - turn.side;
    if (shape.acknowledgements)
      made.packets.push_back({.side = other, .at = said[other], .acknowledged = said[turn.side]});
  }
  if (shape.fins) {
    const TcpFlags fin{.fin = true, .ack = true};
    made.packets.push_back(
        {.side = client, .flags = fin, .at = said[client], .acknowledged = said[server]});
    made.packets.push_back({.side = server,
                            .flags = fin,
                            .at = said[server],
                            .acknowledged = said[client] + fin_number});
    made.packets.push_back({.side = client,
                            .at = said[client] + fin_number,
                            .acknowledged = said[server] + fin_number});
  }
  number_times(made);
  return made;
}

void drop(Plan& plan, std::size_t packet) {
  plan.packets.erase(plan.packets.begin() + static_cast<std::ptrdiff_t>(packet));
}

void swap_with_next(Plan& plan, std::size_t packet) {
  delay(plan, packet, 1);
}

void delay(Plan& plan, std::size_t packet, std::size_t by) {
  move(plan, packet, std::min(packet + by, plan.packets.size() - 1));
}

void repeat(Plan& plan, std::size_t packet, std::size_t after) {
  insert(plan, plan.packets[packet], packet + after);
}

void send_again(Plan& plan, std::size_t side, std::int64_t begin, std::int64_t end,
                std::size_t behind, bool other_bytes) {
  const Buffer stream = plan.conversation->stream(side);
  Planned packet{
      .side = side, .at = begin, .acknowledged = heard_before(*plan.conversation, side, end)};
  append(packet.payload, Bytes{stream}
                             .subspan(static_cast<std::size_t>(begin))
                             .first(static_cast<std::size_t>(end - begin)));
  if (other_bytes)
    for (std::byte& byte : packet.payload) byte = ~byte;
  insert(plan, std::move(packet), behind);
}

void keep_side(Plan& plan, std::size_t side) {
  std::erase_if(plan.packets, [side](const Planned& packet) { return packet.side != side; });
}

void keep_from(Plan& plan, std::size_t packet) {
  plan.packets.erase(plan.packets.begin(),
                     plan.packets.begin() + static_cast<std::ptrdiff_t>(packet));
}

void snap(Plan& plan, std::uint32_t length) {
  for (Planned& packet : plan.packets) packet.snap = length;
}

void wait(Plan& plan, std::size_t packet, std::int64_t nanoseconds) {
  for (std::size_t i = packet; i < plan.packets.size(); ++i) plan.packets[i].time += nanoseconds;
}

Buffer frame_of(const Plan& plan, const Planned& packet) {
  const Conversation& talk = *plan.conversation;
  const bool from_client = packet.side == client;
  Tcp segment;
  segment.from = from_client ? talk.client_endpoint : talk.server_endpoint;
  segment.to = from_client ? talk.server_endpoint : talk.client_endpoint;
  const auto number = [&](std::size_t side, std::int64_t place) {
    return plan.isn[side] + 1 + static_cast<std::uint32_t>(place) +
           static_cast<std::uint32_t>(packet.stray);
  };
  segment.sequence = number(packet.side, packet.at);
  segment.acknowledgement = packet.flags.ack ? number(1 - packet.side, packet.acknowledged) : 0;
  segment.flags = packet.flags;
  segment.payload = packet.payload;
  Buffer body = tcp(segment);
  if (packet.has_bad_checksum) body[16] = body[17] = std::byte{0xab};
  Ipv4 ip{.from = segment.from.address, .to = segment.to.address, .body = std::move(body)};
  if (packet.without_length) ip.total_length = 0;
  const std::vector<unsigned> tags(packet.has_tag ? 1 : 0, vlan_tag);
  Buffer frame = ethernet(ipv4(ip), ether_type_ipv4, tags);
  if (!packet.without_length && frame.size() < shortest_ethernet)
    frame.resize(shortest_ethernet, std::byte{0x5a});
  return frame;
}

Buffer to_pcap(const std::vector<const Plan*>& plans, std::int64_t gap) {
  PcapFile file({.nanoseconds = true});
  std::int64_t start = first_time;
  for (const Plan* each : plans) {
    std::int64_t last = start;
    for (const Planned& packet : each->packets) {
      const Buffer frame = frame_of(*each, packet);
      const std::size_t kept =
          std::min<std::size_t>(frame.size(), packet.snap.value_or(~std::uint32_t{0}));
      file.packet(start + packet.time, Bytes{frame}.first(kept),
                  static_cast<std::uint32_t>(frame.size()));
      last = start + packet.time;
    }
    start = last + gap;
  }
  return file.bytes();
}

namespace {

// What the packets so far tell of one direction.
struct Model {
  SideTruth truth;
  std::int64_t acknowledged = 0;
  std::int64_t end = 0;
  bool has_fin = false;
  bool has_syn = false;
  bool is_seen = false;  // any packet of the side
  std::optional<std::int64_t> told;

  // Without a SYN the stream begins where anything shows it to be: captures are short enough that
  // it is waited for.
  void tell(std::int64_t place) {
    told = std::min(told.value_or(place), std::max<std::int64_t>(place, 0));
  }
  void begin_firmly() {
    told = 0;
    has_syn = true;
  }
  // A single byte right below what was acknowledged is a probe, as long as it may be.
  bool is_probe(const Planned& packet) const {
    return !has_syn && packet.payload.size() == 1 && packet.end() == told &&
           packet.end() <= acknowledged;
  }
};

void take_payload(Model& model, const Planned& packet) {
  const std::size_t captured = captured_bytes(packet);
  std::vector<Fate>& fates = model.truth.fates;
  for (std::size_t i = 0; i < packet.payload.size(); ++i) {
    const auto place = static_cast<std::size_t>(packet.begin()) + i;
    Fate& fate = fates[place];
    if (fate == Fate::captured || fate == Fate::snapped) continue;  // the first copy wins
    fate = i < captured ? Fate::captured : Fate::snapped;
    if (i < captured) model.truth.bytes[place] = packet.payload[i];
  }
  model.end = std::max(model.end, packet.end());
}

void find_holes(SideTruth& side) {
  for (std::uint64_t place = side.begin; place < side.end; ++place) {
    const Fate fate = side.fates[place];
    if (fate == Fate::captured) continue;
    if (!side.holes.empty() && side.holes.back().fate == fate &&
        side.holes.back().begin + side.holes.back().bytes == place)
      ++side.holes.back().bytes;
    else
      side.holes.push_back({place, 1, fate});
  }
}

void find_frames(SideTruth& side, Bytes stream) {
  for (std::size_t begin = 0; begin + header_bytes <= stream.size();) {
    const std::uint32_t size = size_of_frame(stream, begin);
    const std::size_t end = begin + size;
    side.sent.push_back({begin, size, 0});
    const auto is_captured = [&side](std::size_t place) {
      return place >= side.begin && place < side.end && side.fates[place] == Fate::captured;
    };
    FrameTruth shown{begin, size, 0};
    bool has_header = true;
    for (std::size_t place = begin; place < end; ++place) {
      if (is_captured(place))
        ++shown.captured;
      else if (place < begin + header_bytes)
        has_header = false;
    }
    if (has_header && end <= side.end) side.shown.push_back(shown);
    begin = end;
  }
}

void close(Model& model) {
  SideTruth& side = model.truth;
  std::int64_t end = std::max(model.end, model.told.value_or(0));
  if (model.is_seen && !model.has_fin && model.acknowledged > end + fin_number)
    end = model.acknowledged;
  side.begin = static_cast<std::uint64_t>(model.told.value_or(0));
  side.end = std::max(side.begin, static_cast<std::uint64_t>(end));
  // An acknowledged FIN that is not in the file counts as a byte where bytes before it are missing.
  if (side.fates.size() < side.end) side.fates.resize(side.end, Fate::lost);
  if (side.bytes.size() < side.end) side.bytes.resize(side.end);
  for (std::size_t place = 0; place < side.fates.size(); ++place)
    if (side.fates[place] == Fate::lost && static_cast<std::int64_t>(place) < model.acknowledged)
      side.fates[place] = Fate::not_captured;
}

}  // namespace

Truth truth_of(const Plan& plan) {
  std::array<Model, 2> models;
  for (const std::size_t side : {client, server}) {
    models[side].truth.bytes = plan.conversation->stream(side);
    models[side].truth.fates.assign(models[side].truth.bytes.size(), Fate::lost);
  }
  for (const Planned& packet : plan.packets) {
    if (!is_readable(packet)) continue;
    Model& model = models[packet.side];
    Model& peer = models[1 - packet.side];
    model.is_seen = true;
    if (packet.flags.syn) model.begin_firmly();
    if (packet.flags.ack) {
      peer.acknowledged = std::max(peer.acknowledged, packet.acknowledged);
      peer.tell(packet.acknowledged);
    }
    if (model.is_probe(packet)) continue;
    if (packet.flags.syn || packet.flags.fin || !packet.payload.empty()) model.tell(packet.at);
    if (!packet.payload.empty()) take_payload(model, packet);
    if (packet.flags.fin) {
      model.has_fin = true;
      model.end = std::max(model.end, packet.end());
    }
  }
  Truth truth;
  for (const std::size_t side : {client, server}) {
    close(models[side]);
    truth[side] = std::move(models[side].truth);
    const Buffer stream = plan.conversation->stream(side);
    find_holes(truth[side]);
    find_frames(truth[side], stream);
  }
  return truth;
}

std::string text_of(const Hole& hole) {
  static const char* const words[] = {"not captured", "lost", "snapped", "captured"};
  return std::to_string(hole.bytes) + " bytes " + words[static_cast<std::size_t>(hole.fate)] +
         " at " + std::to_string(hole.begin);
}

}  // namespace support::hard
