// SPDX-License-Identifier: BSD-3-Clause
#include "choose/possible_networks.hpp"

#include <algorithm>
#include <utility>

namespace suiro {
namespace {

/// Others use processors: every message takes longer to start or, of those that ranks share, half
/// of one is left. A message waits on its way behind what TCP lets another stream put into a queue:
/// a millisecond (net.ipv4 pacing, tcp_sock.h sk_pacing_shift), and no more than one packet of
/// segments, 64 KiB.
Network busy(Network network, bool crowded) {
  constexpr double starts = 3;
  constexpr double left = 0.5;
  constexpr double queue_s = 1e-3;
  constexpr double queue_bytes = 65536;
  if (crowded) {
    network.processors = std::min(network.processors, left);
  } else {
    network.message_s *= starts;
  }
  network.latency_s += std::min(queue_s, queue_bytes / network.link_Bps);
  return network;
}

/// Splits leave each rank of a node in a communicator of its own, and all of these often talk at
/// once: each has a share of the links. What a switch loses where their messages meet, no one's
/// order of messages avoids, so that it is left out.
Network among_siblings(Network network, double sharing) {
  network.kind = SwitchKind::voq;
  network.link_Bps /= sharing;
  network.wan.Bps /= sharing;
  return network;
}

/// What waits for each message loses on the latter.
std::vector<Network> usual_and_busy(std::vector<Network> networks, const Topology& topology) {
  const std::size_t usual = networks.size();
  networks.reserve(2 * usual);
  for (std::size_t i = 0; i < usual; ++i) {
    const double processors = networks[i].processors;
    networks.push_back(busy(networks[i], processors > 0 && processors < topology.max_ppn()));
  }
  return networks;
}

}  // namespace

Link link_of(const NetworkFile& file) {
  const Network& network = file.network;
  return {.startup_s = file.start_s > 0 ? file.start_s : network.message_s + network.latency_s,
          .Bps = network.link_Bps,
          .streams = streams_of(network)};
}

namespace {

// What a message takes to start is in parts:
constexpr double of_processors = 0.2;
constexpr double on_the_way = 0.8;

}  // namespace

NetworkFile unmeasured_network(const Link& link, bool rate_known, int processors) {
  // Cards of more than 1 Gbit/s do most of the work themselves; the rest of the start is the way.
  const bool helps = link.Bps > 1.05 * 125e6;
  return {.network = {.link_Bps = link.Bps,
                      .message_s = (helps ? of_processors : 1) * link.startup_s,
                      .latency_s = (helps ? on_the_way : 1) * link.startup_s,
                      .processors = static_cast<double>(processors)},
          .tells_rate = rate_known};
}

NetworkFile told_network(std::string_view text, std::string_view name, Link& link, bool rate_known,
                         int processors) {
  // Of the start of messages a file may tell one part.
  const Network usual{.link_Bps = link.Bps,
                      .message_s = of_processors * link.startup_s,
                      .latency_s = on_the_way * link.startup_s};
  const Link told = link_of(parse_network(text, name, usual));
  link.Bps = std::max(link.Bps, told.Bps);  // of cards, as nodes or the file know them
  NetworkFile known = unmeasured_network(link, rate_known, processors);
  known = parse_network(text, name, known.network);
  known.tells_rate |= rate_known;
  link = told;
  return known;
}

/// Between sites the way there hides what switches do. It is a link's rate to that of all links of
/// a site, and in the same country or across a continent.
std::vector<Network> usual_networks(const Surroundings& surroundings, const Topology& topology) {
  constexpr double fast_Bps = 100 * 125e6;  // 100 Gbit/s
  NetworkFile known = surroundings.network.value_or(
      unmeasured_network(surroundings.link, surroundings.rate_known, surroundings.processors));
  std::vector<Network> found;
  const double sharing = topology.sharing();
  const auto add_kinds = [&] {
    for (const SwitchKind kind : {SwitchKind::voq, SwitchKind::hol, SwitchKind::shared}) {
      found.push_back(known.network);
      if (known.tells_kind || topology.sites() > 1) break;
      found.back().kind = kind;
    }
    if (sharing > 1) found.push_back(among_siblings(known.network, sharing));
  };
  const auto add_ways = [&] {
    if (known.tells_wan || topology.sites() == 1) return add_kinds();
    for (const double links : {1, std::max(1, topology.nodes() / topology.sites())}) {
      for (const double latency_s : {1e-3, 10e-3}) {
        known.network.wan = {.Bps = links * known.network.link_Bps, .latency_s = latency_s};
        add_kinds();
      }
    }
  };
  add_ways();
  if (!known.tells_rate) {
    known.network.link_Bps = fast_Bps;
    add_ways();
  }
  return found;
}

std::vector<Network> possible_networks(const Surroundings& surroundings, const Topology& topology) {
  return usual_and_busy(usual_networks(surroundings, topology), topology);
}

}  // namespace suiro
