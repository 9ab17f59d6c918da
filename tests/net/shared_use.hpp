// SPDX-License-Identifier: BSD-3-Clause
// What tests of shared memory have in common.
#pragma once

#include <gtest/gtest.h>

#include <chrono>

#include "base/random.hpp"
#include "net/shared/carrier.hpp"
#include "poll_within.hpp"
#include "recorder.hpp"

namespace suiro::net {

using namespace std::chrono_literals;

inline Name new_name() {
  Name name;
  random_bytes(name.nonce);
  return name;
}

inline iovec part_of(const void* data, std::size_t bytes) {
  return {const_cast<void*>(data), bytes};
}

template <typename Condition>
bool until(SharedCarrier& carrier, Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    poll_within(carrier, 1'000'000);
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

}  // namespace suiro::net
