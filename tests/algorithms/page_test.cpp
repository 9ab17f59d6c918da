// SPDX-License-Identifier: BSD-3-Clause
// The algorithm of docs/add-an-algorithm.md, as the page has it, is as right as those of the
// catalog.
#include <gtest/gtest.h>

#include "../execute/run_collective.hpp"
#include "verify/catalog_proof.hpp"

namespace suiro {

extern const Algorithm allreduce_leader_ring;

namespace {

TEST(AddAnAlgorithm, TheOneOfThePageIsProven) {
  constexpr int ranks_max = 8;
  CatalogProof proof = begin_proof(allreduce_leader_ring);
  for (int ranks = 1; ranks <= ranks_max; ++ranks) prove(proof, ranks);
  for (const ShapeFinding& failure : proof.failures) {
    ADD_FAILURE() << failure.schedule << ": " << failure.violation.describe();
  }
  EXPECT_GT(proof.schedules, ranks_max);
}

TEST(AddAnAlgorithm, TheOneOfThePageRuns) {
  const Topology topology = Topology::round_robin(3, 2);
  const Call call{.topology = topology, .bytes = 100 * sizeof(Affine)};
  const Schedule schedule = build(allreduce_leader_ring, call, {{"segment", 64}});
  EXPECT_EQ(run_collective(schedule, {.elements = 100}), "");
}

}  // namespace
}  // namespace suiro
