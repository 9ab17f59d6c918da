// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.hpp"

#include <sodium.h>

#include <utility>

namespace suiro {
namespace {

/// Never destroyed: other threads may still draw while the process exits.
RandomSource& replacement() {
  static RandomSource& source = *new RandomSource;
  return source;
}

}  // namespace

void random_bytes(std::span<std::uint8_t> bytes) {
  [[maybe_unused]] static const int ready = sodium_init();
  if (const RandomSource& source = replacement()) {
    source(bytes);
  } else {
    randombytes_buf(bytes.data(), bytes.size());
  }
}

void set_random_source(RandomSource source) { replacement() = std::move(source); }

}  // namespace suiro
