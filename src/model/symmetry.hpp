// SPDX-License-Identifier: BSD-3-Clause
// Nodes that all do the same. A schedule is alike on all nodes if numbering them anew in one of two
// ways, turning them by any number or exchanging those whose numbers differ in given bits, changes
// nothing but who is who. Then one node stands for all: what it sends to the node k is what it gets
// from the node that is where k would be if it were k's place that counts from 0. This is the
// quotient of the schedule by its nodes; it takes as many ranks as one node has.
#pragma once

#include <cstdint>
#include <optional>

#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

class Symmetry {
 public:
  /// Nothing if nodes differ, ranks are not in blocks, there is more than one site, or some nodes
  /// are seen to do otherwise. Not every round of every rank is looked at: 64 rounds of 8 nodes.
  static std::optional<Symmetry> of(const Schedule& schedule, const Topology& topology);

  /// A message from a rank of the first node, as the first node sees the like of it come in.
  struct Image {
    int sender = 0;
    int receiver = 0;  // on the first node
  };
  Image image(int sender, int receiver) const;

  int ranks_per_node() const { return ppn_; }

 private:
  enum class Kind : std::uint8_t { turned, exchanged };
  Symmetry(Kind kind, int nodes, int ppn) : kind_(kind), nodes_(nodes), ppn_(ppn) {}

  /// Where a rank is if the first node becomes `node`.
  int moved(int rank, int node) const;
  bool alike(const Schedule& schedule, std::int64_t round, int local, int node) const;
  bool holds(const Schedule& schedule) const;

  Kind kind_;
  int nodes_;
  int ppn_;
};

/// The first node, and one that stands for all others.
Topology first_and_other(const Topology& topology);

}  // namespace suiro
