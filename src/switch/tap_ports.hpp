// SPDX-License-Identifier: BSD-3-Clause
// The hosts, behind their TAP devices. A super-frame's MTU frames are handed to the receiving host
// together when the last one is through, as network cards with receive offload do; so TCP there
// acknowledges once per super-frame, as it does on fast links.
#pragma once

#include <unordered_map>
#include <vector>

#include "switch/fabric.hpp"
#include "switch/fair_queue.hpp"
#include "switch/frame_pool.hpp"
#include "switch/rate_window.hpp"
#include "switch/stream_pacer.hpp"
#include "switch/tap.hpp"

namespace suiro {

/// What happened outside the links.
struct TapCounters {
  std::int64_t unroutable = 0;   // to nobody on this switch: broadcast, multicast, unknown
  std::int64_t malformed = 0;    // too short, or not to be cut
  std::int64_t undelivered = 0;  // the host's device did not take it
};

class TapPorts final : public Hosts {
 public:
  TapPorts(const std::vector<PortConfig>& ports, int mtu_bytes);

  /// What happens from now on happens at this time of the network.
  void move_to(Time now) { now_ = now; }
  /// When a host that has nothing for its link may have something, though no frame comes from it.
  Time next_release(int port) const { return taps_[static_cast<std::size_t>(port)].held.next(); }

  Run pull(int port) override;
  void deliver(int port, const Segment& segment) override;
  void discard(const Segment& segment) override;
  /// Enters what was delivered since the last call into the rate windows.
  void flush(Time now);

  /// To wait for frames of this host; -1 once its device is gone.
  int descriptor(int port) const { return taps_[static_cast<std::size_t>(port)].device.number(); }
  /// The device failed: forget it, since it would be ready for ever.
  void abandon(int port) { taps_[static_cast<std::size_t>(port)].device = Descriptor(); }
  const TapCounters& counters(int port) const {
    return taps_[static_cast<std::size_t>(port)].counters;
  }
  std::int64_t window_violations(int port) const {
    return taps_[static_cast<std::size_t>(port)].window.violations();
  }
  void reset_counters();

 private:
  struct Tap {
    Descriptor device;
    RateWindow window;
    StreamPacer held;        // frames of this host whose connection may not go on yet
    FairQueue waiting;       // the others
    std::vector<Run> runs;   // for this host, by the port that they come from
    int flushing_bytes = 0;  // of the wire, since the last flush
    TapCounters counters;
  };

  bool read_frame(Tap& tap);
  Frame* accept_frame(Tap& tap, int port);
  void collect(Tap& tap, int port);
  void release(Tap& tap);
  void write_run(Tap& tap, Run& run);
  void resolve(Frame* frame, int segments);

  std::vector<Tap> taps_;
  std::unordered_map<std::uint64_t, int> port_of_address_;
  FramePool pool_;
  Time now_ = 0;
  Frame* reading_ = nullptr;
  std::size_t read_bytes_ = 0;
};

}  // namespace suiro
