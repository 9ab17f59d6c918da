// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/catalog.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "algorithms/allgather/allgather.hpp"
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/barrier/barrier.hpp"
#include "algorithms/bcast/bcast.hpp"
#include "algorithms/gather/gather.hpp"
#include "algorithms/reduce/reduce.hpp"
#include "algorithms/reduce_scatter/reduce_scatter.hpp"
#include "algorithms/scan/scan.hpp"
#include "algorithms/scatter/scatter.hpp"

namespace suiro {

namespace {

// What is copied here is made when the program is linked, so it is there whatever comes first.
const std::array rows = {
    allgather_bruck,
    allgather_counterparts,
    allgather_lanes,
    allgather_linear,
    allgather_neighbor_exchange,
    allgather_recursive_doubling,
    allgather_ring,
    allreduce_extended_rabenseifner,
    allreduce_lanes,
    allreduce_lanes_halving,
    allreduce_node_leader,
    allreduce_nonoverlapping,
    allreduce_pipeline,
    allreduce_rabenseifner,
    allreduce_recursive_doubling,
    allreduce_ring,
    allreduce_shared_lanes,
    allreduce_shared_leader,
    allreduce_twotier,
    alltoall_bruck,
    alltoall_linear,
    alltoall_linear_by_rank,
    alltoall_linear_capped,
    alltoall_multi_leader,
    alltoall_node_leader,
    alltoall_pairwise,
    alltoall_ring,
    alltoall_send_side_aggregation,
    alltoall_two_level_capped,
    alltoall_two_level_pairwise,
    alltoall_two_level_ring,
    alltoall_wan_first,
    barrier_dissemination,
    barrier_node_leader,
    barrier_recursive_doubling,
    barrier_shared_leader,
    barrier_site_leader,
    barrier_tree,
    bcast_binary,
    bcast_binomial,
    bcast_chain,
    bcast_extended_van_de_geijn,
    bcast_farfirst,
    bcast_knomial,
    bcast_linear,
    bcast_node_pipeline,
    bcast_pipeline,
    bcast_scatter_allgather,
    bcast_shared_tree,
    bcast_split_binary,
    exscan_butterfly,
    exscan_linear,
    exscan_node_aware,
    exscan_recursive_doubling,
    gather_binomial,
    gather_counterparts,
    gather_linear,
    gather_linear_capped,
    gather_node_leader,
    reduce_binary,
    reduce_binomial,
    reduce_chain,
    reduce_extended_rabenseifner,
    reduce_in_order_binary,
    reduce_in_order_pipeline,
    reduce_linear,
    reduce_node_pipeline,
    reduce_pipeline,
    reduce_rabenseifner,
    reduce_shared_tree,
    reduce_scatter_block_bruck,
    reduce_scatter_block_counterparts,
    reduce_scatter_block_lanes,
    reduce_scatter_block_pairwise,
    reduce_scatter_block_recursive_halving,
    reduce_scatter_block_ring,
    scan_butterfly,
    scan_linear,
    scan_node_aware,
    scan_recursive_doubling,
    scatter_binomial,
    scatter_linear,
    scatter_linear_capped,
    scatter_node_leader,
};

}  // namespace

std::span<const Algorithm> catalog() { return rows; }

std::string_view name(Property property) {
  switch (property) {
    case Property::one_peer_per_node_per_round:
      return "one_peer_per_node_per_round";
    case Property::direct:
      return "direct";
    case Property::ordered:
      return "ordered";
    case Property::same_everywhere:
      return "same_everywhere";
    case Property::in_place:
      return "in_place";
    case Property::port_optimal:
      return "port_optimal";
  }
  return "unknown";
}

bool declares(const Algorithm& algorithm, Property property) {
  return std::ranges::find(algorithm.properties, property) != algorithm.properties.end();
}

const Algorithm* find_algorithm(std::string_view collective, std::string_view name) {
  for (const Algorithm& algorithm : catalog()) {
    if (algorithm.collective == collective && algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

namespace {

[[noreturn]] void fail(const Algorithm& algorithm, const std::string& reason) {
  throw std::invalid_argument(std::string(algorithm.name) + ": " + reason);
}

std::string names_of(std::span<const ParameterSpec> specs) {
  if (specs.empty()) return "it takes none";
  std::string names = "it takes";
  for (const ParameterSpec& spec : specs) names += " " + std::string(spec.name);
  return names;
}

void check_names(const Algorithm& algorithm, const Parameters& given) {
  for (const auto& [name, value] : given) {
    if (std::ranges::find(algorithm.parameters, name, &ParameterSpec::name) ==
        algorithm.parameters.end()) {
      fail(algorithm, "unknown parameter '" + name + "'; " + names_of(algorithm.parameters));
    }
  }
}

}  // namespace

Parameters complete(const Algorithm& algorithm, const Parameters& given) {
  check_names(algorithm, given);
  Parameters result;
  for (const ParameterSpec& spec : algorithm.parameters) {
    const auto found = given.find(spec.name);
    const std::int64_t value = found == given.end() ? spec.fallback : found->second;
    if (value < spec.minimum || value > spec.maximum) {
      fail(algorithm, "parameter '" + std::string(spec.name) + "' must be from " +
                          std::to_string(spec.minimum) + " to " + std::to_string(spec.maximum) +
                          ", not " + std::to_string(value));
    }
    result.emplace(spec.name, value);
  }
  return result;
}

Schedule build(const Algorithm& algorithm, const Call& call, const Parameters& given) {
  const Topology& topology = call.topology;
  const Parameters parameters = complete(algorithm, given);
  Schedule schedule = algorithm.build(call, parameters);
  schedule.node_of_rank.reserve(topology.ranks());
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    schedule.node_of_rank.push_back(topology.node(rank));
  }
  return schedule;
}

}  // namespace suiro
