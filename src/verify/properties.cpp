// SPDX-License-Identifier: BSD-3-Clause
// Which properties a collective can have, and the short ones.
#include "verify/properties.hpp"

#include <algorithm>
#include <map>

namespace suiro {

namespace {

/// All ranks end with the same.
bool is_for_all(const Collective& collective) {
  const Instance two{.ranks = 2};
  return collective.expected(two, 0, 0) == collective.expected(two, 1, 0) &&
         collective.receive_blocks(two, 0) == collective.receive_blocks(two, 1);
}

}  // namespace

bool applies(Property property, const Collective& collective) {
  switch (property) {
    case Property::one_peer_per_node_per_round:
    case Property::port_optimal:
      return collective.bytes != Measure::nothing;
    case Property::direct:
      return collective.bytes == Measure::per_pair ||
             (collective.rooted && collective.for_each_rank);
    case Property::ordered:
      return collective.reduces;
    case Property::same_everywhere:
      return collective.reduces && is_for_all(collective);
    case Property::in_place:
      return collective.reduces && !collective.for_each_rank;
  }
  return false;
}

std::optional<Violation> counterexample(Property property, const Schedule& schedule,
                                        const Topology& topology) {
  switch (property) {
    case Property::one_peer_per_node_per_round:
      return one_peer_per_node_per_round(schedule, topology);
    case Property::direct:
      return direct(schedule);
    case Property::ordered:
      return ordered(schedule);
    case Property::same_everywhere:
      return same_everywhere(schedule);
    case Property::in_place:
      return in_place(schedule);
    case Property::port_optimal:
      return port_optimal(schedule, topology);
  }
  return std::nullopt;
}

std::optional<Violation> ordered(const Schedule& schedule) {
  return for_each_result(schedule,
                         [](int rank, std::int64_t block, Values::Id value,
                            const Values& values) -> std::optional<Violation> {
                           if (values.is_ordered(value)) return std::nullopt;
                           return Violation{.rank = rank,
                                            .round = -1,
                                            .block = block,
                                            .text = "the operands are not in the order of ranks"};
                         });
}

std::optional<Violation> same_everywhere(const Schedule& schedule) {
  std::map<std::int64_t, Values::Id> classes;  // by block, as the first rank has it
  return for_each_result(
      schedule,
      [&](int rank, std::int64_t block, Values::Id value,
          const Values& values) -> std::optional<Violation> {
        const auto first = classes.try_emplace(block, values.class_of(value)).first;
        if (first->second == values.class_of(value)) return std::nullopt;
        return Violation{.rank = rank,
                         .round = -1,
                         .block = block,
                         .text = "the operands are not put together as on rank 0"};
      });
}

std::optional<Violation> in_place(const Schedule& schedule) {
  std::vector<Violation> found = verify(schedule, Placing::in_place);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

namespace {

/// Blocks of the busiest link of a node whose ranks use one link each, as evenly as can be.
double busiest_link(const Schedule& schedule, const Topology& topology, int node) {
  Wire of_node;
  std::int64_t of_rank = 0;
  for (const int rank : topology.ranks_of(node)) {
    const Wire wire = count_wire(schedule, topology, rank);
    of_node.leaving += wire.leaving;
    of_node.arriving += wire.arriving;
    of_rank = std::max({of_rank, wire.leaving, wire.arriving});
  }
  const auto evenly = static_cast<double>(std::max(of_node.leaving, of_node.arriving));
  return std::max(evenly / topology.links(node), static_cast<double>(of_rank));
}

}  // namespace

std::optional<Violation> port_optimal(const Schedule& schedule, const Topology& topology) {
  constexpr double rounding = 1e-9;
  const Collective& collective = *find_collective(schedule.collective);
  const double whole = collective.cut() ? static_cast<double>(schedule.pieces) : 1.0;
  const double allowed = collective.busiest_link(topology) * whole;
  for (int node = 0; node < topology.nodes(); ++node) {
    const double most = busiest_link(schedule, topology, node);
    if (most <= allowed * (1 + rounding)) continue;
    return Violation{.rank = -1,
                     .round = -1,
                     .block = -1,
                     .text = "a link of node " + std::to_string(node) + " carries " +
                             std::to_string(most) + " blocks, and no more than " +
                             std::to_string(allowed) + " must"};
  }
  return std::nullopt;
}

}  // namespace suiro
