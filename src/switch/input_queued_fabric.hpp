// SPDX-License-Identifier: BSD-3-Clause
// Model `hol`: one lossless queue per input, first in first out. Only the first MTU frame of each
// queue competes for its output; whatever is behind it waits with it, even if its own output is
// free (head-of-line blocking).
#pragma once

#include "switch/fabric.hpp"
#include "switch/ring_queue.hpp"

namespace suiro {

class InputQueuedFabric final : public Fabric {
 public:
  using Fabric::Fabric;
  bool wants(int port) const override;

 private:
  // The head competes; the frame behind it follows without a gap, and tells what is being blocked.
  static constexpr std::size_t queue_frames_max = 2;

  struct Input {
    RingQueue<Run> queue;
    Time ready_at = 0;  // its link can carry the next MTU frame
    bool sending = false;
    bool dry = true;  // the host had nothing more
    bool blocked = false;
    bool hol_blocked = false;
  };
  struct Output {
    Time due = never;
    int source = 0;  // being served, or served last
  };

  void finish_due() override;
  void refill(int port) override;
  void start() override;
  Time find_next() const override;
  void account(Time passed) override;

  bool competes(const Input& input) const;
  bool is_free(int port) const { return outputs_[index(port)].due == never && has_room(port); }
  void start_output(int port);
  void note_blocking(Input& input) const;

  std::vector<Input> inputs_ = std::vector<Input>(index(ports()));
  std::vector<Output> outputs_ = std::vector<Output>(index(ports()));
};

}  // namespace suiro
