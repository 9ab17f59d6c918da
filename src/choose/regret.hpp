// SPDX-License-Identifier: BSD-3-Clause
// What trials and predictions of one kind of call have cost, and may cost: a share of what its
// calls have taken, and of what they have gained over native (choose/margins.hpp). All ranks count
// alike. The unit is a call of what runs. What a long job may lose has no limit but that.
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
    gain_ *= ratio;
  }
  /// Likewise, and that is native.
  void go_back(double ratio) {
    replace(ratio);
    gain_ = 1;
  }

  /// Calls that may still be lost; less than 0 where more were.
  double spare() const { return spare_ + (share() * static_cast<double>(calls_)); }

  /// Calls until so many may be lost.
  int calls_until(double loss) const {
    constexpr double calls_max = 1e9;
    return static_cast<int>(std::lround(std::clamp((loss - spare()) / share(), 0.0, calls_max)));
  }

 private:
  double share() const {
    const double gain = std::clamp(gain_, 1.0, margins.gain_max);
    return margins.regret_share + (margins.gain_share * (gain - 1));
  }

  double spare_ = 0;
  double gain_ = 1;  // native's time over that of what runs
  std::int64_t calls_ = 0;
};

}  // namespace suiro
