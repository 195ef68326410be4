// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// A capture that is written by hand: TCP connections whose two sides say frames in turn.
//
// Frames are made from JSON by the rows of the tables (support/encoder.hpp). It must not decide
// what a client or a server would say; that is the story of each sample.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "iggy/registry.hpp"
#include "support/capture_builder.hpp"
#include "support/encoder.hpp"
#include "support/iggy_frames.hpp"

namespace samples {

using iggy::Generation;
using support::Buffer;
using support::Endpoint;
using Json = nlohmann::ordered_json;

// Packets in the order of time.
class Capture {
 public:
  void packet(const Endpoint& from, const Endpoint& to, std::uint32_t sequence,
              std::uint32_t acknowledgement, support::TcpFlags flags, Buffer payload) {
    const Buffer bytes = support::ip(support::Tcp{.from = from,
                                                  .to = to,
                                                  .sequence = sequence,
                                                  .acknowledgement = acknowledgement,
                                                  .flags = flags,
                                                  .payload = std::move(payload)});
    file_.packet(now_, support::ethernet(bytes));
    wait(step);
  }
  void wait(std::int64_t nanoseconds) { now_ += nanoseconds; }
  const Buffer& bytes() const { return file_.bytes(); }

  static constexpr std::int64_t millisecond = 1'000'000;

 private:
  static constexpr std::int64_t step = 40'000;
  support::PcapFile file_;
  std::int64_t now_ = std::int64_t{1'796'000'000} * 1'000'000'000;
};

// One TCP connection, from its handshake to its FINs.
class Connection {
 public:
  Connection(Capture& capture, Endpoint client, Endpoint server)
      : capture_(capture), sides_{{{client, 1'000}, {server, 900'000}}} {
    move(0, {.syn = true}, {});
    move(1, {.syn = true, .ack = true}, {});
    move(0, {.ack = true}, {});
  }
  // Each says what it has to say in one segment, which the other acknowledges.
  void client(const Buffer& bytes) { say(0, bytes); }
  void server(const Buffer& bytes) { say(1, bytes); }
  // Asks, and is answered after the time that a server takes.
  void exchange(const Buffer& request, const Buffer& reply, std::int64_t takes = 600'000) {
    client(request);
    capture_.wait(takes);
    server(reply);
  }
  void close() {
    move(0, {.fin = true, .ack = true}, {});
    move(1, {.fin = true, .ack = true}, {});
    move(0, {.ack = true}, {});
  }

 private:
  struct Speaker {
    Endpoint endpoint;
    std::uint32_t sequence;
  };
  void say(std::size_t from, const Buffer& bytes) {
    move(from, {.ack = true}, bytes);
    move(1 - from, {.ack = true}, {});
  }
  void move(std::size_t from, support::TcpFlags flags, const Buffer& bytes) {
    Speaker& speaker = sides_[from];
    const Speaker& other = sides_[1 - from];
    capture_.packet(speaker.endpoint, other.endpoint, speaker.sequence,
                    flags.ack ? other.sequence : 0, flags, bytes);
    speaker.sequence +=
        static_cast<std::uint32_t>(bytes.size()) + (flags.syn ? 1U : 0U) + (flags.fin ? 1U : 0U);
  }

  Capture& capture_;
  std::array<Speaker, 2> sides_;
};

// Frames of one build, by the names of their commands.
class Frames {
 public:
  explicit Frames(iggy::Dialect dialect) : dialect_(dialect) {}

  // `header` says what is not 0 besides command, size, operation and code.
  Buffer request(std::string_view name, Json header, const Json& body = Json::object()) const {
    const iggy::Exchange& exchange = exchange_of(name);
    header["operation"] = exchange.operation;
    if (exchange.operation == iggy::operation::non_replicated) header["code"] = exchange.code;
    return frame(5, header, support::Encoder::encode(*bodies_of(exchange).request.layout, body));
  }
  Buffer reply(std::string_view name, Json header, const Json& body = Json::object()) const {
    const iggy::Exchange& exchange = exchange_of(name);
    if (!header.contains("operation")) header["operation"] = exchange.operation;
    return frame(8, header, support::Encoder::encode(*bodies_of(exchange).reply.layout, body));
  }
  // A reply that says with its header alone what went wrong.
  Buffer refusal(std::string_view name, Json header, std::uint32_t status) const {
    header["operation"] = exchange_of(name).operation;
    header["status"] = status;
    return frame(8, header, {});
  }

 private:
  const iggy::Exchange& exchange_of(std::string_view name) const {
    for (const iggy::Exchange& exchange : iggy::exchanges(dialect_.generation))
      if (exchange.name == name) return exchange;
    throw std::out_of_range(std::string(name));
  }
  const iggy::CommandBodies& bodies_of(const iggy::Exchange& exchange) const {
    return *iggy::find_bodies(dialect_, exchange.code);
  }
  Buffer frame(std::uint8_t command, Json& header, const Buffer& body) const {
    header["command"] = command;
    header["size"] = 256 + body.size();
    const iggy::describe::Layout& layout = *iggy::header_layout(dialect_.generation, command);
    return support::joined({support::Encoder::encode(layout, header), body});
  }

  iggy::Dialect dialect_;
};

}  // namespace samples
