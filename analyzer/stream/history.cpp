// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The letters and words of history.hpp.
#include "stream/history.hpp"

#include <algorithm>
#include <utility>

#include "stream/tcp.hpp"

namespace analyzer::stream {
namespace {

// The bit of a letter that comes once; a look-up, since each segment asks.
constexpr auto bits = [] {
  std::array<std::uint8_t, 128> made{};
  std::uint8_t bit = 1;
  for (const char letter : std::string_view("shadfriq")) {
    made[static_cast<std::size_t>(letter)] = bit;
    bit = static_cast<std::uint8_t>(bit << 1U);
  }
  return made;
}();

constexpr char capital(char letter) {
  return static_cast<char>(letter - 'a' + 'A');
}

}  // namespace

void History::push(char letter, Direction from) {
  if (size_ >= letters_.size()) return;
  letters_[size_++] = from == Direction::first_to_second ? capital(letter) : letter;
}

void History::add(char letter, Direction from) {
  const std::uint8_t bit = bits[static_cast<std::size_t>(letter) % bits.size()];
  std::uint8_t& seen = seen_[index(from)];
  if ((seen & bit) != 0) return;
  seen = static_cast<std::uint8_t>(seen | bit);
  push(letter, from);
}

void History::add_counted(char letter, Direction from, std::uint64_t count) {
  while (count >= 10 && count % 10 == 0) count /= 10;
  if (count != 1 || counted_ >= letters_.size() - once_letters) return;
  ++counted_;
  push(letter, from);
}

void History::swap_roles() {
  for (std::size_t i = 0; i < size_; ++i)
    letters_[i] =
        letters_[i] >= 'a' ? capital(letters_[i]) : static_cast<char>(letters_[i] - 'A' + 'a');
  std::swap(seen_[0], seen_[1]);
  if (counted_ >= letters_.size() - once_letters) return;
  std::copy_backward(letters_.begin(), letters_.begin() + size_, letters_.begin() + size_ + 1);
  letters_[0] = '^';
  ++size_;
  ++counted_;
}

std::string_view state_of(const TcpFacts& facts) {
  const bool first_ended = facts.fin_packet[0] != 0;
  const bool second_ended = facts.fin_packet[1] != 0;
  if (first_ended && second_ended) return "SF";
  const bool first_reset = facts.rst_packet[0] != 0;
  const bool second_reset = facts.rst_packet[1] != 0;
  const bool second_is_first =
      second_reset && (!first_reset || facts.rst_packet[1] < facts.rst_packet[0]);
  if (facts.handshake) {
    if (second_is_first) return "RSTR";
    if (first_reset) return "RSTO";
    if (first_ended) return "S2";
    return second_ended ? "S3" : "S1";
  }
  if (facts.syns != 0) {
    if (facts.refused) return "REJ";
    if (facts.packets[1] != 0) return "OTH";
    if (first_reset) return "RSTOS0";
    return first_ended ? "SH" : "S0";
  }
  if (!facts.syn_ack) return "OTH";
  if (second_is_first) return "RSTRH";
  return second_ended && !first_reset ? "SHR" : "OTH";
}

}  // namespace analyzer::stream
