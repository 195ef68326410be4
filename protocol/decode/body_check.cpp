// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The checks of body_check.hpp.
#include "decode/body_check.hpp"

#include "iggy/registry.hpp"

namespace iggy::decode {

namespace {

bool is_send(const Facts& request) {
  return request.operation == operation::send_messages;
}
bool is_stamped(const Facts& request) {
  return !request.request_checksum.is_zero();
}

}  // namespace

bool BodyCheck::has_work(const Facts& request) {
  return is_send(request) || is_stamped(request);
}

void BodyCheck::begin(const Facts& request, std::uint32_t body_size, MessageForm form) {
  is_send_ = is_send(request);
  is_stamped_ = is_stamped(request);
  left_ = body_size;
  if (is_send_) send_.begin(body_size, form);
  if (is_stamped_) hash_.begin();
}

void BodyCheck::add(Bytes piece) {
  left_ -= piece.size();
  if (is_send_) send_.add(piece);
  if (is_stamped_) hash_.add(piece);
}

BodyFacts BodyCheck::end(const Facts& request) const {
  BodyFacts facts;
  if (left_ != 0) return facts;
  if (is_send_) facts.batch = send_.verdict();
  facts.is_right_send = is_send_ && send_.has_batch() && facts.batch.fault == BatchFault::none;
  if (!is_stamped_) return facts;
  facts.stamp = request.request_checksum.low;
  facts.checksum = hash_.value();
  facts.is_stamp_wrong = request.request_checksum != U128{facts.checksum, 0};
  return facts;
}

}  // namespace iggy::decode
