// SPDX-License-Identifier: BSD-3-Clause
#include "net/calling_threads.hpp"

#include <atomic>

namespace suiro::net {
namespace {

std::atomic<int> calling{0};

/// Made in a thread that is counted, ends with it.
struct Counted {
  Counted() { calling.fetch_add(1, std::memory_order_relaxed); }
  ~Counted() { calling.fetch_sub(1, std::memory_order_relaxed); }
};

// Apart from the object, which is not looked at as fast.
thread_local bool is_counted = false;

}  // namespace

void count_calling_thread() {
  if (is_counted) return;
  is_counted = true;
  static thread_local const Counted counted;
}

int calling_threads() { return calling.load(std::memory_order_relaxed); }

}  // namespace suiro::net
