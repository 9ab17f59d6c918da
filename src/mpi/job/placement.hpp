// SPDX-License-Identifier: BSD-3-Clause
// Which node each rank of the world lives on, and at which site, found once when the job starts.
// The topology of any communicator, and who is beside it on its nodes, follows from its group
// without communication, hence alike on all its ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mpi/underneath/real.hpp"
#include "topology/topology.hpp"

namespace suiro::mpi {

/// Equal ones are kept once, as long as somebody has them. Threads may ask at once.
class SharedTopologies {
 public:
  std::shared_ptr<const Topology> share(Topology topology);

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::weak_ptr<const Topology>> by_hash_;  // of the nodes
};

class Placement {
 public:
  Placement() = default;
  /// Labels of nodes are 0 .. ranks - 1. site_of_world_rank may be empty: one site; and
  /// links_of_world_rank: one link per node.
  Placement(std::vector<int> node_of_world_rank, std::vector<int> site_of_world_rank,
            std::vector<int> links_of_world_rank);

  int nodes() const { return nodes_; }
  int ranks() const { return static_cast<int>(node_of_world_rank_.size()); }

  /// A communicator's. It has as many numbers as ranks, and a program may have a thousand
  /// communicators of all its ranks: those that are placed alike share one.
  struct Place {
    std::shared_ptr<const Topology> topology;  // none with processes that came later
    int first_world_rank = 0;                  // the lowest, for reports
  };
  Place of(MPI_Comm communicator) const;

  /// The label of the node where a rank of a communicator is, for reports.
  int node_of(MPI_Comm communicator, int rank) const;

 private:
  std::vector<int> world_ranks(MPI_Comm communicator) const;
  std::optional<Topology> topology_of(const std::vector<int>& world_ranks) const;

  std::vector<int> node_of_world_rank_;
  std::vector<int> site_of_world_rank_;
  std::vector<int> links_of_world_rank_;
  std::vector<int> ranks_on_node_;  // by the node's label, which is below the ranks of the world
  int nodes_ = 0;
  std::shared_ptr<SharedTopologies> shared_ = std::make_shared<SharedTopologies>();
};

}  // namespace suiro::mpi
