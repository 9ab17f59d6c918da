// SPDX-License-Identifier: BSD-3-Clause
#include "tools/shape.hpp"

#include <algorithm>
#include <numeric>

namespace suiro::tools {

namespace {

std::vector<int> numbers(std::string_view text, std::string_view what, std::int64_t minimum,
                         std::int64_t maximum) {
  std::vector<int> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.push_back(
        static_cast<int>(number(text.substr(begin, end - begin), what, minimum, maximum)));
    begin = end + 1;
  }
  return list;
}

/// The node of each rank: all of the first node, then all of the second.
std::vector<int> in_blocks(const std::vector<int>& ppn) {
  std::vector<int> node_of_rank;
  for (std::size_t node = 0; node < ppn.size(); ++node) {
    node_of_rank.insert(node_of_rank.end(), ppn[node], static_cast<int>(node));
  }
  return node_of_rank;
}

/// One rank for each node in turn, as long as it has any left.
std::vector<int> round_robin(const std::vector<int>& ppn) {
  std::vector<int> node_of_rank;
  for (int local = 0; local < *std::ranges::max_element(ppn); ++local) {
    for (std::size_t node = 0; node < ppn.size(); ++node) {
      if (local < ppn[node]) node_of_rank.push_back(static_cast<int>(node));
    }
  }
  return node_of_rank;
}

std::vector<int> in_order(const std::vector<int>& ppn, const std::string& order) {
  if (order == "block") return in_blocks(ppn);
  if (order == "round_robin") return round_robin(ppn);
  throw UsageError("--order takes block or round_robin, not '" + order + "'");
}

void expect_at_most(std::int64_t ranks, std::int64_t ranks_max, std::string_view command) {
  if (ranks <= ranks_max) return;
  throw UsageError(std::string(command) + " takes at most " + std::to_string(ranks_max) +
                   " ranks, not " + std::to_string(ranks));
}

}  // namespace

Topology take_topology(Arguments& arguments, std::string_view command, std::int64_t ranks_max) {
  const auto nodes = arguments.take_number("--nodes", 1, ranks_max);
  const auto ppn = arguments.take_number("--ppn", 1, ranks_max);
  const auto shape = arguments.take_option("--shape");
  const auto placement = arguments.take_option("--node-of-rank");
  const auto order = arguments.take_option("--order");
  const int ways = (nodes || ppn ? 1 : 0) + (shape ? 1 : 0) + (placement ? 1 : 0);
  if (ways > 1) throw UsageError("--nodes, --shape and --node-of-rank exclude each other");
  if (placement && order) throw UsageError("--order goes with --nodes or --shape");
  if (placement) {
    const std::vector<int> list = numbers(*placement, "--node-of-rank", 0, INT32_MAX);
    expect_at_most(static_cast<std::int64_t>(list.size()), ranks_max, command);
    return Topology::from_nodes(list);
  }
  if (!shape && !(nodes && ppn)) {
    throw UsageError(std::string(command) + " needs --nodes and --ppn, or --shape");
  }
  const std::vector<int> list = shape ? numbers(*shape, "--shape", 1, ranks_max)
                                      : std::vector<int>(*nodes, static_cast<int>(*ppn));
  expect_at_most(std::accumulate(list.begin(), list.end(), std::int64_t{0}), ranks_max, command);
  return Topology::from_nodes(in_order(list, order.value_or("block")));
}

Topology at_sites(const Topology& topology, const std::vector<int>& site_of_node) {
  if (site_of_node.empty()) return topology;
  std::vector<int> node_of_rank;
  node_of_rank.reserve(static_cast<std::size_t>(topology.ranks()));
  for (int rank = 0; rank < topology.ranks(); ++rank) node_of_rank.push_back(topology.node(rank));
  try {
    return Topology::from_nodes(node_of_rank, site_of_node);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("site_of_node: ") + error.what());
  }
}

Request take_request(Arguments& arguments, std::string_view command, std::int64_t ranks_max) {
  const auto bytes = arguments.take_number("--bytes", 0, INT64_MAX);
  const auto root = arguments.take_option("--root");
  Request request{.topology = take_topology(arguments, command, ranks_max)};
  if (root) {
    request.root = static_cast<int>(number(*root, "--root", 0, request.topology.ranks() - 1));
  }
  request.bytes = bytes;
  return request;
}

}  // namespace suiro::tools
