// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms of messages and vectors promise beyond delivery: how long messages are, which
// ranks drive the network, and how much goes over each link.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "algorithms/catalog.hpp"
#include "verify/verify.hpp"

namespace suiro {
namespace {

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

Schedule built(std::string_view collective, std::string_view name, const Topology& topology,
               std::int64_t bytes) {
  return build(*find_algorithm(collective, name), Call{.topology = topology, .bytes = bytes});
}

Topology with_links(int nodes, int ppn, int links) {
  std::vector<int> node_of_rank;
  for (int rank = 0; rank < nodes * ppn; ++rank) node_of_rank.push_back(rank / ppn);
  return Topology::from_nodes(node_of_rank, {},
                              std::vector<int>(static_cast<std::size_t>(nodes), links));
}

/// Pieces that a rank sends, to whatever node.
std::int64_t count_sent(const Schedule& schedule, int rank) {
  std::int64_t sent = 0;
  Round round;
  for (std::int64_t i = 0; i < schedule.rounds; ++i) {
    schedule.round(rank, i, round);
    for (const Step& step : round.steps) {
      if (step.action == Action::send) sent += step.source.count;
    }
  }
  return sent;
}

/// Pieces in the longest message between nodes.
std::int64_t longest_message(const Schedule& schedule, const Topology& topology) {
  std::int64_t most = 0;
  Round round;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t i = 0; i < schedule.rounds; ++i) {
      schedule.round(rank, i, round);
      for (const Step& step : round.steps) {
        if (step.action != Action::send) continue;
        if (topology.node(step.peer) != topology.node(rank)) {
          most = std::max(most, step.source.count);
        }
      }
    }
  }
  return most;
}

TEST(Ring, MessagesStayBelowTheEagerLimitOfMpi) {
  const Topology topology = Topology::block(8, 4);
  for (const std::string_view name : {"ring", "lanes"}) {
    for (const std::int64_t bytes : {64 * kib, mib, 64 * mib}) {
      const Schedule schedule = built("allreduce", name, topology, bytes);
      EXPECT_EQ(longest_message(schedule, topology), 1) << name;
      EXPECT_LE(bytes / schedule.pieces, 32 * kib) << name << " of " << bytes;
    }
  }
}

TEST(Ring, ScratchDoesNotGrowWithTheVector) {
  const Topology topology = Topology::block(8, 4);
  const auto scratch_bytes = [&](std::int64_t bytes) {
    const Schedule schedule = built("allreduce", "lanes", topology, bytes);
    return schedule.scratch * bytes / schedule.pieces;
  };
  // But for what is rounded to whole pieces.
  EXPECT_NEAR(scratch_bytes(64 * mib), scratch_bytes(256 * mib), 0.02 * scratch_bytes(64 * mib));
}

TEST(Lanes, EveryRankCarriesItsShare) {
  const Topology topology = Topology::round_robin(8, 4);
  const Schedule schedule = built("allreduce", "lanes", topology, mib);
  for (int rank = 0; rank < 32; ++rank) {
    const Wire wire = count_wire(schedule, topology, rank);
    EXPECT_EQ(wire.leaving, schedule.pieces / 4 * 2 * 7 / 8) << "rank " << rank;
    EXPECT_EQ(wire.arriving, wire.leaving) << "rank " << rank;
  }
}

TEST(Lanes, ThereAreAsManyAsTheSmallestNodeHasRanks) {
  const int nodes[] = {0, 0, 0, 0, 1, 1, 1, 2, 2};
  const Topology topology = Topology::from_nodes(nodes);
  const Schedule schedule = built("allreduce", "lanes", topology, mib);
  const auto drives = [&](int rank) { return count_wire(schedule, topology, rank).leaving > 0; };
  std::vector<int> driving;
  for (int rank = 0; rank < 9; ++rank) {
    if (drives(rank)) driving.push_back(rank);
  }
  EXPECT_EQ(driving, (std::vector<int>{0, 1, 4, 5, 7, 8}));
}

// Where a link carries more than an eager message while one starts, short pieces would make
// processors start messages and do nothing else.
TEST(Lanes, CutLongVectorsIntoFewPiecesOnFastLinks) {
  const Topology topology = Topology::block(4, 16);
  constexpr std::int64_t bytes = 8 * mib;
  const Call call{.topology = topology, .bytes = bytes, .link = {.Bps = 1.25e9}};
  const Schedule schedule = build(*find_algorithm("allreduce", "lanes"), call);
  const std::int64_t piece = bytes / schedule.pieces;
  EXPECT_GT(piece, 32 * kib) << "twice an eager message, at least";
  EXPECT_LE(schedule.scratch * piece, 16 * mib);
}

TEST(NodePipeline, ServesEveryRankOfANodeByATree) {
  const Topology topology = Topology::block(3, 64);
  const Schedule schedule = built("bcast", "node_pipeline", topology, mib);
  for (int rank = 0; rank < topology.ranks(); ++rank) {
    const std::int64_t sent = count_sent(schedule, rank);
    EXPECT_LE(sent, 3 * schedule.pieces) << "rank " << rank;
  }
}

TEST(NodePipeline, UsesAllLinksOfEveryNode) {
  for (const std::string_view collective : {"bcast", "reduce"}) {
    for (const int links : {1, 2, 3, 4, 6}) {
      const Topology topology = with_links(3, 4, links);
      const Schedule schedule = built(collective, "node_pipeline", topology, mib);
      EXPECT_TRUE(verify(schedule).empty()) << collective << " on " << links << " links";
      const int lanes = std::min(links, 4);
      for (int lane = 0; lane < 4; ++lane) {
        const Wire wire = count_wire(schedule, topology, topology.rank(1, lane));
        EXPECT_EQ(wire.leaving, lane < lanes ? schedule.pieces / lanes : 0) << collective;
      }
      const auto busy = counterexample(Property::port_optimal, schedule, topology);
      EXPECT_EQ(busy.has_value(), links > 4) << collective << " on " << links << " links";
    }
  }
}

}  // namespace
}  // namespace suiro
