// SPDX-License-Identifier: BSD-3-Clause
#include "switch/counters.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace suiro {
namespace {

using OrderedJson = nlohmann::ordered_json;

double seconds(Time time) { return static_cast<double>(time) / static_cast<double>(second); }
double microseconds(Time time) { return static_cast<double>(time) / 1000; }

OrderedJson port_json(const PortConfig& port, const PortCounters& link, const TapCounters& tap,
                      Time elapsed) {
  const double bytes_possible = static_cast<double>(port.rate_bps) / 8 * seconds(elapsed);
  return {{"name", port.name},
          {"rate_bps", port.rate_bps},
          {"rx_bytes", link.received_bytes},
          {"rx_frames", link.received_frames},
          {"tx_bytes", link.sent_bytes},
          {"tx_frames", link.sent_frames},
          {"rx_utilisation", static_cast<double>(link.received_bytes) / bytes_possible},
          {"utilisation", static_cast<double>(link.sent_bytes) / bytes_possible},
          {"blocked_s", seconds(link.blocked)},
          {"hol_blocked_s", seconds(link.hol_blocked)},
          {"drops", link.drops},
          {"drop_bytes", link.drop_bytes},
          {"pauses", link.pauses},
          {"paused_s", seconds(link.paused)},
          {"unroutable", tap.unroutable},
          {"malformed", tap.malformed},
          {"undelivered", tap.undelivered}};
}

OrderedJson way_json(const WayCounters& way, Time elapsed) {
  const PortCounters& counted = way.counters;
  const double bytes_possible = static_cast<double>(way.rate_bps) / 8 * seconds(elapsed);
  return {{"name", way.name},
          {"rate_bps", way.rate_bps},
          {"bytes", counted.sent_bytes},
          {"frames", counted.sent_frames},
          {"utilisation", static_cast<double>(counted.sent_bytes) / bytes_possible},
          {"blocked_s", seconds(counted.blocked)},
          {"hol_blocked_s", seconds(counted.hol_blocked)},
          {"drops", counted.drops},
          {"drop_bytes", counted.drop_bytes},
          {"lost", way.lost},
          {"pauses", counted.pauses},
          {"paused_s", seconds(counted.paused)}};
}

}  // namespace

std::string counters_json(const SwitchConfig& config, const Network& network, const TapPorts& hosts,
                          const LoopCounters& loop, Time now, bool reset) {
  const Time elapsed = std::max<Time>(now - loop.since, 1);
  OrderedJson ports = OrderedJson::array();
  std::int64_t violations = 0;
  for (std::size_t i = 0; i < config.ports.size(); ++i) {
    const int port = static_cast<int>(i);
    violations += hosts.window_violations(port);
    ports.push_back(
        port_json(config.ports[i], network.counters(port), hosts.counters(port), elapsed));
    ports.back()["window_violations"] = hosts.window_violations(port);
  }
  OrderedJson links = OrderedJson::array();
  for (const WayCounters& way : network.ways()) links.push_back(way_json(way, elapsed));
  OrderedJson document = {{"model", config.model_name},
                          {"buffer_bytes", config.buffer_bytes},
                          {"mtu_bytes", config.mtu_bytes},
                          {"scheduling", loop.scheduling},
                          {"elapsed_s", seconds(elapsed)},
                          {"reset", reset},
                          {"mtu_time_us", microseconds(loop.mtu_time)},
                          {"lateness_us",
                           {{"p50", microseconds(loop.lateness.percentile(0.50))},
                            {"p99", microseconds(loop.lateness.percentile(0.99))},
                            {"max", microseconds(loop.lateness.max())}}},
                          {"events", loop.lateness.events()},
                          {"overruns", loop.overruns},
                          {"stopped_s", seconds(loop.stopped)},
                          {"turns", loop.turns},
                          {"window_violations", violations},
                          {"ports", ports}};
  if (!links.empty()) document["links"] = links;
  return document.dump() + "\n";
}

}  // namespace suiro
