// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Fragments of IP packets, from the first that comes to the whole packet or the end of patience.
//
// Pieces are copied when they come, so that the memory is that of bytes which did come, and joined
// once. It must not allocate by what a header says.
#include "capture/fragments.hpp"

#include <algorithm>
#include <utility>

namespace analyzer::capture {
namespace {

constexpr std::uint32_t largest_packet = 65'535;
constexpr std::uint32_t offset_unit = 8;
// A node of a map, a vector and its block on the heap.
constexpr std::size_t piece_overhead = 128;
// A node of the table and one of the ages.
constexpr std::size_t packet_overhead = 384;

bool is_possible(const Fragment& fragment) {
  return fragment.length != 0 && fragment.length <= largest_packet - fragment.offset &&
         (!fragment.more || fragment.length % offset_unit == 0);
}

// The piece that holds `offset`, or the first one behind it.
template <class Pieces>
auto piece_at(Pieces& pieces, std::uint32_t offset) {
  auto piece = pieces.upper_bound(offset);
  if (piece != pieces.begin()) {
    const auto before = std::prev(piece);
    if (before->first + before->second.length > offset) return before;
  }
  return piece;
}

// The bytes of a view that begins at `at`, from `begin` on and before `end`, as far as captured.
Bytes part_of(Bytes view, std::uint32_t at, std::uint32_t begin, std::uint32_t end) {
  const std::size_t first = std::min<std::size_t>(begin - at, view.size());
  return view.subspan(first, std::min<std::size_t>(end - at, view.size()) - first);
}

}  // namespace

Fragments::Result Fragments::add(const FragmentKey& key, const Fragment& fragment,
                                 const Packet& packet) {
  if (packet.has_time) now_ = std::max(now_, packet.time);
  forget_old();
  if (!is_possible(fragment)) return Skipped::malformed;
  Waiting& waiting = waiting_for(key);
  if (contradicts(waiting, fragment))
    restart(waiting);
  else if (waiting.is_complete)
    return Held{};
  ++waiting.fragments;
  keep(waiting, fragment);
  if (waiting.pieces.size() > limits_.pieces) {
    give_up(waiting_.find(key));
    return Held{};
  }
  Result result = Held{};
  if (waiting.gathered == waiting.total) {
    waiting.is_complete = true;
    result = join(waiting);
  }
  stay_within_limits();
  return result;
}

void Fragments::take_back(const FragmentKey& key, const Fragment& fragment) {
  const auto entry = waiting_.find(key);
  if (entry == waiting_.end()) return;  // its memory was needed
  Waiting& waiting = entry->second;
  waiting.is_complete = false;
  --waiting.fragments;
  restart(waiting);
  waiting.fragments = 1;
  keep(waiting, fragment);
}

void Fragments::finish() {
  while (!waiting_.empty()) forget(waiting_.begin());
}

Fragments::Waiting& Fragments::waiting_for(const FragmentKey& key) {
  const auto [entry, is_new] = waiting_.try_emplace(key);
  if (is_new) {
    entry->second.began = now_;
    entry->second.age = ages_.insert(ages_.end(), &entry->first);
    bytes_ += packet_overhead;
  }
  return entry->second;
}

// Whether a fragment cannot be of the same packet as those before it.
bool Fragments::contradicts(const Waiting& waiting, const Fragment& fragment) {
  const std::uint32_t end = fragment.offset + fragment.length;
  if (waiting.total != 0 && (fragment.more ? end >= waiting.total : end != waiting.total))
    return true;
  if (!fragment.more && waiting.end > end) return true;
  for (auto piece = piece_at(waiting.pieces, fragment.offset);
       piece != waiting.pieces.end() && piece->first < end; ++piece) {
    const std::uint32_t from = std::max(piece->first, fragment.offset);
    const std::uint32_t to = std::min(piece->first + piece->second.length, end);
    const Bytes known = part_of(piece->second.captured, piece->first, from, to);
    const Bytes told = part_of(fragment.captured, fragment.offset, from, to);
    const std::size_t both = std::min(known.size(), told.size());
    if (!std::equal(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(both), told.begin()))
      return true;
  }
  return false;
}

// Keeps what no earlier fragment brought.
void Fragments::keep(Waiting& waiting, const Fragment& fragment) {
  const std::uint32_t end = fragment.offset + fragment.length;
  std::uint32_t at = fragment.offset;
  for (auto piece = piece_at(waiting.pieces, at); at < end;) {
    const bool has_next = piece != waiting.pieces.end() && piece->first < end;
    const std::uint32_t until = has_next ? piece->first : end;
    if (at < until) keep_piece(waiting, fragment, at, until);
    at = until;
    if (has_next) {
      at = std::max(at, piece->first + piece->second.length);
      ++piece;
    }
  }
  waiting.end = std::max(waiting.end, end);
  if (!fragment.more) waiting.total = end;
  if (fragment.offset == 0) waiting.protocol = fragment.protocol;
}

void Fragments::keep_piece(Waiting& waiting, const Fragment& fragment, std::uint32_t begin,
                           std::uint32_t end) {
  const Bytes part = part_of(fragment.captured, fragment.offset, begin, end);
  waiting.pieces.emplace(begin, Piece{{part.begin(), part.end()}, end - begin});
  waiting.gathered += end - begin;
  bytes_ += part.size() + piece_overhead;
}

WholePacket Fragments::join(const Waiting& waiting) {
  std::vector<std::byte>& whole = wholes_.emplace_back();
  for (const auto& [offset, piece] : waiting.pieces) {
    whole.insert(whole.end(), piece.captured.begin(), piece.captured.end());
    // What lies behind bytes that nobody has cannot be told as their successor.
    if (piece.captured.size() < piece.length) break;
  }
  const bool came_apart = now_ - waiting.began > limits_.apart;
  return {whole, waiting.total, waiting.protocol, waiting.is_doubtful || came_apart};
}

// Another packet with the number of this one.
void Fragments::restart(Waiting& waiting) {
  if (!waiting.is_complete) counts_.overlapping += waiting.fragments;
  free_pieces(waiting);
  const auto age = waiting.age;
  waiting = {};
  waiting.began = now_;
  waiting.is_doubtful = true;
  waiting.age = age;
  ages_.splice(ages_.end(), ages_, age);
}

void Fragments::free_pieces(Waiting& waiting) {
  for (const auto& [offset, piece] : waiting.pieces)
    bytes_ -= piece.captured.size() + piece_overhead;
  waiting.pieces.clear();
}

void Fragments::forget(Table::iterator entry) {
  Waiting& waiting = entry->second;
  if (!waiting.is_complete) counts_.incomplete += waiting.fragments;
  free_pieces(waiting);
  bytes_ -= packet_overhead;
  ages_.erase(waiting.age);
  waiting_.erase(entry);
}

void Fragments::give_up(Table::iterator entry) {
  if (!entry->second.is_complete) ++counts_.given_up;
  forget(entry);
}

void Fragments::forget_old() {
  while (!ages_.empty()) {
    const auto oldest = waiting_.find(*ages_.front());
    if (now_ - oldest->second.began <= limits_.nanoseconds) return;
    forget(oldest);
  }
}

void Fragments::stay_within_limits() {
  while (bytes_ > limits_.bytes || waiting_.size() > limits_.packets)
    give_up(waiting_.find(*ages_.front()));
}

}  // namespace analyzer::capture
