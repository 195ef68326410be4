// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Checks the bodies of a client's requests as their bytes pass, and keeps none of them.
//
// It says what the bytes show; what a server makes of it depends on how the request ends.
#pragma once

#include <cstdint>

#include "decode/batch_check.hpp"
#include "decode/checksum.hpp"
#include "decode/facts.hpp"
#include "decode/window.hpp"

namespace iggy::decode {

// What the bytes of a request show. Nothing where they were not all captured.
struct BodyFacts {
  BatchVerdict batch;          // of a send
  bool is_right_send = false;  // one without a fault, from its first byte to the last
  // The request checksum is there and is not that of the body.
  bool is_stamp_wrong = false;
  std::uint64_t stamp = 0;     // the lower half of that checksum
  std::uint64_t checksum = 0;  // of the body, where there is one
};

// One direction's; one request after the other.
class BodyCheck {
 public:
  // Whether there is something to check in the body of the request.
  static bool has_work(const Facts& request);
  // A request with such a body begins.
  void begin(const Facts& request, std::uint32_t body_size, MessageForm form);
  void add(Bytes piece);
  // Nothing where the body was not added to its end.
  BodyFacts end(const Facts& request) const;

 private:
  bool is_send_ = false;
  bool is_stamped_ = false;
  std::uint64_t left_ = 0;  // bytes that were not added yet
  SendChecker send_;
  Xxh3 hash_;
};

}  // namespace iggy::decode
