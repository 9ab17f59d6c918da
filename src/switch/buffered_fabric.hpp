// SPDX-License-Identifier: BSD-3-Clause
// Models `voq`, `shared` and `pause`: MTU frames enter at the rate of the host's link, wait in a
// buffer, and leave at the rate of their output's link. The three differ in what they do when there
// is no room, and in whether an output serves the inputs in turn (virtual output queues) or in
// order of arrival.
#pragma once

#include "switch/fabric.hpp"
#include "switch/ring_queue.hpp"

namespace suiro {

/// Room for an input's frames in `voq`: larger than the windows of its connections together, so
/// that it never fills.
inline constexpr std::int64_t voq_input_bytes = 16 << 20;

class BufferedFabric final : public Fabric {
 public:
  BufferedFabric(Model model, std::int64_t buffer_bytes, const std::vector<PortConfig>& ports,
                 Hosts& hosts, Routes routes);
  bool wants(int port) const override;

 private:
  struct Link {
    Run run;  // being taken from the host; its first MTU frame is on the wire, or next
    Time due = never;
    std::int64_t buffered_bytes = 0;  // of this input, in the switch
    bool paused = false;
    bool hol_blocked = false;
    bool dry = true;
  };
  struct Output {
    std::vector<RingQueue<Segment>> lanes;  // one for all inputs, or one for each
    std::size_t lane = 0;                   // being served, or served last
    Time due = never;
  };

  void finish_due() override;
  void refill(int port) override;
  void start() override;
  Time find_next() const override;
  void account(Time passed) override;

  void finish_output(int port);
  void finish_link(int port);
  void start_link(int port);
  void start_output(int port);
  bool pauses(const Link& link, int bytes) const;

  std::int64_t buffer_bytes_;  // of all inputs; what does not fit is dropped
  std::int64_t input_bytes_;   // of one input: a frame that would exceed it pauses the link ...
  std::int64_t resume_bytes_;  // ... until the input has no more than this
  std::int64_t used_bytes_ = 0;
  std::vector<Link> links_;
  std::vector<Output> outputs_;
};

}  // namespace suiro
