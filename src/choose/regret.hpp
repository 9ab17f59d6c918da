// SPDX-License-Identifier: BSD-3-Clause
// What trials and predictions of one kind of call have cost, and may cost: a share of what its
// calls have taken (choose/margins.hpp). All ranks count alike. The unit is a call of what runs.
// What a long job may lose has no limit but that.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "choose/margins.hpp"

namespace suiro {

class Regret {
 public:
  void add_call() { ++calls_; }
  void take_back_call() { --calls_; }

  /// Since what runs was replaced.
  std::int64_t calls() const { return calls_; }

  /// A trial or a prediction took so many calls' time.
  void lose(double calls) { spare_ -= calls; }

  /// What runs now is so many times as fast.
  void replace(double ratio) {
    spare_ = spare() * ratio;
    calls_ = 0;
  }

  /// Calls that may still be lost; less than 0 where more were.
  double spare() const { return spare_ + (margins.regret_share * static_cast<double>(calls_)); }

  /// Calls until so many may be lost.
  int calls_until(double loss) const {
    constexpr double calls_max = 1e9;
    return static_cast<int>(
        std::lround(std::clamp((loss - spare()) / margins.regret_share, 0.0, calls_max)));
  }

 private:
  double spare_ = 0;
  std::int64_t calls_ = 0;
};

}  // namespace suiro
