// SPDX-License-Identifier: BSD-3-Clause
// WAN First: a rank exchanges with all ranks of other sites at once, since each of these transfers
// has a long way and few of them fill a WAN, and beside them with a few ranks of its own site at a
// time. All at once, the transfers within a site, which answer sooner, overflow the hosts' links
// and take frames from those that came over the WAN; this is what the wide-area paper left open
// (docs/decisions/0019).
//
// Round 0: everything to and from other sites, and the own block.
// Round j: the rank j places to the right in the site (to send), and to the left (to receive). It
//   may overtake those before it.
//
// Cost: as many rounds as the largest site has ranks; a(P-a) blocks on the wire of a node of a
// ranks; no scratch.
#include <algorithm>
#include <memory>
#include <vector>

#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/alltoall/peers.hpp"

namespace suiro {

namespace {

constexpr ParameterSpec wan_first_parameters[] = {
    {.name = "beside",
     .minimum = 1,
     .maximum = 1024,
     .fallback = 2,
     .meaning = "exchanges of a rank within its site under way at a time"},
};

class WanFirst {
 public:
  explicit WanFirst(const Topology& topology) : ranks_of_site_(topology.sites()) {
    for (int rank = 0; rank < topology.ranks(); ++rank) {
      std::vector<int>& ranks = ranks_of_site_[topology.site(topology.node(rank))];
      place_.push_back({topology.site(topology.node(rank)), static_cast<int>(ranks.size())});
      ranks.push_back(rank);
    }
  }

  std::int64_t rounds() const {
    std::size_t largest = 0;
    for (const std::vector<int>& ranks : ranks_of_site_) largest = std::max(largest, ranks.size());
    return static_cast<std::int64_t>(largest);
  }

  void operator()(int me, std::int64_t index, Round& round) const {
    const auto [site, place] = place_[me];
    const std::vector<int>& ranks = ranks_of_site_[site];
    const int size = static_cast<int>(ranks.size());
    if (index == 0) return exchange_with_other_sites(me, round);
    if (index >= size) return;
    const alltoall::Peers peers = alltoall::ring_neighbours(place, static_cast<int>(index), size);
    alltoall::exchange(me, ranks[peers.to], ranks[peers.from], round);
  }

 private:
  struct Place {
    int site;
    int place;  // among the ranks of the site
  };

  /// Each rank begins with another one.
  void exchange_with_other_sites(int me, Round& round) const {
    alltoall::exchange(me, me, me, round);
    const auto [site, place] = place_[me];
    const int sites = static_cast<int>(ranks_of_site_.size());
    for (int step = 1; step < sites; ++step) {
      const std::vector<int>& there = ranks_of_site_[(site + step) % sites];
      for (std::size_t turn = 0; turn < there.size(); ++turn) {
        const int peer = there[(place + turn) % there.size()];
        alltoall::exchange(me, peer, peer, round);
      }
    }
  }

  std::vector<std::vector<int>> ranks_of_site_;
  std::vector<Place> place_;
};

Schedule build_alltoall_wan_first(const Call& call, const Parameters& parameters) {
  const Topology& topology = call.topology;
  const auto rounds = std::make_shared<const WanFirst>(topology);
  Schedule schedule = named(alltoall_wan_first, call, parameters);
  schedule.rounds = rounds->rounds();
  schedule.window = 1 + parameters.at("beside");
  schedule.overtaking = true;
  schedule.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return schedule;
}

Cost cost_wan_first(const Topology& topology, const Parameters&) {
  return {.rounds = WanFirst(topology).rounds(),
          .wire_blocks = alltoall::wire_blocks_when_direct(topology),
          .scratch = 0};
}

}  // namespace

constinit const Algorithm alltoall_wan_first = {
    .collective = "alltoall",
    .name = "wan_first",
    .summary = "Other sites all at once, and a few of one's own site at a time beside them.",
    .source = "suiro; for what the wide-area paper (GridMPI) left open, docs/decisions/0019",
    .cost_text =
        "as many rounds as the largest site has ranks; a(P-a) blocks on the wire of a node "
        "of a ranks; no scratch",
    .parameters = wan_first_parameters,
    .properties = alltoall::only_direct,
    .cost = cost_wan_first,
    .build = build_alltoall_wan_first,
    .for_sites = true,
};

}  // namespace suiro
