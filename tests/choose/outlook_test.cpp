// SPDX-License-Identifier: BSD-3-Clause
// What a decision comes to: the same figures as those by which it was made.
#include "choose/outlook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/choose.hpp"
#include "choose/lessons.hpp"
#include "choose/margins.hpp"
#include "choose/native.hpp"

namespace suiro {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Surroundings openmpi{.mpi = "openmpi", .release = 4};

const Collective& collective(std::string_view name) { return *find_collective(name); }

Outlook seen(std::string_view name, const Topology& topology, std::int64_t bytes,
             const Decision& decision, const Surroundings& known = openmpi) {
  return outlook(known, collective(name), topology, bytes, decision, margins.moves_max);
}

TEST(Outlook, HasTheFiguresOfTheReason) {
  const Topology topology = Topology::block(4, 4);
  const Decision decision = Chooser(openmpi).choose(collective("alltoall"), topology, 4096);
  ASSERT_THAT(decision.reason, StartsWith("predicted: "));
  const Outlook its = seen("alltoall", topology, 4096, decision);
  EXPECT_TRUE(its.native_known);
  ASSERT_EQ(its.on.size(), 3u);
  EXPECT_THAT(decision.reason, HasSubstr(its.native_said));
  for (const Outlook::On& on : its.on) {
    EXPECT_LE(on.chosen.seconds, on.native.seconds * margins.tolerance);
    EXPECT_GT(on.chosen.mean_s, 0);
    EXPECT_LE(on.chosen.mean_s, on.chosen.seconds);
  }
}

TEST(Outlook, OfNativeIsNatives) {
  const Outlook its = seen("scan", Topology::block(2, 2), 65536, native("for a test"));
  for (const Outlook::On& on : its.on) EXPECT_EQ(on.chosen.seconds, on.native.seconds);
}

TEST(Outlook, SaysWhereNativeIsNotInTheBooks) {
  const Outlook its =
      seen("bcast", Topology::block(4, 2), 1 << 20, native(""), Surroundings{.mpi = "other"});
  EXPECT_FALSE(its.native_known);
  EXPECT_EQ(its.native_said, "the best in the books");
  for (const Outlook::On& on : its.on) EXPECT_TRUE(on.native.is_known());
}

TEST(Outlook, KnowsNothingWithoutMoves) {
  const Outlook its = outlook(openmpi, collective("scan"), Topology::block(4, 4), 65536,
                              {.algorithm = "butterfly", .parameters = {}, .reason = ""}, 10);
  ASSERT_FALSE(its.on.empty());
  for (const Outlook::On& on : its.on) {
    EXPECT_FALSE(on.native.is_known());
    EXPECT_FALSE(on.chosen.is_known());
  }
}

TEST(Outlook, IsSureOfWhatWasPlayedToItsEnd) {
  EXPECT_TRUE(is_sure(native("predicted: nothing surely beats native's ring")));
  EXPECT_TRUE(is_sure({"ring", {}, "rule: through each link once"}));
  EXPECT_FALSE(is_sure(native("ignorance: no size, no prediction")));
  EXPECT_FALSE(is_sure(native("predicted: nothing that is soon foretold surely beats it")));
  EXPECT_FALSE(is_sure(
      {.algorithm = "ring", .parameters = {}, .reason = "perhaps: 0.9 to 2", .tried_after = 20}));
}

TEST(Lessons, OfOtherVersionsAreLeftOut) {
  const Topology topology = Topology::block(2, 1);
  Chooser chooser(openmpi);
  EXPECT_FALSE(recall_lessons(chooser, "null"));
  EXPECT_TRUE(recall_lessons(chooser, R"([
    {"node_of_rank": [0, 1], "collective": "bcast", "bytes": 4096, "faster": "nosuch",
     "reason": "measured", "slower": []},
    {"node_of_rank": [0, 1], "collective": "bcast", "bytes": 65536, "faster": "linear",
     "reason": "measured", "slower": []}])"));
  EXPECT_EQ(chooser.choose(collective("bcast"), topology, 65536).reason, "measured");
  EXPECT_NE(chooser.choose(collective("bcast"), topology, 4096).reason, "measured");
}

TEST(Lessons, OfSharedMemoryAreLeftOutWhereItIsNotToBeHad) {
  const Topology topology = Topology::block(2, 4);
  const std::string_view told = R"([
    {"node_of_rank": [0, 0, 0, 0, 1, 1, 1, 1], "collective": "bcast", "bytes": 65536,
     "faster": "shared_tree", "reason": "measured", "slower": []}])";
  for (const bool node_memory : {false, true}) {
    Surroundings job = openmpi;
    job.node_memory = node_memory;
    Chooser chooser(job);
    EXPECT_TRUE(recall_lessons(chooser, told));
    const Decision decision = chooser.choose(collective("bcast"), topology, 65536);
    EXPECT_EQ(decision.reason == "measured", node_memory) << decision.reason;
  }
}

TEST(Lessons, OfReductionsAreLeftOutWhereBitsMustNotChange) {
  const Topology topology = Topology::block(2, 1);
  const std::string_view told = R"([
    {"node_of_rank": [0, 1], "collective": "allreduce", "bytes": 65536, "faster": "ring",
     "reason": "measured", "slower": []}])";
  Chooser reproducible(openmpi);
  EXPECT_TRUE(recall_lessons(reproducible, told, false));
  EXPECT_NE(reproducible.choose(collective("allreduce"), topology, 65536).reason, "measured");
  Chooser usual(openmpi);
  EXPECT_TRUE(recall_lessons(usual, told));
  EXPECT_EQ(usual.choose(collective("allreduce"), topology, 65536).reason, "measured");
}

Native openmpi_of(int release, int minor, std::string_view name, std::int64_t bytes, int ranks) {
  const Topology topology = Topology::block(ranks, 1);
  return *native_of({"openmpi", release, minor}, {collective(name), topology, 0, bytes});
}

/// Their tables were made anew for 4.1.
TEST(Native, OfOpenMpiBefore41IsAnother) {
  EXPECT_EQ(openmpi_of(4, 0, "allreduce", 8192, 64).algorithm, "recursive_doubling");
  EXPECT_EQ(openmpi_of(4, 0, "allreduce", 16384, 64).algorithm, "ring");
  EXPECT_EQ(openmpi_of(4, 0, "allreduce", 16384, 4096).said, "nonoverlapping: reduce, then bcast");
  EXPECT_EQ(openmpi_of(4, 1, "allreduce", 16384, 64).algorithm, "recursive_doubling");
  EXPECT_EQ(openmpi_of(3, 1, "allgather", 1024, 32).algorithm, "recursive_doubling");
  EXPECT_EQ(openmpi_of(3, 1, "allgather", 2048, 32).algorithm, "neighbor_exchange");
  const Native bcast = openmpi_of(4, 0, "bcast", 1 << 20, 288);
  EXPECT_EQ(bcast.algorithm, "pipeline");
  EXPECT_EQ(bcast.parameters.at("segment"), 8 << 10);
  EXPECT_EQ(openmpi_of(4, 0, "bcast", 4096, 8).algorithm, "split_binary");
  EXPECT_EQ(openmpi_of(4, 0, "alltoall", 4096, 8).algorithm, "ring");
}

TEST(Native, OfMpich3WasNotRead) {
  const Topology topology = Topology::block(4, 1);
  EXPECT_FALSE(native_of({"mpich", 3}, {collective("bcast"), topology, 0, 1024}).has_value());
}

}  // namespace
}  // namespace suiro
