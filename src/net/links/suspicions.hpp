// SPDX-License-Identifier: BSD-3-Clause
// When one peer is silent on a rail, it may be our own link that is gone: the other sessions need
// not find out one after the other, each after a whole timeout. They ask at once, and move soon.
// Whatever comes on the rail refutes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "net/carrier/carrier.hpp"
#include "net/protocol/name.hpp"
#include "net/protocol/statistics.hpp"

namespace suiro::net {

/// On a rail that is suspected, timeouts are so many times shorter.
constexpr int suspicious = 4;

class Suspicions {
 public:
  void raise(std::size_t rail, const Statistics& statistics, std::int64_t now_ns) {
    suspicions_[rail] = {.life = life_of(rail, statistics), .until_ns = now_ns + longest_ns};
  }
  bool hold(std::size_t rail, const Statistics& statistics, const Carrier& carrier) const {
    const Suspicion& suspicion = suspicions_[rail];
    return suspicion.until_ns != 0 && suspicion.life == life_of(rail, statistics) &&
           carrier.now_ns() < suspicion.until_ns;
  }

 private:
  static constexpr std::int64_t longest_ns = 5'000'000'000;

  struct Suspicion {
    std::uint64_t life = 0;
    std::int64_t until_ns = 0;
  };

  /// Changes with every sign of life.
  static std::uint64_t life_of(std::size_t rail, const Statistics& statistics) {
    return statistics.rails[rail].received_bytes + statistics.rails[rail].streams_opened;
  }

  std::array<Suspicion, max_rails + 1> suspicions_{};
};

}  // namespace suiro::net
