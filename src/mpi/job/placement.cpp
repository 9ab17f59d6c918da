// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/placement.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/hash.hpp"
#include "mpi/job/world_ranks.hpp"

namespace suiro::mpi {

namespace {

/// The group of a communicator, for as long as this lives.
struct GroupOf {
  explicit GroupOf(MPI_Comm communicator) { real.Comm_group(communicator, &group); }
  ~GroupOf() { real.Group_free(&group); }
  GroupOf(const GroupOf&) = delete;
  GroupOf& operator=(const GroupOf&) = delete;
  MPI_Group group = MPI_GROUP_NULL;
};

/// Where ranks of a group are in another, or MPI_UNDEFINED.
void translate(MPI_Group from, std::span<const int> ranks, MPI_Group to, std::span<int> places) {
  real.Group_translate_ranks(from, static_cast<int>(ranks.size()), ranks.data(), to, places.data());
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

std::shared_ptr<const Topology> SharedTopologies::share(Topology topology) {
  std::uint64_t hash = hash_begin;
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    for (int shift = 0; shift < 32; shift += 8) {
      hash = hash_with(hash, static_cast<std::uint8_t>(topology.node(rank) >> shift));
    }
  }
  const std::scoped_lock lock(mutex_);
  auto found = by_hash_[hash].lock();
  if (found != nullptr && *found == topology) return found;
  auto made = std::make_shared<const Topology>(std::move(topology));
  std::erase_if(by_hash_, [](const auto& entry) { return entry.second.expired(); });
  by_hash_[hash] = made;
  return made;
}

std::vector<int> Placement::world_ranks(MPI_Comm communicator) const {
  int size = 0;
  real.Comm_size(communicator, &size);
  if (communicator == MPI_COMM_WORLD) {
    std::vector<int> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  const GroupOf its(communicator);
  const GroupOf world(MPI_COMM_WORLD);
  std::vector<int> part;
  const auto translate_some = [&](std::span<const int> some, int first, int count,
                                  std::span<int> places) {
    part.resize(static_cast<std::size_t>(count));
    std::iota(part.begin(), part.end(), first);
    MPI_Group group = MPI_GROUP_NULL;
    real.Group_incl(world.group, count, part.data(), &group);
    translate(its.group, some, group, places);
    real.Group_free(&group);
  };
  return suiro::mpi::world_ranks(size, ranks(), translate_some);
}

Placement::Place Placement::of(MPI_Comm communicator) const {
  const std::vector<int> ranks = world_ranks(communicator);
  Place place{.topology = nullptr, .first_world_rank = std::ranges::min(ranks)};
  if (auto topology = topology_of(ranks)) place.topology = shared_->share(std::move(*topology));
  return place;
}

std::optional<Topology> Placement::topology_of(const std::vector<int>& world_ranks) const {
  std::vector<int> nodes;
  nodes.reserve(world_ranks.size());
  std::vector<int> ranks_here(ranks_on_node_.size());
  std::vector<std::size_t> first_ranks;  // of nodes, in the order in which these appear
  for (const int world_rank : world_ranks) {
    if (world_rank == not_of_the_world) return std::nullopt;
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
  const GroupOf its(communicator);
  const GroupOf world(MPI_COMM_WORLD);
  int place = 0;
  translate(its.group, {&rank, 1}, world.group, {&place, 1});
  return node_of_world_rank_[static_cast<std::size_t>(place)];
}

}  // namespace suiro::mpi
