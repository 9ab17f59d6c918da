// SPDX-License-Identifier: BSD-3-Clause
#include "net/frames/credit_queue.hpp"

namespace suiro::net {
namespace {

/// A peer that takes messages gives credit back by then, and if it does not, so many are asked for.
constexpr std::int64_t patience_ns = 2'000'000;
constexpr int asked_for_at_a_time = 16;

}  // namespace

void CreditQueue::hold_back() {
  FrameList messages;
  FrameList others;
  while (!ready_.empty()) {
    Frame& frame = ready_.take();
    (frame.undecided ? messages : others).add(frame);
  }
  ready_.prepend(others);
  messages_.prepend(messages);
  hope(core_.carrier.now_ns());
}

void CreditQueue::hope(std::int64_t now_ns) {
  hopes_until_ns_ = now_ns + patience_ns;
  core_.timers.schedule(*this, hopes_until_ns_ - patience_ns / 2);
}

void CreditQueue::spend() {
  if (empty()) return;
  std::uint64_t left = admission_.credit_left();
  while (!empty()) {
    const std::uint64_t length = messages_.first->header.message_bytes;
    const bool needs_credit = length <= core_.settings.eager_bytes;
    if (needs_credit && cost(length) > left) break;
    if (needs_credit) left -= cost(length);
    ready_.add(messages_.take());
  }
  if (!empty()) hope(core_.carrier.now_ns());
  seeker_.flush();
}

/// Half of the time is over: the peer is asked, as it speaks of a little new credit only then. Or
/// all of it: a peer that does not have everything yet cannot take it, the network is slow.
void CreditQueue::look(std::int64_t now_ns) {
  if (empty()) return;
  const std::int64_t half_ns = hopes_until_ns_ - patience_ns / 2;
  if (now_ns < half_ns) {
    core_.timers.schedule(*this, half_ns);
  } else if (now_ns < hopes_until_ns_) {
    seeker_.ask_for_credit();
    core_.timers.schedule(*this, hopes_until_ns_);
  } else if (!seeker_.all_arrived()) {
    hope(now_ns);
  } else {
    give_up();
  }
}

void CreditQueue::give_up() {
  admission_.give_up_hope();
  for (int going = 0; !empty(); ++going) {
    const std::uint64_t length = messages_.first->header.message_bytes;
    if (going >= asked_for_at_a_time && admission_.may_hope(length)) break;
    ready_.add(messages_.take());
  }
  if (!empty()) hope(core_.carrier.now_ns());
  seeker_.flush();
}

}  // namespace suiro::net
