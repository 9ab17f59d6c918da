// SPDX-License-Identifier: BSD-3-Clause
// One switch as an idea: ports, links and queues in virtual time, without devices or clocks.
#pragma once

#include <memory>

#include "switch/network.hpp"

namespace suiro {

enum class Model : std::uint8_t { hol, voq, shared, pause };

struct PortConfig {
  std::string name;
  std::string tap;
  std::uint64_t address = 0;
  std::int64_t rate_bps = 0;
  std::int64_t stream_bps = 0;  // of one connection of the host; 0: the link's
  int at_switch = 0;
  bool inner = false;  // another switch is at the other end, which charges what it sends here
};

/// The output of each target; empty where targets are this switch's own ports.
using Routes = std::vector<int>;

class Fabric : public Network {
 public:
  Fabric(const std::vector<PortConfig>& ports, Hosts& hosts, Routes routes);

  Time next_event() const override { return next_event_; }
  void step() override;
  void wake(int port, Time now) override;
  const PortCounters& counters(int port) const override { return counters_[index(port)]; }
  void reset_counters() override;
  void throttle(double share) override { share_ = share; }

  /// A switch at the other end of a link has room again.
  void resume(Time now);

 protected:
  static std::size_t index(int port) { return static_cast<std::size_t>(port); }
  int ports() const { return static_cast<int>(rates_bps_.size()); }
  /// The time that a frame of these bytes takes on a port's link.
  Time wire_time(int port, int frame_bytes) const;
  /// The time that it takes to come in: none from another switch, whose output took it already.
  Time entry_time(int port, int frame_bytes) const {
    return inner_[index(port)] ? 0 : wire_time(port, frame_bytes);
  }
  bool has_room(int port) const { return !inner_[index(port)] || hosts_.room(port); }
  int output_of(const Frame& frame) const {
    return routes_.empty() ? frame.target : routes_[index(frame.target)];
  }
  Time now() const { return now_; }
  PortCounters& count(int port) { return counters_[index(port)]; }
  Hosts& hosts() { return hosts_; }
  void count_received(const Segment& segment);
  void deliver(int port, const Segment& segment);

  virtual void finish_due() = 0;          // what ends at now()
  virtual void refill(int port) = 0;      // take what the host has, as far as it is needed
  virtual void start() = 0;               // what can begin at now()
  virtual Time find_next() const = 0;     // the next event after start()
  virtual void account(Time passed) = 0;  // nothing changed for so long

 private:
  void move_clock(Time now);

  std::vector<std::int64_t> rates_bps_;
  double share_ = 1;  // of these
  std::vector<bool> inner_;
  Routes routes_;
  std::vector<PortCounters> counters_;
  Hosts& hosts_;
  Time now_ = 0;
  Time next_event_ = never;
};

std::unique_ptr<Fabric> make_fabric(Model model, std::int64_t buffer_bytes,
                                    const std::vector<PortConfig>& ports, Hosts& hosts,
                                    Routes routes = {});

}  // namespace suiro
