// SPDX-License-Identifier: BSD-3-Clause
// Which messages go at once, which are asked for, and how much of these goes ahead
// (docs/decisions/0017-a-part-goes-ahead.md).
#include <algorithm>
#include <memory>

#include "net/engine/outbox.hpp"

namespace suiro::net {
namespace {

/// Of messages that could go whole on a near link one is asked for after so many, so that the
/// receiver sees whether the link is still as fast.
constexpr int ahead_in_row_max = 64;

/// A peer that takes messages gives credit back by then, and if it does not, so many are asked for.
constexpr std::int64_t patience_ns = 2'000'000;
constexpr int requests_at_a_time = 16;

}  // namespace

bool Outbox::may_be_eager(std::uint64_t length) const {
  return may_go_whole(length) && cost(length) <= credit_left();
}

/// If there is credit.
bool Outbox::may_go_whole(std::uint64_t length) const {
  return (length <= core_.settings.eager_bytes || may_go_ahead(length)) &&
         length <= max_payload_bytes;
}

/// On a near link, who sends faster than the peer receives would only fill its memory; on a far one
/// a request costs more than that. Who was answered each time does not send faster; but in a crowd
/// such a peer may be away, and what it did not expect must be copied. Now and then one is asked
/// for, which measures the link.
bool Outbox::may_go_ahead(std::uint64_t length) const {
  if (ahead_in_row_ >= ahead_in_row_max) return false;
  if (answered_ && turned_ && !core_.settings.crowded() && ahead_.fits_in_turns(length))
    return true;
  const bool last_is_taken = peer_credit_ >= credit_when_taken_;
  return ahead_.fits(length) && (!ahead_.only_whole || last_is_taken);
}

void Outbox::decide(Frame& frame) {
  frame.undecided = false;
  const std::uint64_t length = frame.header.message_bytes;
  if (may_be_eager(length)) {
    charge_eager(length);
    // The user may have the memory back soon where a copy is cheap.
    Send& send = *frame.send;
    if (send.copy == nullptr && keeps_copy(length)) {
      send.copy = std::make_unique_for_overwrite<std::byte[]>(length);
      send.payload.get(send.copy.get());
      send.payload = Segments(send.copy.get(), length);
      core_.statistics.copied_bytes += length;
    }
    return;
  }
  if (length <= core_.settings.eager_bytes) {
    ++core_.statistics.requests_for_lack_of_credit;
    if (requests_allowed_ > 0) --requests_allowed_;
  }
  announce(frame);
}

void Outbox::charge_eager(std::uint64_t length) {
  spent_credit_ += cost(length);
  ++core_.statistics.eager_sent;
  core_.statistics.eager_bytes_sent += length;
  if (length <= core_.settings.eager_bytes) return;
  take_turn();
  ++ahead_in_row_;
  credit_when_taken_ = peer_credit_ + cost(length);
}

/// To ask for a short message costs both sides far more than to wait until those before it were
/// taken. The peer tells of credit that is free by a quarter of its share at the latest, so half of
/// the share comes for certain if everything is taken.
bool Outbox::may_hope(std::uint64_t length) const {
  return length <= core_.settings.eager_bytes && 2 * cost(length) <= hoped_credit_ && !leaving_;
}

bool Outbox::should_wait_for_credit(std::uint64_t length) const {
  return may_hope(length) && cost(length) > credit_left() && requests_allowed_ == 0;
}

/// All messages that wait, as they keep their order; what is no message goes on.
void Outbox::wait_for_credit() {
  FrameList messages;
  FrameList others;
  while (!waiting_.empty()) {
    Frame& frame = waiting_.take();
    (frame.undecided ? messages : others).add(frame);
  }
  waiting_.prepend(others);
  without_credit_.prepend(messages);
  hope(core_.carrier.now_ns());
}

void Outbox::hope(std::int64_t now_ns) {
  hopes_until_ns_ = now_ns + patience_ns;
  core_.timers.schedule(*this, hopes_until_ns_ - patience_ns / 2);
}

void Outbox::spend_new_credit() {
  std::uint64_t left = credit_left();
  hoped_credit_ = std::max(hoped_credit_, left);
  requests_allowed_ = 0;
  if (without_credit_.empty()) return;
  while (!without_credit_.empty()) {
    const std::uint64_t length = without_credit_.first->header.message_bytes;
    const bool needs_credit = length <= core_.settings.eager_bytes;
    if (needs_credit && cost(length) > left) break;
    if (needs_credit) left -= cost(length);
    waiting_.add(without_credit_.take());
  }
  if (!without_credit_.empty()) hope(core_.carrier.now_ns());
  flush();
}

/// Half of the time is over: the peer is asked, as it speaks of a little new credit only then. Or
/// all of it: a peer that does not have everything yet cannot take it, the network is slow.
void Outbox::look(std::int64_t now_ns) {
  if (without_credit_.empty()) return;
  const std::int64_t half_ns = hopes_until_ns_ - patience_ns / 2;
  if (now_ns < half_ns) {
    core_.timers.schedule(*this, half_ns);
  } else if (now_ns < hopes_until_ns_) {
    tell(Answer::wanted);
    core_.timers.schedule(*this, hopes_until_ns_);
  } else if (acknowledged_ != next_sequence_) {
    hope(now_ns);
  } else {
    stop_waiting_for_credit();
  }
}

/// The peer does not take messages, and may want one that waits. Some are asked for, not all, since
/// it takes a round trip to take one of those. But with less and less hope, in the end all are.
void Outbox::stop_waiting_for_credit() {
  hoped_credit_ /= 2;
  requests_allowed_ = requests_at_a_time;
  for (int going = 0; !without_credit_.empty(); ++going) {
    const std::uint64_t length = without_credit_.first->header.message_bytes;
    if (going >= requests_at_a_time && may_hope(length)) break;
    waiting_.add(without_credit_.take());
  }
  if (!without_credit_.empty()) hope(core_.carrier.now_ns());
  flush();
}

/// Asks for a long message to be fetched. What the link carries until the answer comes goes ahead.
void Outbox::announce(Frame& frame) {
  Header& header = frame.header;
  Send& send = *frame.send;
  const std::uint64_t length = header.message_bytes;
  const std::uint64_t room = credit_left() > cost(0) ? credit_left() - cost(0) : 0;
  const std::uint64_t wished = may_go_whole(length) ? length : std::min(ahead_.of_longer(), length);
  const std::uint64_t ahead = std::min(ahead_.of_longer(), room);
  const bool worthwhile = ahead >= least_ahead && ahead < length;
  header.ahead_bytes = static_cast<std::uint32_t>(wished > room ? wished : 0);
  header.kind = FrameKind::request;
  header.payload_bytes = static_cast<std::uint32_t>(worthwhile ? ahead : 0);
  header.busy = announcer_.busy_links();
  header.transfer = announcer_.announce(send);
  if (charges(header)) spent_credit_ += cost(header.payload_bytes);
  ++core_.statistics.requests_sent;
  core_.statistics.ahead_bytes_sent += header.payload_bytes;
  send.announcing = worthwhile;
  take_turn();
  ahead_in_row_ = 0;
  if (!worthwhile) frame.send = nullptr;
}

}  // namespace suiro::net
