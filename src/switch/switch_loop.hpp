// SPDX-License-Identifier: BSD-3-Clause
// Ties the network's virtual time to the real clock and its hosts to TAP devices, in one thread.
#pragma once

#include <poll.h>

#include <csignal>
#include <memory>
#include <vector>

#include "switch/control.hpp"
#include "switch/counters.hpp"
#include "switch/network_clock.hpp"

namespace suiro {

class SwitchLoop {
 public:
  /// Creates the devices and the control socket.
  explicit SwitchLoop(const SwitchConfig& config);
  /// Forwards until `stop` is set by a signal that `while_waiting` lets through.
  void run(const volatile std::sig_atomic_t& stop, const sigset_t& while_waiting);

 private:
  Time next_event() const;
  void step(Time due);
  void wake(int port, Time now);
  bool handle_due();
  void finish(Time due);
  void wait(const sigset_t& while_waiting);
  void wake_hosts();
  std::string answer(const Control::Request& request);

  SwitchConfig config_;
  TapPorts hosts_;
  std::unique_ptr<Network> network_;
  Control control_;
  LoopCounters counters_;
  NetworkClock clock_;
  Time now_ = 0;                // of the network
  std::vector<pollfd> polled_;  // one for each port, then the control socket
};

}  // namespace suiro
