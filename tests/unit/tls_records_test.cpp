// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What TLS records show without a key, in pieces of any size, and that nothing is guessed.
#include "stream/tls_records.hpp"

#include <gtest/gtest.h>

#include "support/iggy_frames.hpp"

namespace analyzer::stream {
namespace {

using support::Buffer;
using support::bytes_of;
using support::counting_bytes;
using support::joined;

Buffer record(unsigned type, const Buffer& content) {
  const auto size = static_cast<unsigned>(content.size());
  return joined({bytes_of({type, 3, 3, size >> 8U, size & 0xffU}), content});
}

TEST(TlsRecords, TellHelloAndProtectedRecordsInPiecesOfAnySize) {
  const Buffer bytes = joined({record(22, counting_bytes(300)), record(20, counting_bytes(1)),
                               record(23, counting_bytes(19)), record(23, counting_bytes(400))});
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    TlsRecords records;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      records.feed(Bytes{bytes}.subspan(at, std::min(piece, bytes.size() - at)), at + 1);
    EXPECT_TRUE(records.is_whole());
    EXPECT_TRUE(records.said_hello());
    EXPECT_EQ(records.protected_records(), 2U);
    EXPECT_EQ(records.protected_length(), 19U);
    EXPECT_FALSE(records.alert());
  }
}

TEST(TlsRecords, TellAnAlertThatIsNotEncrypted) {
  TlsRecords records;
  records.feed(record(21, bytes_of({2, 48})), 7);
  ASSERT_TRUE(records.alert());
  EXPECT_EQ(records.alert()->level, TlsRecords::fatal);
  EXPECT_EQ(records.alert()->description, 48);
  EXPECT_EQ(records.alert()->packet, 7U);
  TlsRecords encrypted;
  encrypted.feed(record(21, counting_bytes(26)), 7);
  EXPECT_FALSE(encrypted.alert());
}

TEST(TlsRecords, AreLostWhereNoRecordBegins) {
  TlsRecords records;
  records.feed(joined({record(22, counting_bytes(10)), bytes_of({0x47, 0x45, 0x54, 0x20, 0x2f}),
                       record(23, counting_bytes(19))}),
               1);
  EXPECT_FALSE(records.is_whole());
  EXPECT_EQ(records.protected_records(), 0U);
  TlsRecords gap;
  gap.lose();
  gap.feed(record(23, counting_bytes(19)), 1);
  EXPECT_EQ(gap.protected_records(), 0U);
  TlsRecords too_long;
  too_long.feed(bytes_of({23, 3, 3, 0xff, 0xff}), 1);
  EXPECT_FALSE(too_long.is_whole());
}

TEST(TlsRecords, MayBeEmpty) {
  TlsRecords records;
  records.feed(joined({record(23, {}), record(23, counting_bytes(5))}), 3);
  EXPECT_TRUE(records.is_whole());
  EXPECT_EQ(records.protected_records(), 2U);
}

}  // namespace
}  // namespace analyzer::stream
