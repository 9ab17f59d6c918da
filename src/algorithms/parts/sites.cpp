// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parts/sites.hpp"

#include <algorithm>

namespace suiro {

namespace {

/// One rank of every node, then the next.
std::vector<int> dealt(const Groups& nodes) {
  std::vector<int> order;
  std::size_t most = 0;
  for (const std::vector<int>& node : nodes) most = std::max(most, node.size());
  for (std::size_t at = 0; at < most; ++at) {
    for (const std::vector<int>& node : nodes) {
      if (at < node.size()) order.push_back(node[at]);
    }
  }
  return order;
}

}  // namespace

int at_once(const Topology& topology, const Parameters& parameters) {
  constexpr int most = 8;
  const auto given = static_cast<int>(parameters.find(wan_flows_parameter)->second);
  if (given > 0) return given;
  std::vector<int> nodes(static_cast<std::size_t>(topology.sites()));
  for (int node = 0; node < topology.nodes(); ++node) ++nodes[topology.site(node)];
  return std::min(*std::ranges::min_element(nodes), most);
}

Groups turns_at_sites(const Topology& topology, int first) {
  const Groups sites = sites_from(topology, first);
  Groups turns;
  for (std::size_t site = 0; site < sites.size(); ++site) {
    std::vector<int>& line = turns.emplace_back();
    for (const int place : dealt(nodes_at(topology, sites[site]))) {
      line.push_back(sites[site][place]);
    }
  }
  return turns;
}

SiteParts::SiteParts(const Call& call, const Parameters& parameters, int parts)
    : sites_(sites_from(call.topology, call.root)),
      parts_(parts),
      at_once_(at_once(call.topology, parameters)) {
  for (const std::vector<int>& site : sites_) {
    nodes_.push_back(nodes_at(call.topology, site));
    drivers_.push_back(dealt(nodes_.back()));
    std::vector<int>& first_parts = first_parts_.emplace_back(site.size());
    for (std::size_t i = 0; i < site.size(); ++i) {
      first_parts[static_cast<std::size_t>(drivers_.back()[i])] = static_cast<int>(i);
    }
  }
  if (parts_ == 0) {
    parts_ = static_cast<int>(std::ranges::min(sites_, {}, &std::vector<int>::size).size());
  }
  pieces_ = ring_pieces(call.bytes / parts_, 1, call, parameters, kept_for_node(call.topology));
}

int SiteParts::driver(int site, int part) const {
  const std::vector<int>& places = drivers_[site];
  return sites_[site][places[static_cast<std::size_t>(part) % places.size()]];
}

std::vector<int> SiteParts::owned(int site, int place) const {
  std::vector<int> parts;
  const auto ranks = static_cast<int>(drivers_[site].size());
  for (int part = first_parts_[site][place]; part < parts_; part += ranks) parts.push_back(part);
  return parts;
}

Schedule SiteParts::at_each_site(const std::function<Schedule(int site)>& build) const {
  Schedule whole = within(sites_, [&](int site, int) { return build(site); });
  whole.pieces = parts_ * pieces_;
  return whole;
}

Schedule SiteParts::scatter() const {
  return at_each_site([this](int site) {
    Schedule schedule;
    schedule.ranks = static_cast<int>(sites_[site].size());
    schedule.rounds = 1;
    schedule.function = [self = *this, site](int me, std::int64_t, Round& round) {
      for (int part = 0; part < self.parts_; ++part) {
        const std::vector<int>& places = self.drivers_[site];
        const int driver = places[static_cast<std::size_t>(part) % places.size()];
        const Blocks blocks = in(Buffer::receive, self.range(part));
        if (driver == 0) continue;
        if (me == 0) round.steps.push_back(send(blocks, driver));
        if (me == driver) round.steps.push_back(receive(0, blocks));
      }
    };
    return schedule;
  });
}

Schedule SiteParts::gather(Buffer held) const {
  Schedule schedule = scatter();
  schedule.function = [=, function = std::move(schedule.function)](int me, std::int64_t i,
                                                                   Round& round) {
    function(me, i, round);
    for (Step& step : round.steps) {
      if (step.action == Action::send) {
        step = receive(step.peer, step.source);
      } else {
        step = send({held, step.target.first, step.target.count}, step.peer);
      }
    }
  };
  return schedule;
}

Schedule SiteParts::spread() const {
  return at_each_site([this](int site) {
    return suiro::spread(
        nodes_[site], [this, site](int place) { return owned(site, place); }, pieces_);
  });
}

Schedule SiteParts::reduce_scatter(Sums sums) const {
  return at_each_site([this, sums](int site) {
    Schedule gathers = suiro::spread(
        nodes_[site], [this, site](int place) { return owned(site, place); }, pieces_);
    gathers.pieces = parts_ * pieces_;
    const std::int64_t per_rank =
        (parts_ + std::ssize(sites_[site]) - 1) / std::ssize(sites_[site]);
    return reversed(std::move(gathers), most_in_spread(nodes_[site]) * per_rank, sums);
  });
}

Schedule SiteParts::capped(Schedule schedule, Senders senders) const {
  Groups lines;
  const auto sites = senders == Senders::all ? static_cast<int>(sites_.size()) : 1;
  for (int site = 0; site < sites; ++site) {
    std::vector<int>& line = lines.emplace_back();
    const auto drivers =
        std::min<std::size_t>(drivers_[site].size(), static_cast<std::size_t>(parts_));
    for (std::size_t part = 0; part < drivers; ++part) {
      line.push_back(driver(site, static_cast<int>(part)));
    }
  }
  return in_turns(std::move(schedule), lines, at_once_);
}

Schedule only_at(Schedule schedule, const std::vector<int>& ranks) {
  schedule.function = [ranks, function = std::move(schedule.function)](int me, std::int64_t i,
                                                                       Round& round) {
    if (std::ranges::find(ranks, me) != ranks.end()) function(me, i, round);
  };
  return schedule;
}

Groups nodes_at(const Topology& topology, const std::vector<int>& ranks) {
  Groups nodes;
  int last = -1;
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    const int node = topology.node(ranks[place]);
    if (node != last) nodes.emplace_back();
    last = node;
    nodes.back().push_back(static_cast<int>(place));
  }
  return nodes;
}

Schedule spared(Schedule schedule, const std::vector<int>& ranks, Buffer held) {
  const auto has_all = [ranks](int rank) { return std::ranges::find(ranks, rank) != ranks.end(); };
  schedule.function = [has_all, held, function = std::move(schedule.function)](
                          int me, std::int64_t i, Round& round) {
    function(me, i, round);
    const bool mine = has_all(me);
    std::erase_if(round.steps, [&](const Step& step) {
      return step.action == Action::receive ? mine
                                            : step.action == Action::send && has_all(step.peer);
    });
    if (!mine) return;
    for (Step& step : round.steps) step.source.buffer = held;
  };
  return schedule;
}

}  // namespace suiro
