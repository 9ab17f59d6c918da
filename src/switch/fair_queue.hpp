// SPDX-License-Identifier: BSD-3-Clause
// What a host does before its link: flows take turns, so that an acknowledgement does not wait
// behind all that the host's other connections have to send. Linux does this by default (fq_codel);
// a TAP device's own queue is first in, first out, and TCP's small-queue limit does not see it, so
// the switch does it for the host: deficit round robin with precedence for flows that just began to
// send (RFC 8290, without dropping). Which target's flows get the next turn is drawn by lot: with a
// fixed order the hosts' choices lock into step, so that two targets each fill an input-queued
// switch, which independent choices fill to 75 %.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "switch/fabric.hpp"
#include "switch/ring_queue.hpp"

namespace suiro {

class FairQueue {
 public:
  /// Hosts with different seeds choose independently of each other.
  explicit FairQueue(std::uint32_t seed) : random_(seed) {}

  /// The memory that one host's waiting frames may occupy; the rest stays in its device.
  static constexpr std::size_t bytes_max = std::size_t{8} << 20;

  bool full() const { return bytes_ >= bytes_max; }
  void push(Frame* frame, std::uint32_t flow);
  /// The next frame that the link should carry; null if there is none.
  Frame* pop();

 private:
  static constexpr std::size_t flows_max = 256;
  static constexpr int quantum_bytes = 1514;

  enum class Place : std::uint8_t { idle, fresh, waiting };
  struct Flow {
    RingQueue<Frame*> frames;
    int target = 0;  // of the frame that made it active
    int deficit_bytes = 0;
    Place place = Place::idle;
  };
  Frame* serve(RingQueue<int>& list);
  RingQueue<int>& draw();
  void wait(int place);

  std::array<Flow, flows_max> flows_;
  RingQueue<int> fresh_;                 // flows that just began, in order
  std::vector<RingQueue<int>> waiting_;  // flows that have had a turn, by target
  std::size_t waiting_flows_ = 0;
  std::minstd_rand random_;
  std::size_t bytes_ = 0;
};

/// Tells connections apart by their addresses and ports; frames that have none are one flow.
std::uint32_t flow_of(std::span<const std::byte> frame);

}  // namespace suiro
