// SPDX-License-Identifier: BSD-3-Clause
#include "switch/fabric.hpp"

#include <algorithm>
#include <utility>

#include "switch/buffered_fabric.hpp"
#include "switch/input_queued_fabric.hpp"

namespace suiro {

Fabric::Fabric(const std::vector<PortConfig>& ports, Hosts& hosts, Routes routes)
    : routes_(std::move(routes)), counters_(ports.size()), hosts_(hosts) {
  for (const PortConfig& port : ports) {
    rates_bps_.push_back(port.rate_bps);
    inner_.push_back(port.inner);
  }
}

void Fabric::step() {
  move_clock(next_event_);
  finish_due();
  start();
  next_event_ = find_next();
}

void Fabric::wake(int port, Time now) {
  move_clock(now);
  refill(port);
  start();
  next_event_ = find_next();
}

void Fabric::resume(Time now) {
  move_clock(now);
  start();
  next_event_ = find_next();
}

void Fabric::reset_counters() { std::fill(counters_.begin(), counters_.end(), PortCounters{}); }

Time Fabric::wire_time(int port, int frame_bytes) const {
  const auto rate =
      static_cast<std::int64_t>(share_ * static_cast<double>(rates_bps_[index(port)]));
  const Time bits = static_cast<Time>(wire_bytes(frame_bytes)) * 8;
  return (bits * second + rate - 1) / rate;  // rounded up: a link is never faster than its rate
}

void Fabric::count_received(const Segment& segment) {
  PortCounters& counters = count(segment.source);
  counters.received_bytes += wire_bytes(segment.bytes());
  ++counters.received_frames;
}

void Fabric::deliver(int port, const Segment& segment) {
  PortCounters& counters = count(port);
  counters.sent_bytes += wire_bytes(segment.bytes());
  ++counters.sent_frames;
  hosts_.deliver(port, segment);
}

void Fabric::move_clock(Time now) {
  if (now <= now_) return;
  account(now - now_);
  now_ = now;
}

std::unique_ptr<Fabric> make_fabric(Model model, std::int64_t buffer_bytes,
                                    const std::vector<PortConfig>& ports, Hosts& hosts,
                                    Routes routes) {
  if (model == Model::hol) {
    return std::make_unique<InputQueuedFabric>(ports, hosts, std::move(routes));
  }
  return std::make_unique<BufferedFabric>(model, buffer_bytes, ports, hosts, std::move(routes));
}

}  // namespace suiro
