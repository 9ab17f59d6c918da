// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/placement.hpp"

#include <algorithm>
#include <numeric>

namespace suiro::mpi {

namespace {

std::vector<int> in_world(MPI_Comm communicator, const std::vector<int>& ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  std::vector<int> result(ranks.size());
  real.Comm_group(communicator, &group);
  real.Comm_group(MPI_COMM_WORLD, &world);
  real.Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), world,
                             result.data());
  real.Group_free(&group);
  real.Group_free(&world);
  return result;
}

}  // namespace

Placement::Placement(std::vector<int> node_of_world_rank, std::vector<int> site_of_world_rank,
                     std::vector<int> links_of_world_rank)
    : node_of_world_rank_(std::move(node_of_world_rank)),
      site_of_world_rank_(std::move(site_of_world_rank)),
      links_of_world_rank_(std::move(links_of_world_rank)),
      ranks_on_node_(node_of_world_rank_.size()),
      nodes_(Topology::from_nodes(node_of_world_rank_).nodes()) {
  for (const int node : node_of_world_rank_) ++ranks_on_node_[static_cast<std::size_t>(node)];
}

std::vector<int> Placement::world_ranks(MPI_Comm communicator) const {
  int size = 0;
  real.Comm_size(communicator, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return in_world(communicator, ranks);
}

std::optional<Topology> Placement::of(MPI_Comm communicator) const {
  std::vector<int> nodes;
  std::vector<int> ranks_here(ranks_on_node_.size());
  std::vector<std::size_t> first_ranks;  // of nodes, in the order in which these appear
  for (const int world_rank : world_ranks(communicator)) {
    if (world_rank == MPI_UNDEFINED) return std::nullopt;
    const auto rank = static_cast<std::size_t>(world_rank);
    nodes.push_back(node_of_world_rank_[rank]);
    if (ranks_here[static_cast<std::size_t>(nodes.back())]++ == 0) first_ranks.push_back(rank);
  }
  std::vector<int> sites;
  std::vector<int> links;
  std::vector<int> neighbours;
  for (const std::size_t rank : first_ranks) {
    const auto node = static_cast<std::size_t>(node_of_world_rank_[rank]);
    if (!site_of_world_rank_.empty()) sites.push_back(site_of_world_rank_[rank]);
    if (!links_of_world_rank_.empty()) links.push_back(links_of_world_rank_[rank]);
    neighbours.push_back(ranks_on_node_[node] - ranks_here[node]);
  }
  return Topology::from_nodes(nodes, sites, links, neighbours);
}

int Placement::node_of(MPI_Comm communicator, int rank) const {
  return node_of_world_rank_[static_cast<std::size_t>(in_world(communicator, {rank}).front())];
}

int Placement::first_world_rank(MPI_Comm communicator) const {
  return std::ranges::min(world_ranks(communicator));
}

Node find_node() {
  MPI_Comm node = MPI_COMM_NULL;
  Node result;
  real.Comm_rank(MPI_COMM_WORLD, &result.leader);
  if (real.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
      MPI_SUCCESS) {
    return result;
  }
  real.Comm_size(node, &result.ranks);
  real.Bcast(&result.leader, 1, MPI_INT, 0, node);
  real.Comm_free(&node);
  return result;
}

}  // namespace suiro::mpi
