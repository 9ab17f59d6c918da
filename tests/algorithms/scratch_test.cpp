// SPDX-License-Identifier: BSD-3-Clause
// How much memory ranks need for scratch. Every bound is for any number of ranks: what a rank needs
// may grow with the message, or with the segments that are under way, but not with the ranks of its
// node.
#include <gtest/gtest.h>

#include <string>

#include "algorithms/catalog.hpp"

namespace suiro {
namespace {

constexpr std::int64_t message = 8 << 20;
constexpr Link fast{.startup_s = 50e-6, .Bps = 25e9 / 8};

struct Shape {
  int nodes;
  int ppn;
  Link link = {};
};
constexpr Shape shapes[] = {{16, 64, fast}, {2, 16}, {2, 16, fast}, {2, 20, fast},
                            {1, 40, fast},  {64, 1}, {64, 1, fast}};

/// As the executor makes it: the same room for every block, with elements of 8 bytes.
class Built {
 public:
  Built(std::string_view collective, std::string_view name, const Shape& shape)
      : Built(*find_algorithm(collective, name), shape) {}

  Built(const Algorithm& algorithm, const Shape& shape)
      : topology_(Topology::block(shape.nodes, shape.ppn)),
        schedule_(build(algorithm, Call{.topology = topology_,
                                        .bytes = bytes_cut(algorithm, topology_),
                                        .link = shape.link})),
        block_bytes_(bytes_cut(algorithm, topology_) / schedule_.pieces + 64) {}

  /// Of any rank at most.
  std::int64_t most() const { return schedule_.scratch * block_bytes_; }
  std::int64_t of(int rank) const { return footprint(schedule_, rank).scratch * block_bytes_; }
  std::int64_t of_node(int node) const {
    std::int64_t sum = 0;
    for (const int rank : topology_.ranks_of(node)) sum += of(rank);
    return sum;
  }
  int ranks() const { return schedule_.ranks; }
  std::string text() const {
    return schedule_.collective + "/" + schedule_.algorithm + " on " + topology_.describe();
  }

 private:
  static std::int64_t bytes_cut(const Algorithm& algorithm, const Topology& topology) {
    const bool parts = find_collective(algorithm.collective)->for_each_rank;
    return parts ? message / topology.ranks() : message;
  }

  Topology topology_;
  Schedule schedule_;
  std::int64_t block_bytes_;
};

TEST(Scratch, OfWhatIsCutIsTwoMessagesAtMost) {
  constexpr std::int64_t padding = 1 << 20;  // 64 bytes a block, where blocks are small
  for (const Shape& shape : shapes) {
    for (const Algorithm& algorithm : catalog()) {
      if (!find_collective(algorithm.collective)->cut()) continue;
      const bool all_at_root = algorithm.collective == "reduce" && algorithm.name == "linear";
      const Built built(algorithm, shape);
      EXPECT_LE(built.most(), (all_at_root ? 4 : 2) * message + padding) << built.text();
    }
  }
}

TEST(Scratch, OfNodePipelineIsAFewSegmentsOnRanksThatReduce) {
  for (const Shape& shape : shapes) {
    const Built built("reduce", "node_pipeline", shape);
    constexpr std::int64_t segment_max = (256 << 10) + 64;
    EXPECT_LE(built.most(), 25 * segment_max) << built.text();
    const int last = shape.ppn - 1;
    if (shape.ppn > 2) EXPECT_EQ(built.of(last), 0) << built.text() << ": it only sends";
    EXPECT_LE(built.of_node(0), (25 + 19 * (shape.ppn / 2)) * segment_max) << built.text();
  }
}

/// Blocks as the catalog's costs say, of P ranks on nodes of a.
struct Stated {
  std::string_view collective;
  std::string_view name;
  std::int64_t (*segments)(std::int64_t log2_ranks, std::int64_t ppn);
};
constexpr Stated stated[] = {
    {"allreduce", "lanes", [](std::int64_t, std::int64_t ppn) { return 9 * ppn + 7; }},
    {"allreduce", "nonoverlapping", [](std::int64_t log2, std::int64_t) { return 6 * log2 + 1; }},
    {"allreduce", "pipeline", [](std::int64_t, std::int64_t) -> std::int64_t { return 13; }},
    {"allreduce", "ring", [](std::int64_t, std::int64_t) -> std::int64_t { return 16; }},
    {"reduce", "binary", [](std::int64_t, std::int64_t) -> std::int64_t { return 19; }},
    {"reduce", "binomial", [](std::int64_t log2, std::int64_t) { return 6 * log2 + 1; }},
    {"reduce", "chain", [](std::int64_t, std::int64_t) -> std::int64_t { return 6 * 4; }},
    {"reduce", "in_order_binary", [](std::int64_t, std::int64_t) -> std::int64_t { return 19; }},
    {"reduce", "in_order_pipeline", [](std::int64_t, std::int64_t) -> std::int64_t { return 13; }},
    {"reduce", "node_pipeline", [](std::int64_t, std::int64_t) -> std::int64_t { return 25; }},
    {"reduce", "pipeline", [](std::int64_t, std::int64_t) -> std::int64_t { return 13; }},
    {"reduce_scatter_block", "lanes", [](std::int64_t, std::int64_t ppn) { return 18 * ppn; }},
    {"reduce_scatter_block", "ring", [](std::int64_t, std::int64_t) -> std::int64_t { return 9; }},
    {"scan", "linear", [](std::int64_t, std::int64_t) -> std::int64_t { return 4; }},
};

TEST(Scratch, IsWhatCostsSay) {
  for (const Stated& row : stated) {
    const Topology topology = Topology::block(4, 16);
    const Schedule schedule = build(*find_algorithm(row.collective, row.name),
                                    Call{.topology = topology, .bytes = message});
    EXPECT_LE(schedule.scratch, row.segments(6, 16)) << row.collective << "/" << row.name;
  }
}

TEST(Scratch, OfATreeIsThatOfItsChildren) {
  for (const std::string_view name : {"binomial", "binary", "pipeline", "chain"}) {
    const Built built("reduce", name, {64, 1, fast});
    EXPECT_EQ(built.of(name == "pipeline" || name == "chain" ? built.ranks() - 1 : 63), 0) << name;
    EXPECT_GT(built.of(0), 0) << name;
  }
}

TEST(Scratch, OfLeadersIsTheirOwn) {
  const Built built("alltoall", "node_leader", {4, 16});
  EXPECT_EQ(built.of(0), built.most());
  EXPECT_EQ(built.of(1), 0);
}

}  // namespace
}  // namespace suiro
