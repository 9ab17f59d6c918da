// SPDX-License-Identifier: BSD-3-Clause
#include "net/frames/admission.hpp"

#include <algorithm>

namespace suiro::net {
namespace {

/// Of messages that could go whole on a near link one is asked for after so many, so that the
/// receiver sees whether the link is still as fast.
constexpr int ahead_in_row_max = 64;

constexpr int requests_at_a_time = 16;

}  // namespace

bool Admission::hear_credit(std::uint32_t consumed_bytes) {
  const auto more =
      static_cast<std::int32_t>(consumed_bytes - static_cast<std::uint32_t>(peer_credit_));
  if (more <= 0) return false;
  peer_credit_ += static_cast<std::uint32_t>(more);
  hoped_credit_ = std::max(hoped_credit_, credit_left());
  requests_allowed_ = 0;
  return true;
}

bool Admission::may_be_eager(std::uint64_t length) const {
  return may_go_whole(length) && cost(length) <= credit_left();
}

/// If there is credit.
bool Admission::may_go_whole(std::uint64_t length) const {
  return (is_short(length) || may_go_ahead(length)) && length <= max_payload_bytes;
}

/// On a near link, who sends faster than the peer receives would only fill its memory; on a far one
/// a request costs more than that. Who was answered each time does not send faster; but in a crowd
/// such a peer may be away, and what it did not expect must be copied. Now and then one is asked
/// for, which measures the link.
bool Admission::may_go_ahead(std::uint64_t length) const {
  if (ahead_in_row_ >= ahead_in_row_max) return false;
  if (answered_ && turned_ && !settings_.crowded() && ahead_.fits_in_turns(length)) return true;
  const bool last_is_taken = peer_credit_ >= credit_when_taken_;
  return ahead_.fits(length) && (!ahead_.only_whole || last_is_taken);
}

void Admission::send_eager(std::uint64_t length) {
  spent_credit_ += cost(length);
  if (is_short(length)) return;
  take_turn();
  ++ahead_in_row_;
  credit_when_taken_ = peer_credit_ + cost(length);
}

/// To ask for a short message costs both sides far more than to wait until those before it were
/// taken. The peer tells of credit that is free by a quarter of its share at the latest, so half of
/// the share comes for certain if everything is taken.
bool Admission::may_hope(std::uint64_t length) const {
  return is_short(length) && 2 * cost(length) <= hoped_credit_ && !leaving_;
}

bool Admission::should_wait(std::uint64_t length) const {
  return may_hope(length) && cost(length) > credit_left() && requests_allowed_ == 0;
}

/// The peer does not take messages, and may want one that waits. Some are asked for, not all, since
/// it takes a round trip to take one of those. But with less and less hope, in the end all are.
void Admission::give_up_hope() {
  hoped_credit_ /= 2;
  requests_allowed_ = requests_at_a_time;
}

/// What the link carries until the answer comes goes ahead.
Admission::Request Admission::request(std::uint64_t length) {
  if (is_short(length) && requests_allowed_ > 0) --requests_allowed_;
  const std::uint64_t room = credit_left() > cost(0) ? credit_left() - cost(0) : 0;
  const std::uint64_t wished = may_go_whole(length) ? length : std::min(ahead_.of_longer(), length);
  const std::uint64_t ahead = std::min(ahead_.of_longer(), room);
  const bool worthwhile = ahead >= least_ahead && ahead < length;
  if (worthwhile) spent_credit_ += cost(ahead);
  take_turn();
  ahead_in_row_ = 0;
  return {.ahead_bytes = static_cast<std::uint32_t>(worthwhile ? ahead : 0),
          .wished_bytes = static_cast<std::uint32_t>(wished > room ? wished : 0)};
}

}  // namespace suiro::net
