// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wireshark's headers in the one order that works from C++, and the few names that its minor
// versions spell differently. Nothing else includes them.
//
// GLib's headers hold templates and must come before anything is wrapped in extern "C"; some of
// Wireshark's forgot to do that themselves, and their functions would be missing at load time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

// clang-format off
#include <ws_version.h>
#include <wireshark.h>
#include <epan/packet.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <epan/uat.h>
#include <epan/conversation.h>
#include <epan/exceptions.h>
#include <epan/wmem_scopes.h>
#include <epan/dissectors/packet-tcp.h>
#if __has_include(<wsutil/plugins.h>)
#include <wsutil/plugins.h>
#endif
extern "C" {
#include <epan/dissectors/packet-tls.h>
#include <epan/show_exception.h>
}
// clang-format on

// Whether this is built for Wireshark `major`.`minor` or later.
#define IGGY_WIRESHARK_IS(major, minor) \
  (WIRESHARK_VERSION_MAJOR > (major) || \
   (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

namespace plugin {

// What heuristics return and boolean preferences point at: GLib's up to 4.2, the language's since.
#if IGGY_WIRESHARK_IS(4, 4)
using ws_bool = bool;
#else
using ws_bool = gboolean;
#endif

// `count` includes the terminator. The table and its name have to live as long as the program.
inline value_string_ext* make_value_string_ext(const value_string* table, unsigned count,
                                               const char* name) {
#if IGGY_WIRESHARK_IS(4, 6)
  return value_string_ext_new(wmem_epan_scope(), table, count, name);
#else
  return value_string_ext_new(table, count, name);
#endif
}

// Ties a TLS session to a dissector, from the data that a heuristic of TLS is given.
inline void bind_tls_session(void* data, dissector_handle_t handle) {
#if IGGY_WIRESHARK_IS(4, 2)
  *static_cast<tlsinfo*>(data)->app_handle = handle;
#else
  *static_cast<dissector_handle_t*>(data) = handle;
#endif
}

// How the dialog of a user's table asks for the name of a dissector.
#if IGGY_WIRESHARK_IS(4, 4)
inline constexpr uat_text_mode_t dissector_text_mode = PT_TXTMOD_DISSECTOR;
#else
inline constexpr uat_text_mode_t dissector_text_mode = PT_TXTMOD_STRING;
#endif

// Calls the dissector that a table has for a text; 0 where there is none, or it declines.
inline int try_string(dissector_table_t table, const char* text, tvbuff_t* tvb, packet_info* pinfo,
                      proto_tree* tree) {
#if IGGY_WIRESHARK_IS(4, 6)
  return dissector_try_string_with_data(table, text, tvb, pinfo, tree, true, nullptr);
#else
  return dissector_try_string(table, text, tvb, pinfo, tree, nullptr);
#endif
}

// A capture may say any time; what is beyond 200 years from 1970 is cut to that.
inline std::int64_t nanoseconds(const nstime_t& time) {
  constexpr std::int64_t most = std::int64_t{200} * 366 * 86'400;
  return std::clamp<std::int64_t>(time.secs, -most, most) * 1'000'000'000 + time.nsecs;
}

// Flags of tcp.completeness: a FIN or a RST was seen. No header of Wireshark names them.
inline constexpr unsigned saw_fin = 0x10;
inline constexpr unsigned saw_reset = 0x20;

// A text that epan or a packet keeps, ended by a zero byte.
inline char* pooled(wmem_allocator_t* pool, std::string_view text) {
  return wmem_strndup(pool, text.data(), text.size());
}

// Offsets and lengths of frames fit: a tvb never holds more than an int can count.
constexpr int to_int(std::uint32_t value) {
  return static_cast<int>(value);
}

}  // namespace plugin
