// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What carries the frames of a connection: plain TCP, WebSocket, or something opaque such as TLS.
//
// Bytes go straight through until the frame reader meets another protocol; a WebSocket upgrade is
// then followed and its messages are unwrapped. TLS and plain HTTP are named and counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "connection/frame.hpp"
#include "connection/frame_reader.hpp"
#include "conversation/recognise.hpp"
#include "stream/tcp.hpp"
#include "stream/tls_records.hpp"
#include "stream/websocket.hpp"

namespace analyzer::connection {

class TransportConsumer {
 public:
  virtual ~TransportConsumer() = default;
  // Whether frames follow each other in the direction, so that it needs no other look.
  virtual bool is_in_step(stream::Direction from) const = 0;
  // The next bytes of the direction behind whatever wraps them.
  virtual void payload(stream::Direction from, Bytes bytes, const Source& source) = 0;
  // `bytes` of the payload are missing; `hole` is the hole of the TCP stream that took them. True
  // when a frame may have begun among them.
  virtual bool payload_hole(stream::Direction from, std::uint64_t bytes, const Source& found,
                            const stream::Hole& hole) = 0;
  // The same, of everything that follows: it cannot be unwrapped any more.
  virtual void payload_lost(stream::Direction from, const stream::Hole& hole) = 0;
  // From here on the payload of this direction stands behind an upgrade.
  virtual void restart(stream::Direction from, Side side) = 0;
};

struct WebSocketFacts {
  std::uint64_t upgrade_packet = 0;   // 0: no upgrade was asked for
  std::uint16_t response_status = 0;  // 101 where the server agreed
  std::uint64_t server_close_packet = 0;
  bool server_close_has_code = false;
};

class TransportReader {
 public:
  explicit TransportReader(TransportConsumer& consumer);
  ~TransportReader();
  TransportReader(const TransportReader&) = delete;
  TransportReader& operator=(const TransportReader&) = delete;

  void data(stream::Direction from, Bytes bytes, const Source& source);
  // True when a frame may have begun in the hole.
  bool hole(stream::Direction from, const stream::Hole& hole);
  // Bytes in which the frame reader met another protocol, from the first one on.
  void foreign(stream::Direction from, iggy::conversation::Foreign protocol, Bytes bytes,
               const Source& source);

  Transport transport() const { return transport_; }
  const WebSocketFacts& websocket() const { return websocket_; }
  // The protocol that the direction began with instead of Iggy.
  iggy::conversation::Foreign foreign(stream::Direction from) const {
    return lanes_[index(from)].foreign;
  }
  // The direction is known to carry no frames: what names another protocol was captured whole.
  bool is_other(stream::Direction from) const {
    const Lane& of = lanes_[index(from)];
    return of.foreign != iggy::conversation::Foreign::none && !of.is_head_cut;
  }
  // Bytes that are no payload.
  std::uint64_t other_bytes() const { return lanes_[0].other_bytes + lanes_[1].other_bytes; }
  // The records of a direction that began with TLS; null for others.
  const stream::TlsRecords* tls(stream::Direction from) const {
    const Lane& of = lanes_[index(from)];
    return of.foreign == iggy::conversation::Foreign::tls ? &of.tls : nullptr;
  }
  // First packet of that other protocol; 0 where there is none.
  std::uint64_t foreign_packet(stream::Direction from) const {
    return lanes_[index(from)].foreign_packet;
  }

 private:
  class Messages;
  enum class Mode : std::uint8_t { plain, http_head, messages, opaque };
  struct Lane {  // one direction
    Mode mode = Mode::plain;
    iggy::conversation::Foreign foreign = iggy::conversation::Foreign::none;
    bool is_head_cut = false;  // of HTTP, which may have asked for an upgrade
    std::uint64_t foreign_packet = 0;
    std::uint64_t other_bytes = 0;
    stream::TlsRecords tls;
    std::unique_ptr<stream::websocket::UpgradeHead> head;
    std::unique_ptr<Messages> messages;
  };

  static bool goes_on_with_message(Lane& lane, Bytes bytes);
  Lane& lane(stream::Direction from) { return lanes_[index(from)]; }
  void feed_head(stream::Direction from, Bytes bytes, Source source);
  void end_head(stream::Direction from, Bytes rest, const Source& source);
  void begin_messages(stream::Direction from, Side sender);

  TransportConsumer& consumer_;
  std::array<Lane, 2> lanes_;
  Transport transport_ = Transport::tcp;
  WebSocketFacts websocket_;
};

}  // namespace analyzer::connection
