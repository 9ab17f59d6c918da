// SPDX-License-Identifier: BSD-3-Clause
// How long a peer may be silent before the next rail has its turn. Where answers take longer on
// every rail, leaving one for the next only sends everything again, so the limits grow.
#pragma once

#include <cstdint>

#include "net/protocol/settings.hpp"

namespace suiro::net {

class Silence {
 public:
  /// `has_choice`: there are several rails to this peer.
  Silence(const Settings& settings, bool has_choice)
      : settings_(settings), has_choice_(has_choice) {}

  /// How long nothing may move on a rail while another one is left; longer while none is better.
  std::int64_t stall_limit_ns() const;
  /// How long a stream may take to open.
  std::int64_t opening_limit_ns() const;

  /// A rail was left since no answer came in time, or none of them took a stream.
  void left_a_rail(std::int64_t now_ns);
  /// The peer has been silent for so long by now; `probed`: though it was asked to speak. Forgets
  /// silences one by one while every answer comes so soon that half of the limit serves.
  void note(std::int64_t silent_ns, bool probed, std::int64_t now_ns);

 private:
  int doublings() const;

  const Settings& settings_;
  const bool has_choice_;
  int silences_ = 0;          // of rails that were left for it, or of all at once
  std::int64_t last_ns_ = 0;  // when there was the last, or one so long that it may count
};

}  // namespace suiro::net
