// SPDX-License-Identifier: BSD-3-Clause
// Clouds hold each connection of a host to a rate far below that of its link (docs/lab-switch.md):
// a frame of a connection goes on when what was sent before it has had its time at that rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "switch/network.hpp"
#include "switch/ring_queue.hpp"

namespace suiro {

class StreamPacer {
 public:
  /// Of bytes on the wire; 0: a connection may use all of the link.
  explicit StreamPacer(std::int64_t rate_bps) : rate_bps_(rate_bps) {}

  bool holds_back() const { return rate_bps_ > 0; }

  struct Held {
    Frame* frame = nullptr;
    std::uint32_t flow = 0;
  };
  void push(const Held& held, Time now);
  /// A frame that may go on at that time; within a flow, in the order in which they came.
  std::optional<Held> pop(Time now);
  /// When one may, or a flow is forgotten; `never` if there are none.
  Time next() const { return turns_.empty() ? never : turns_.top().first; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Arrival {
    Frame* frame = nullptr;
    Time at = 0;
  };
  using Turn = std::pair<Time, std::uint32_t>;  // of a flow

  Time duration(const FrameShape& shape) const;

  std::int64_t rate_bps_;
  std::unordered_map<std::uint32_t, RingQueue<Arrival>> flows_;  // each has one turn
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::size_t bytes_ = 0;
};

}  // namespace suiro
