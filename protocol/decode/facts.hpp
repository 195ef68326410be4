// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The few fields of a header that steer everything else, read at places that the tables gave.
//
// A shortcut past the walk, not a second description: every offset comes from a row at compile
// time.
#pragma once

#include <cstdint>
#include <string_view>

#include "decode/window.hpp"
#include "describe/field.hpp"
#include "iggy/generation.hpp"
#include "iggy/registry.hpp"
#include "iggy/version.hpp"

namespace iggy::decode {

// How a frame is framed, which decides what its header is.
enum class Form : std::uint8_t { frame, legacy_request, legacy_reply };

// Fields that the frame's own header does not have are zero.
struct Facts {
  Form form = Form::frame;
  std::uint8_t command = 0;    // of Form::frame
  std::uint8_t operation = 0;  // legacy requests count as NonReplicated
  std::uint8_t replica = 0;
  std::uint8_t reason = 0;  // of an eviction
  std::uint32_t size = 0;   // header and body, in bytes
  std::uint32_t view = 0;
  std::uint32_t code = 0;    // of operation 2 and of legacy requests
  std::uint32_t status = 0;  // of replies
  std::uint64_t request = 0;
  std::uint64_t session = 0;
  std::uint64_t op = 0;     // position in the log of its group
  std::uint64_t group = 0;  // of frames between replicas that name one
  U128 client;
  U128 request_checksum;
  VersionWindow window;  // of an eviction

  bool is(Command other) const {
    return form == Form::frame && command == static_cast<std::uint8_t>(other);
  }
  bool is_request() const { return form == Form::legacy_request || is(Command::Request); }
  bool is_reply() const { return form == Form::legacy_reply || is(Command::Reply); }
};

// `header` has at least 256 bytes: the caller has checked that the header is whole, nothing is
// checked here. v0 and va have some fields elsewhere.
Facts facts_of(Bytes header, Generation generation);
// The client id of a Request, which lies alike in all generations; zero for other frames.
U128 client_of_request(Bytes header);
// `header` has at least 8 bytes: here as well the caller has checked that it is whole.
Facts legacy_facts_of(Bytes header, bool from_client);

// The layout of the frame's header. A command that the generation does not have is shown as that of
// a newer one.
const describe::Layout& header_layout_of(const Facts& facts, Generation generation);

// Upstream's name of the command, or LegacyRequest and LegacyReply.
std::string_view command_name_of(const Facts& facts);

}  // namespace iggy::decode
