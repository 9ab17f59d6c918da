// SPDX-License-Identifier: BSD-3-Clause
// The whole catalog on few ranks, every even node count, uneven and permuted placements: a failure
// here is one of a named test. More ranks are proven by `suiro verify`, which tests/cli runs.
#include "verify/catalog_proof.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "verify/shapes.hpp"

namespace suiro {
namespace {

constexpr int ranks_maximum = SUIRO_PROVEN_RANKS_MAX;
constexpr int ranks_of_properties = 5;  // the smallest counterexamples have at most so many

class CatalogProofTest : public testing::TestWithParam<Algorithm> {};

TEST_P(CatalogProofTest, EverySmallShapeIsProven) {
  CatalogProof proof = begin_proof(GetParam());
  for (int ranks = 1; ranks <= ranks_maximum; ++ranks) prove(proof, ranks);
  for (const ShapeFinding& failure : proof.failures) {
    ADD_FAILURE() << failure.schedule << ": " << failure.violation.describe();
  }
  EXPECT_GT(proof.schedules, ranks_maximum);
}

INSTANTIATE_TEST_SUITE_P(Catalog, CatalogProofTest, testing::ValuesIn(catalog()),
                         [](const auto& info) {
                           return std::string(info.param.collective) + "_" +
                                  std::string(info.param.name);
                         });

PropertyProof one_peer_proof(std::string_view name) {
  CatalogProof proof = begin_proof(*find_algorithm("alltoall", name));
  for (int ranks = 1; ranks <= ranks_of_properties; ++ranks) prove(proof, ranks);
  return proof.properties.at(0);
}

TEST(CatalogProof, RingSharesPortsAndTheSmallestCounterexampleIsGiven) {
  const PropertyProof proof = one_peer_proof("ring");
  EXPECT_FALSE(proof.declared);
  ASSERT_TRUE(proof.counterexample.has_value());
  EXPECT_THAT(proof.counterexample->violation.describe(), testing::HasSubstr("sends to node"));
}

TEST(CatalogProof, TheTwoLevelAlgorithmsShareNone) {
  for (const std::string_view name : {"two_level_ring", "two_level_pairwise"}) {
    const PropertyProof proof = one_peer_proof(name);
    EXPECT_TRUE(proof.declared) << name;
    EXPECT_FALSE(proof.counterexample.has_value()) << name;
  }
}

TEST(CatalogProof, WhatMergesBlocksIsNotDirect) {
  for (const Algorithm& algorithm : catalog()) {
    if (!applies(Property::direct, *find_collective(algorithm.collective))) continue;
    CatalogProof proof = begin_proof(algorithm);
    for (int ranks = 1; ranks <= ranks_of_properties; ++ranks) prove(proof, ranks);
    const PropertyProof& direct = proof.properties.at(1);
    EXPECT_EQ(direct.property, Property::direct);
    EXPECT_EQ(direct.declared, !direct.counterexample.has_value()) << algorithm.name;
  }
}

TEST(Shapes, CoverEvenUnevenAndPermutedPlacements) {
  bool uneven = false;
  bool permuted = false;
  for (const Topology& topology : shapes(12)) {
    EXPECT_EQ(topology.ranks(), 12);
    uneven = uneven || !topology.even();
    permuted = permuted || (topology.even() &&
                            topology != Topology::block(topology.nodes(), topology.max_ppn()));
  }
  EXPECT_TRUE(uneven);
  EXPECT_TRUE(permuted);
  const auto sites = [](const Topology& topology) { return topology.sites(); };
  for (const int wanted : {2, 3, 5}) {
    EXPECT_TRUE(std::ranges::count(shapes(12), wanted, sites) > 1) << wanted << " sites";
  }
  EXPECT_TRUE(shapes(2).size() == 3 && shapes(1).size() == 1) << "two nodes, or two sites";
  EXPECT_EQ(shapes(12), shapes(12)) << "the random ones are the same in every run";
}

}  // namespace
}  // namespace suiro
