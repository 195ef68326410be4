// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// What is said of a fault: what was found and what was expected, and the whole sentence.
#include "decode/batch_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace iggy::decode {
namespace {

std::string said(const BatchVerdict& wrong) {
  return std::string(fault_text(wrong).text());
}

TEST(FaultText, NothingIsSaidOfNothing) {
  EXPECT_EQ(said({}), "");
}

TEST(FaultText, ChecksumsAreWrittenWithTheirZeros) {
  EXPECT_EQ(said({BatchFault::batch_checksum, 0, 40, 0x1f, 0xb0931696e4f4ffe9}),
            "the checksum of the batch is 0xb0931696e4f4ffe9, and that of its bytes "
            "0x000000000000001f");
  EXPECT_EQ(said({BatchFault::message_checksum, 3, 0, 1, 2}),
            "the checksum of message 3 (the first is 0) is 0x0000000000000002, and that of its "
            "bytes 0x0000000000000001");
}

TEST(FaultText, LengthsAreTooShortOrTooLong) {
  EXPECT_EQ(said({BatchFault::batch_length, 0, 0, 256, 200}),
            "the batch has 200 bytes, where at least 256 are expected");
  EXPECT_EQ(said({BatchFault::batch_length, 0, 0, 256, 305}),
            "the batch says that it has 305 bytes, and 256 are left");
  EXPECT_EQ(said({BatchFault::message_length, 1, 0, 48, 1}),
            "message 1 (the first is 0) has 1 byte, where at least 48 are expected");
  EXPECT_EQ(said({BatchFault::message_length, 1, 0, 48, 90}),
            "message 1 (the first is 0) says that it has 90 bytes behind its header, and 48 are "
            "left");
}

TEST(FaultText, ReservedBytesAreThoseThatMayNotBeSet) {
  EXPECT_EQ(said({BatchFault::reserved, 0, 80, 0, 2}),
            "byte 80 of the body is 2, where 0 is expected");
  EXPECT_EQ(said({BatchFault::reserved, 0, 72, 1, 2}),
            "byte 72 of the body is 2, where 0 or 1 is expected");
}

TEST(FaultText, CountsAreOfTheBatchOrAroundIt) {
  EXPECT_EQ(said({BatchFault::message_count, 0, 0, 1, 2}),
            "the batch says that it holds 2 messages, and there is 1");
  EXPECT_EQ(said({BatchFault::messages_count, 0, 0, 2, 1}),
            "what is around it counts 1 message, and there are 2");
}

// The longest numbers of each fault leave its sentence whole.
TEST(FaultText, IsNeverCut) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  for (int fault = 1; fault <= static_cast<int>(BatchFault::records_length); ++fault) {
    const std::string text =
        said({static_cast<BatchFault>(fault), 0xffffffff, 0xffffffff, most, most - 1});
    EXPECT_FALSE(text.empty()) << fault;
    EXPECT_LT(text.size(), 191U) << text;
  }
}

}  // namespace
}  // namespace iggy::decode
