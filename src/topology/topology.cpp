// SPDX-License-Identifier: BSD-3-Clause
// Labels are renumbered by first appearance, so that every rank gets the same numbers whatever it
// calls its nodes.
#include "topology/topology.hpp"

#include <algorithm>
#include <climits>
#include <stdexcept>
#include <unordered_map>

namespace suiro {

namespace {

[[noreturn]] void fail(const std::string& reason) {
  throw std::invalid_argument("topology: " + reason);
}

/// Dense numbers for labels, in the order in which the labels first appear.
std::vector<int> renumbered(std::span<const int> labels) {
  std::unordered_map<int, int> numbers;
  std::vector<int> result;
  result.reserve(labels.size());
  for (const int label : labels) {
    result.push_back(numbers.try_emplace(label, static_cast<int>(numbers.size())).first->second);
  }
  return result;
}

/// The number of ranks, after checking that it is one.
int checked_ranks(int nodes, int ppn) {
  if (nodes < 1) fail("the number of nodes must be at least 1, not " + std::to_string(nodes));
  if (ppn < 1) fail("the number of ranks per node must be at least 1, not " + std::to_string(ppn));
  if (nodes > INT_MAX / ppn) {
    fail(std::to_string(nodes) + " x " + std::to_string(ppn) + " is more ranks than MPI can have");
  }
  return nodes * ppn;
}

void check_per_node(std::span<const int> values, int nodes, const char* what) {
  if (values.empty() || values.size() == static_cast<std::size_t>(nodes)) return;
  fail(std::string(what) + " has " + std::to_string(values.size()) + " values for " +
       std::to_string(nodes) + " nodes");
}

std::string counted(int count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

Topology::Topology(std::vector<int> node_of_rank) : node_of_rank_(std::move(node_of_rank)) {
  const int nodes = 1 + *std::max_element(node_of_rank_.begin(), node_of_rank_.end());
  ranks_of_node_.resize(nodes);
  site_of_node_.assign(nodes, 0);
  links_of_node_.assign(nodes, 1);
  neighbours_of_node_.assign(nodes, 0);
  local_of_rank_.reserve(node_of_rank_.size());
  for (int rank = 0; rank < ranks(); ++rank) {
    std::vector<int>& ranks_here = ranks_of_node_[node_of_rank_[rank]];
    local_of_rank_.push_back(static_cast<int>(ranks_here.size()));
    ranks_here.push_back(rank);
  }
}

Topology Topology::block(int nodes, int ppn) {
  std::vector<int> node_of_rank(checked_ranks(nodes, ppn));
  for (int rank = 0; rank < nodes * ppn; ++rank) node_of_rank[rank] = rank / ppn;
  return Topology(std::move(node_of_rank));
}

Topology Topology::round_robin(int nodes, int ppn) {
  std::vector<int> node_of_rank(checked_ranks(nodes, ppn));
  for (int rank = 0; rank < nodes * ppn; ++rank) node_of_rank[rank] = rank % nodes;
  return Topology(std::move(node_of_rank));
}

Topology Topology::from_nodes(std::span<const int> node_of_rank, std::span<const int> site_of_node,
                              std::span<const int> links_of_node,
                              std::span<const int> neighbours_of_node) {
  if (node_of_rank.empty()) fail("there must be at least one rank");
  Topology topology(renumbered(node_of_rank));
  check_per_node(site_of_node, topology.nodes(), "site_of_node");
  check_per_node(links_of_node, topology.nodes(), "links_of_node");
  check_per_node(neighbours_of_node, topology.nodes(), "neighbours_of_node");
  if (!site_of_node.empty()) {
    topology.site_of_node_ = renumbered(site_of_node);
    topology.sites_ = 1 + *std::ranges::max_element(topology.site_of_node_);
  }
  for (std::size_t node = 0; node < links_of_node.size(); ++node) {
    if (links_of_node[node] < 1) {
      fail("node " + std::to_string(node) + " cannot have " + std::to_string(links_of_node[node]) +
           " links");
    }
    topology.links_of_node_[node] = links_of_node[node];
  }
  std::ranges::copy(neighbours_of_node, topology.neighbours_of_node_.begin());
  return topology;
}

int Topology::max_ppn() const {
  std::size_t largest = 0;
  for (const std::vector<int>& ranks_here : ranks_of_node_) {
    largest = std::max(largest, ranks_here.size());
  }
  return static_cast<int>(largest);
}

double Topology::sharing() const {
  double most = 1;
  for (int node = 0; node < nodes(); ++node) {
    const double here = ppn(node);
    most = std::max(most, (here + neighbours(node)) / here);
  }
  return most;
}

bool Topology::even() const {
  return std::ranges::all_of(ranks_of_node_, [this](const std::vector<int>& ranks_here) {
    return ranks_here.size() == ranks_of_node_.front().size();
  });
}

std::string Topology::describe() const {
  const std::string nodes_text = counted(nodes(), "node");
  const std::string sites_text = sites() > 1 ? " at " + counted(sites(), "site") : "";
  if (even()) return nodes_text + " x " + counted(ppn(0), "rank") + sites_text;
  std::size_t smallest = node_of_rank_.size();
  for (const std::vector<int>& ranks_here : ranks_of_node_) {
    smallest = std::min(smallest, ranks_here.size());
  }
  return nodes_text + ", " + std::to_string(smallest) + ".." + std::to_string(max_ppn()) +
         " ranks" + sites_text;
}

}  // namespace suiro
