// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Numbers of link layers as files have them, LINKTYPE_* of libpcap; those that something here
// knows.
#pragma once

#include <cstdint>

namespace analyzer::capture {

enum LinkType : std::uint16_t {
  link_null = 0,
  link_ethernet = 1,
  link_token_ring = 6,
  link_ppp = 9,
  link_fddi = 10,
  link_raw_bsd = 12,  // values that some systems write instead of 101
  link_raw_openbsd = 14,
  link_ppp_hdlc = 50,
  link_ppp_over_ethernet = 51,
  link_raw = 101,
  link_cisco_hdlc = 104,
  link_loop = 108,
  link_enc = 109,
  link_linux_cooked = 113,
  link_ppp_pppd = 166,
  link_ppp_with_direction = 204,
  link_cisco_hdlc_with_direction = 205,
  link_mpls = 219,
  link_ipv4 = 228,
  link_ipv6 = 229,
  link_nflog = 239,
  link_pktap = 258,
  link_linux_cooked_v2 = 276,
};

// libpcap's compiler, and systems that wrote its own numbers into files, know raw IP by others.
constexpr bool is_raw_ip(std::uint16_t link_type) {
  return link_type == link_raw || link_type == link_raw_bsd || link_type == link_raw_openbsd;
}

}  // namespace analyzer::capture
