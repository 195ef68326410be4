// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The magic numbers of other files, and the looks of text. It must not guess beyond the bytes.
#include "capture/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "capture/load.hpp"
#include "decode/utf8.hpp"

namespace analyzer::capture {
namespace {

using namespace std::string_view_literals;

constexpr auto convert = "; convert it first (editcap -F pcapng IN OUT)"sv;

struct Known {
  std::size_t at;
  std::string_view magic;
  std::string_view what;
  std::string_view advice;
};

// What may hold packets.
constexpr std::array captures{
    Known{0, "\x1f\x8b\x08"sv, "compressed with gzip once more", "; unpack it first (gunzip)"},
    Known{0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd once more", "; unpack it first (zstd -d)"},
    Known{0, "\x04\x22\x4d\x18"sv, "compressed with lz4 once more", "; unpack it first (lz4 -d)"},
    Known{0, "\x02\x21\x4c\x18"sv, "in the legacy form of lz4", "; unpack it first (lz4 -d)"},
    Known{0, "\xfd\x37zXZ\0"sv, "compressed with xz", "; unpack it first (xz -d)"},
    Known{0, "\x5d\0\0"sv, "compressed with lzma", "; unpack it first (xz -d)"},
    Known{0, "LZIP"sv, "compressed with lzip", "; unpack it first (lzip -d)"},
    Known{0, "\x89LZO\0"sv, "compressed with lzop", "; unpack it first (lzop -d)"},
    Known{0, "BZh"sv, "compressed with bzip2", "; unpack it first (bzip2 -d)"},
    Known{0, "\x1f\x9d"sv, "compressed with compress", "; unpack it first (uncompress)"},
    Known{0, "PK\x03\x04"sv, "a zip archive", "; unpack it first (unzip)"},
    Known{0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive", "; unpack it first (7z x)"},
    Known{0, "Rar!\x1a\x07"sv, "a RAR archive", "; unpack it first (unrar x)"},
    Known{257, "ustar"sv, "a tar archive", "; unpack it first (tar -xf)"},
    Known{0, "snoop\0\0\0"sv, "a snoop capture", convert},
    Known{0, "btsnoop\0"sv, "a Bluetooth capture (btsnoop)", ""},
    Known{0, "RTSS"sv, "a capture of Microsoft Network Monitor", convert},
    Known{0, "GMBU"sv, "a capture of Microsoft Network Monitor", convert},
    Known{0, "TRSNIFF data    \x1a"sv, "a capture of Sniffer", convert},
    Known{0, "XCP\0"sv, "a capture of Sniffer or NetXRay", convert},
    Known{0, "iptrace "sv, "a capture of AIX iptrace", convert},
    Known{0, "\x54\x52\0\x64\0"sv, "a capture of HP-UX nettl", convert},
    Known{0, "\xaa\xaa\xaa\xaa"sv, "a capture of 5View", convert},
    Known{0, "\x7fver"sv, "a capture of Savvius *Peek", convert},
    Known{0, "\xa1\x2b\x3c\x4d"sv, "pcap in Navtel's form, which nobody reads", ""},
    Known{0, "\x4d\x3c\x2b\xa1"sv, "pcap in Navtel's form, which nobody reads", ""},
    Known{0, "\xa1\xb2\x34\xcd"sv, "pcap in the form of F. Mesquita, which nobody reads", ""},
    Known{0, "\xcd\x34\xb2\xa1"sv, "pcap in the form of F. Mesquita, which nobody reads", ""},
};

// What does not.
constexpr std::array others{
    Known{0, "\xa1\xb2\xc3\xcb"sv, "a compiled filter of libpcap", ""},
    Known{0, "\xcb\xc3\xb2\xa1"sv, "a compiled filter of libpcap", ""},
    Known{0,
          "\x7f"
          "ELF"sv,
          "a program (ELF)", ""},
    Known{0, "MZ"sv, "a program (Windows)", ""},
    Known{0, "%PDF-"sv, "a PDF document", ""},
    Known{0, "\x89PNG\r\n"sv, "a picture (PNG)", ""},
    Known{0, "\xff\xd8\xff"sv, "a picture (JPEG)", ""},
    Known{0, "SQLite format 3\0"sv, "a database (SQLite)", ""},
    Known{0, "PAR1"sv, "a Parquet file", ""},
    Known{0, "\xff\xfe"sv, "text (UTF-16)", ""},
    Known{0, "LPKSHHRH"sv, "a journal of systemd", ""},
};

// What texts begin with, after spaces.
struct KnownText {
  std::string_view start;
  std::string_view what;
};
constexpr std::array texts{
    KnownText{"# TLS secrets log", "a TLS key log"},
    KnownText{"CLIENT_RANDOM ", "a TLS key log"},
    KnownText{"CLIENT_HANDSHAKE_TRAFFIC_SECRET ", "a TLS key log"},
    KnownText{"SERVER_HANDSHAKE_TRAFFIC_SECRET ", "a TLS key log"},
    KnownText{"-----BEGIN ", "a key or certificate (PEM)"},
    KnownText{"#!", "a script"},
    KnownText{"<?xml", "XML"},
    KnownText{"<pdml", "XML (PDML)"},
    KnownText{"<!DOCTYPE html", "HTML"},
    KnownText{"<html", "HTML"},
    KnownText{"HTTP/1.", "an HTTP answer"},
};

bool holds(Bytes bytes, std::size_t at, std::string_view magic) {
  return bytes.size() >= at + magic.size() &&
         std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

// Whether it is UTF-8 without control bytes; the last character may be cut.
bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto first = static_cast<unsigned char>(bytes.front());
    const bool is_space = first == '\n' || first == '\r' || first == '\t' || first == '\x1b';
    if ((first < 0x20 && !is_space) || first == 0x7f) return false;
    const std::size_t length = iggy::decode::utf8_length(bytes);
    if (length == 0) return bytes.size() < 4 && first >= 0xc2;
    bytes.remove_prefix(length);
  }
  return true;
}

// Lines of an offset and bytes, as tcpdump -x, xxd, hexdump and od print them.
bool is_hex_dump(std::string_view line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  constexpr auto hex = "0123456789abcdefABCDEF"sv;
  const std::size_t offset = std::min(line.find_first_not_of(hex), line.size());
  if (offset < 4 || line.substr(0, 4) != "0000") return false;
  line.remove_prefix(offset);
  if (line.starts_with(':')) line.remove_prefix(1);
  const std::size_t space = std::min(line.find_first_not_of(' '), line.size());
  return space != 0 && std::min(line.find_first_not_of(hex, space), line.size()) - space >= 2;
}

// Which of the texts it is; "text" when none.
std::string_view text_kind(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  for (const KnownText& known : texts)
    if (text.starts_with(known.start)) return known.what;
  if (is_hex_dump(text) || (text.find("\n\t0x0000:") != text.npos)) return "a hex dump";
  if (text.starts_with('{')) {
    return text.substr(0, 40).find("\"log\"") != text.npos ? "JSON, perhaps an HTTP archive"
                                                           : "JSON";
  }
  return text.starts_with('[') && text.find_first_of("{\"") != text.npos ? "JSON" : "text";
}

}  // namespace

FileKind file_kind(Bytes start) {
  start = start.first(std::min(start.size(), file_kind_bytes));
  if (start.empty()) return {"it is empty", false};
  for (const Known& known : captures)
    if (holds(start, known.at, known.magic)) {
      return {fmt::format("it is {}{}", known.what, known.advice), true};
    }
  for (const Known& known : others)
    if (holds(start, known.at, known.magic)) return {fmt::format("it is {}", known.what), false};
  if (start.size() < 4 && load_u8(start, 0) >= 0x80)
    return {fmt::format("it has only {} bytes", start.size()), true};
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (is_text(text)) {
    const std::string_view kind = text_kind(text);
    const auto how = kind == "a hex dump" ? "; make a capture of it first (text2pcap)"sv : ""sv;
    return {fmt::format("it looks like {}{}", kind, how), false};
  }
  if (std::all_of(start.begin(), start.end(), [](std::byte b) { return b == std::byte{0}; }))
    return {"it starts with zeros", false};
  if (start.size() < 4) return {fmt::format("it has only {} bytes", start.size()), false};
  return {fmt::format("it starts with {:02x} {:02x} {:02x} {:02x}", load_u8(start, 0),
                      load_u8(start, 1), load_u8(start, 2), load_u8(start, 3)),
          false};
}

}  // namespace analyzer::capture
