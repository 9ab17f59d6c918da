// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/endpoint_set.hpp"

#include <time.h>

#include <algorithm>

#include "base/clock.hpp"

namespace suiro::fabric {
void EndpointSet::add(net::Endpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  if (std::find(endpoints_.begin(), endpoints_.end(), &endpoint) == endpoints_.end())
    endpoints_.push_back(&endpoint);
}

void EndpointSet::remove(net::Endpoint& endpoint) {
  const std::lock_guard lock(mutex_);
  std::erase(endpoints_, &endpoint);
}

void EndpointSet::progress() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  for (net::Endpoint* endpoint : endpoints_) endpoint->progress();
}

/// The wait is in pieces: several endpoints take turns, others may add and remove endpoints, and a
/// condition may come true by what no endpoint knows of, such as fi_cq_signal.
bool EndpointSet::wait(bool (*condition)(void*), void* argument, int timeout_ms) {
  constexpr std::int64_t longest_piece_ns = 10'000'000;
  const std::int64_t end_ns =
      timeout_ms < 0 ? INT64_MAX : monotonic_ns() + timeout_ms * 1'000'000LL;
  std::size_t turn = 0;
  while (!condition(argument)) {
    const std::int64_t left_ns = end_ns - monotonic_ns();
    if (left_ns <= 0) return false;
    std::unique_lock lock(mutex_);
    const std::int64_t share_ns =
        std::min(left_ns, longest_piece_ns / std::max<std::int64_t>(1, std::ssize(endpoints_)));
    if (endpoints_.empty()) {
      lock.unlock();
      const timespec pause{0, share_ns};
      nanosleep(&pause, nullptr);
    } else {
      endpoints_[turn++ % endpoints_.size()]->wait(condition, argument, share_ns);
    }
  }
  return true;
}

}  // namespace suiro::fabric
