// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The least that a program can do with a capture: libpcap hands out every packet, and its bytes are
// counted. What analyze costs is measured against this.
#include <pcap/pcap.h>

#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: pcap-loop FILE\n", stderr);
    return 2;
  }
  char error[PCAP_ERRBUF_SIZE] = "";
  pcap_t* capture = pcap_open_offline(argv[1], error);
  if (capture == nullptr) {
    std::fprintf(stderr, "pcap-loop: %s\n", error);
    return 3;
  }
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  std::uint64_t packets = 0;
  std::uint64_t total = 0;
  while (pcap_next_ex(capture, &header, &bytes) == 1) {
    ++packets;
    total += header->caplen;
  }
  pcap_close(capture);
  std::printf("%llu packets, %llu bytes\n", static_cast<unsigned long long>(packets),
              static_cast<unsigned long long>(total));
  return 0;
}
