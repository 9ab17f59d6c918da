// SPDX-License-Identifier: BSD-3-Clause
// What the model chooses: never what it takes to be slower somewhere, and native where it does not
// know.
#include "choose/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

using testing::Eq;
using testing::HasSubstr;
using testing::StartsWith;

const Surroundings openmpi{.mpi = "openmpi", .release = 4};

const Collective& collective(std::string_view name) { return *find_collective(name); }

Topology sites(int nodes_each) {
  std::vector<int> node_of_rank(2 * nodes_each);
  std::vector<int> site_of_node(2 * nodes_each);
  for (int node = 0; node < 2 * nodes_each; ++node) {
    node_of_rank[node] = node;
    site_of_node[node] = node / nodes_each;
  }
  return Topology::from_nodes(node_of_rank, site_of_node);
}

TEST(SizeClass, HoldsEverySizeOnce) {
  for (std::int64_t bytes = 0; bytes < 5000; ++bytes) {
    const SizeClass sizes = size_class(bytes);
    EXPECT_LE(sizes.first, bytes);
    EXPECT_LE(bytes, sizes.last);
    EXPECT_LE(sizes.first, sizes.middle);
    EXPECT_LE(sizes.middle, sizes.last);
    EXPECT_EQ(size_class(sizes.first).last, sizes.last);
    EXPECT_EQ(size_class(sizes.last + 1).first, sizes.last + 1);
  }
}

/// Seconds by the model, of what was decided or of an algorithm that native runs.
double seconds(const Collective& what, std::string_view algorithm, const Parameters& parameters,
               const Topology& topology, std::int64_t bytes, const Network& network) {
  const std::int64_t cut = what.cut_bytes(bytes, topology.ranks());
  const Call call{.topology = topology, .bytes = cut, .link = openmpi.link};
  const Schedule schedule = build(*find_candidate(what.name, algorithm), call, parameters);
  const auto pieces = static_cast<double>(what.cut() ? schedule.pieces : 1);
  return estimate(schedule, topology, network, static_cast<double>(cut) / pieces).seconds;
}

TEST(Chooser, TakesNothingThatIsSlowerOnAPossibleNetwork) {
  const Topology topology = Topology::block(4, 2);
  int chosen = 0;
  for (const Collective& what : collectives()) {
    if (what.bytes != Measure::vector) continue;
    for (const std::int64_t bytes : {4 << 10, 64 << 10, 1 << 20}) {
      const Decision decision = Chooser(openmpi).choose(what, topology, bytes);
      const auto native = native_of({"openmpi", 4}, {what, topology, 0, bytes});
      if (decision.algorithm == native_algorithm || native->algorithm.empty()) continue;
      ++chosen;
      EXPECT_TRUE(decision.unasked);
      EXPECT_THAT(decision.reason,
                  testing::MatchesRegex("predicted: .* ms or more, .* to .* times as fast as .*"));
      for (const Network& network : possible_networks(openmpi, topology)) {
        EXPECT_LT(
            seconds(what, decision.algorithm, decision.parameters, topology, bytes, network),
            1.021 * seconds(what, native->algorithm, native->parameters, topology, bytes, network))
            << what.name << " " << bytes << " " << decision.algorithm;
      }
    }
  }
  EXPECT_GT(chosen, 0);
}

TEST(Chooser, AnswersAClassAlike) {
  const Topology topology = Topology::block(4, 2);
  Chooser chooser(openmpi);
  const Decision middle = chooser.choose(collective("scan"), topology, 65536);
  for (const std::int64_t bytes : {49152, 98303}) {
    const Decision other = Chooser(openmpi).choose(collective("scan"), topology, bytes);
    EXPECT_EQ(other.algorithm, middle.algorithm);
    EXPECT_EQ(other.reason, middle.reason);
  }
}

TEST(Chooser, IsIgnorantOfWhatItIsNotTold) {
  Chooser chooser(openmpi);
  const auto reason = [&](std::string_view name, const Topology& topology, std::int64_t bytes) {
    const Decision decision = chooser.choose(collective(name), topology, bytes);
    EXPECT_EQ(decision.algorithm, native_algorithm);
    return decision.reason;
  };
  EXPECT_THAT(reason("gatherv", Topology::block(4, 2), 1 << 20), HasSubstr("only the root"));
  EXPECT_THAT(reason("bcast", Topology::block(1, 8), 1 << 20), HasSubstr("too few bytes"));
  EXPECT_THAT(reason("bcast", Topology::block(4, 2), 8), HasSubstr("too few bytes"));
  EXPECT_THAT(reason("scan", Topology::block(1000, 10), 1 << 20), HasSubstr("too many ranks"));
  EXPECT_FALSE(chooser.refusal(collective("scan"), Topology::block(4, 2), {}).empty());
}

TEST(Chooser, LeavesToNativeWhatItCannotPlay) {
  Surroundings broken = openmpi;
  broken.network = NetworkFile{.network = {.link_Bps = 0}};
  const Decision decision =
      Chooser(broken).choose(collective("scan"), Topology::block(4, 2), 1 << 20);
  EXPECT_EQ(decision.algorithm, native_algorithm);
  EXPECT_THAT(decision.reason, StartsWith(std::string(failed_prediction)));
}

TEST(Chooser, KnowsTheNetworkOrTakesItForAnyOfASet) {
  const Topology topology = Topology::block(4, 2);
  EXPECT_EQ(possible_networks(openmpi, topology).size(), 3 * 2) << "each with busy hosts, too";
  EXPECT_EQ(possible_networks(openmpi, sites(4)).size(), 4 * 2);
  Surroundings told = openmpi;
  told.network = NetworkFile{.network = {.kind = SwitchKind::hol}, .tells_kind = true};
  EXPECT_EQ(possible_networks(told, topology).size(), 2 * 2) << "of two rates";
  told.network->tells_rate = true;
  for (const Network& network : possible_networks(told, topology)) {
    EXPECT_EQ(network.kind, SwitchKind::hol);
  }
  told.network->tells_wan = true;
  EXPECT_EQ(possible_networks(told, sites(4)).size(), 1 * 2);
  Surroundings no_rate = openmpi;
  no_rate.rate_known = false;
  EXPECT_EQ(possible_networks(no_rate, topology).size(), 6 * 2);
}

TEST(ToldNetwork, TellsAlgorithmsHowLongAMessageTakesToStart) {
  const auto link_told = [](const char* text) {
    Link link;
    told_network(text, "n", link, true, 0);
    return link;
  };
  EXPECT_DOUBLE_EQ(link_told("{}").startup_s, Link().startup_s);
  EXPECT_DOUBLE_EQ(link_told(R"({"message_s": 3e-6, "latency_s": 7e-6})").startup_s, 10e-6);
  EXPECT_DOUBLE_EQ(link_told(R"({"message_s": 10e-6})").startup_s, 50e-6) << "as is usual";
  EXPECT_DOUBLE_EQ(link_told(R"({"latency_s": 90e-6})").startup_s, 100e-6);
  EXPECT_DOUBLE_EQ(link_told(R"({"link_Bps": 1.25e9})").Bps, 1.25e9);
  EXPECT_DOUBLE_EQ(link_told(R"({"message_s": 1e-4, "start_s": 5e-5})").startup_s, 50e-6);
  EXPECT_DOUBLE_EQ(link_of(NetworkFile()).startup_s, Link().startup_s) << "as jobs take it";
}

/// One of the ranks of each of four nodes.
Topology column(int neighbours) {
  const std::array node_of_rank = {0, 1, 2, 3};
  const std::vector<int> neighbours_of_node(4, neighbours);
  return Topology::from_nodes(node_of_rank, {}, {}, neighbours_of_node);
}

TEST(Chooser, TakesTheOtherRanksOfANodeForSiblingsThatMayTalkAtOnce) {
  const std::vector<Network> alone = possible_networks(openmpi, column(0));
  const std::vector<Network> beside = possible_networks(openmpi, column(3));
  ASSERT_EQ(alone.size(), 3 * 2);
  ASSERT_EQ(beside.size(), 4 * 2);
  EXPECT_EQ(beside.front().link_Bps, openmpi.link.Bps) << "or they may not";
  EXPECT_EQ(beside[3].link_Bps, openmpi.link.Bps / 4);
  EXPECT_EQ(beside[3].kind, SwitchKind::voq) << "what they lose there, all lose";
}

std::string chosen(const Surroundings& known, std::string_view name, std::int64_t bytes,
                   const Topology& topology = Topology::block(4, 4)) {
  return Chooser(known).choose(collective(name), topology, bytes).algorithm;
}

/// What hand-made rows had told before.
TEST(Chooser, FindsWhatWasMeasuredForAllToAll) {
  Surroundings known = openmpi;
  known.link.Bps = 11.7e6;
  const Surroundings mpich{.mpi = "mpich", .release = 4, .link = known.link};
  EXPECT_EQ(chosen(known, "alltoall", 64), "node_leader");
  EXPECT_EQ(chosen(known, "alltoall", 4 << 10), "two_level_capped");
  EXPECT_EQ(chosen(known, "alltoall", 16 << 10), "two_level_capped");
  EXPECT_EQ(chosen(known, "alltoall", 32 << 10), "native") << "what TCP sends in one go";
  EXPECT_EQ(chosen(known, "alltoall", 1 << 20), "two_level_pairwise");
  EXPECT_EQ(chosen(mpich, "alltoall", 1 << 20), "two_level_pairwise");
  EXPECT_EQ(chosen(known, "alltoallv", 16 << 10), "two_level_capped");
  EXPECT_EQ(chosen(mpich, "alltoallv", 16 << 10, Topology::block(2, 4)), "native");
  EXPECT_EQ(chosen(known, "alltoall", 1 << 20, Topology::block(200, 4)), "two_level_pairwise")
      << "some of its nodes stand for all";
}

TEST(Chooser, UsesWhatAProbeKnows) {
  Surroundings known = openmpi;
  known.link.Bps = 11.7e6;
  EXPECT_EQ(chosen(known, "alltoall", 32 << 10), "native");
  known.network = unmeasured_network(known.link, true, 0);
  known.network->network.kind = SwitchKind::hol;
  known.network->tells_kind = true;
  EXPECT_NE(chosen(known, "alltoall", 32 << 10), "native");
}

/// Ranks of a node that share blocks send no messages to each other.
TEST(Chooser, LetsRanksShareMemoryWhereItMayBeHad) {
  Surroundings known = openmpi;
  known.link.Bps = 1.17e9;
  known.processors = 2;
  const Topology topology = Topology::block(4, 16);
  EXPECT_THAT(chosen(known, "allreduce", 8, topology), Eq("native"));
  known.node_memory = true;
  EXPECT_THAT(chosen(known, "allreduce", 8, topology), StartsWith("shared_"));
  EXPECT_THAT(chosen(known, "bcast", 4 << 20, topology), StartsWith("shared_"));
  EXPECT_THAT(chosen(known, "reduce", 4 << 20, topology), StartsWith("shared_"));
}

// By the model a chain of nodes is 2 to 10 % faster than a tree there: less than it can tell.
TEST(Chooser, DepartsFromUsualValuesForATenthOnly) {
  Surroundings crowded = openmpi;
  crowded.link.Bps = 1250e6;
  crowded.processors = 2;
  crowded.node_memory = true;
  Chooser chooser(crowded);
  const Decision decision = chooser.choose(collective("bcast"), Topology::block(4, 16), 4 << 20);
  EXPECT_EQ(decision.algorithm, "shared_tree") << decision.reason;
  EXPECT_FALSE(decision.parameters.contains("radix")) << decision.parameters.at("radix");
  EXPECT_TRUE(decision.parameters.contains("segment"));  // for much more
}

TEST(Chooser, TakesAnUnknownMpiForTheBestInTheBooks) {
  const Decision decision = Chooser(Surroundings{.mpi = "other"})
                                .choose(collective("scan"), Topology::block(4, 2), 65536);
  EXPECT_THAT(decision.reason, HasSubstr("best"));
}

/// A ring keeps the switch's buffer from overflowing, but not of what siblings send.
TEST(Chooser, PromisesSiblingsNothingByTheirOrderOfMessages) {
  Surroundings known = openmpi;
  known.link.Bps = 12.5e6;
  known.network = unmeasured_network(known.link, true, 0);
  known.network->network.kind = SwitchKind::shared;
  known.network->tells_kind = true;
  Chooser chooser(known);
  const auto said = [&](int neighbours) {
    return chooser.choose(collective("alltoall"), column(neighbours), 128 << 10).algorithm;
  };
  EXPECT_EQ(said(0), "ring");
  EXPECT_EQ(said(3), native_algorithm) << "and is not taken for the same placement";
}

TEST(Chooser, BeginsWithWhatEarlierJobsHaveShown) {
  const Topology topology = Topology::block(4, 1);
  const Collective& scan = collective("scan");
  constexpr std::int64_t bytes = 1 << 20;
  const Decision predicted = Chooser(openmpi).choose(scan, topology, bytes);
  Decision measured{"recursive_doubling", {}, "measured"};
  Chooser chooser(openmpi);
  chooser.recall(scan, bytes - 1, {0, 1, 2, 3}, {measured, {predicted.algorithm}});
  EXPECT_EQ(chooser.choose(scan, topology, bytes - 1).reason, "measured");
  Chooser other(openmpi);
  other.expect(chooser.recalled());
  EXPECT_TRUE(other.is_expected(scan, bytes));
  EXPECT_FALSE(other.is_expected(scan, 2 * bytes));
  EXPECT_FALSE(other.is_expected(collective("exscan"), bytes));
  EXPECT_EQ(chooser.choose(scan, Topology::block(2, 2), bytes - 1).reason.find("measured"),
            std::string::npos);
  chooser.refute(scan, topology, bytes - 1, measured.algorithm);
  const Decision rest = chooser.choose(scan, topology, bytes - 1);
  EXPECT_NE(rest.algorithm, predicted.algorithm);
  EXPECT_THAT(rest.reason, HasSubstr("slower in earlier jobs: " + predicted.algorithm));
}

RuleTable pipelines() {
  Rule rule;
  rule.collective = "bcast";
  rule.algorithm = "pipeline";
  rule.reason = "rule: of a test";
  return RuleTable({rule});
}

TEST(Chooser, LetsARuleBeTheFirstThatIsTried) {
  const Topology topology = Topology::block(4, 1);
  const Collective& bcast = collective("bcast");
  Chooser chooser(openmpi, pipelines());
  EXPECT_EQ(chooser.price_s(bcast, topology, 1 << 20), 0);
  EXPECT_EQ(chooser.choose(bcast, topology, 1 << 20).reason, "rule: of a test");
  EXPECT_EQ(chooser.refusal(bcast, Topology::block(1 << 14, 1), 1 << 20), "") << "at any scale";
  chooser.refute(bcast, topology, 1 << 20, "pipeline");
  const Decision next = chooser.choose(bcast, topology, 1 << 20);
  EXPECT_NE(next.algorithm, "pipeline");
}

TEST(Chooser, NamesRivalsOfWhatHasWonAsLongAsThereAreSome) {
  const Topology topology = Topology::block(4, 4);
  const Collective& bcast = collective("bcast");
  constexpr std::int64_t bytes = 1 << 20;
  Surroundings trying = openmpi;
  trying.tries = true;
  trying.node_memory = true;
  trying.processors = 2;
  trying.link.Bps = 1.25e9;
  Chooser chooser(trying);
  const Decision champion = chooser.choose(bcast, topology, bytes);
  ASSERT_NE(champion.algorithm, native_algorithm);
  chooser.learn(bcast, topology, bytes, champion);
  std::vector<std::string> rivals{spelled(champion.algorithm, champion.parameters)};
  while (const auto rival = chooser.challenger(bcast, topology, bytes, champion)) {
    const std::string its = spelled(rival->algorithm, rival->parameters);
    ASSERT_THAT(rivals, testing::Not(testing::Contains(its)));
    rivals.push_back(its);
    chooser.beat(bcast, topology, bytes, *rival);
    EXPECT_EQ(chooser.choose(bcast, topology, bytes).algorithm, champion.algorithm);
  }
  ASSERT_GE(rivals.size(), 3);
  EXPECT_THAT(rivals, testing::Contains(testing::Not(testing::StartsWith(champion.algorithm))));
  const auto with_others = std::ranges::count_if(
      rivals, [&](const std::string& its) { return its.starts_with(champion.algorithm); });
  EXPECT_GE(with_others, 2) << "segments of other lengths";
  chooser.refute(bcast, topology, bytes, champion.algorithm);
  const Decision next = chooser.choose(bcast, topology, bytes);
  EXPECT_NE(next.algorithm, champion.algorithm);
  EXPECT_NE(next.algorithm, native_algorithm) << "who lost to the champion may beat native";
}

/// Of a broadcast that is tried.
struct Tried {
  const Topology topology = Topology::block(4, 4);
  const Collective& bcast = collective("bcast");
  static constexpr std::int64_t bytes = 1 << 20;
  Chooser chooser{trying()};
  Decision champion = chooser.choose(bcast, topology, bytes);

  std::optional<Decision> rival() { return chooser.challenger(bcast, topology, bytes, champion); }
  void beat(const Decision& loser) { chooser.beat(bcast, topology, bytes, loser); }

  static Surroundings trying() {
    Surroundings its = openmpi;
    its.tries = true;
    return its;
  }
};

TEST(Chooser, CountsALoserOnceThatManyCommunicatorsTellOf) {
  Tried call;
  const auto loser = call.rival();
  ASSERT_TRUE(loser);
  for (int communicator = 0; communicator < 100; ++communicator) call.beat(*loser);
  EXPECT_TRUE(call.rival());
}

TEST(Chooser, TakesAChampionForItselfHoweverItIsSpelled) {
  Tried call;
  const auto whole = [](const Decision& decision) {
    return complete(*find_candidate("bcast", decision.algorithm), decision.parameters);
  };
  call.champion.parameters = whole(call.champion);
  while (const auto rival = call.rival()) {
    EXPECT_FALSE(rival->algorithm == call.champion.algorithm &&
                 whole(*rival) == call.champion.parameters);
    call.beat(*rival);
  }
}

TEST(Chooser, TakesLongShotsOnlyWhereAskedTo) {
  const Topology topology = Topology::block(4, 4);
  Surroundings trying = openmpi;
  trying.tries = true;
  int shots = 0;
  for (const char* name : {"allgather", "alltoall", "bcast", "gather"}) {
    for (std::int64_t bytes = 64; bytes <= 1 << 20; bytes *= 4) {
      const Decision sober = Chooser(trying).choose(collective(name), topology, bytes);
      const Decision bold = Chooser(trying).choose(collective(name), topology, bytes, true);
      if (sober.algorithm != native_algorithm) {
        EXPECT_EQ(bold.algorithm, sober.algorithm);
      } else if (bold.algorithm != native_algorithm) {
        EXPECT_GT(bold.tried_after, 0) << bold.reason;
        ++shots;
      }
    }
  }
  EXPECT_GT(shots, 0);
}

/// Ranks of several communicators ask for them in different orders.
TEST(Chooser, DoesNotTakeNodesOfOtherLinksForTheSame) {
  const std::array node_of_rank = {0, 1, 2, 3};
  const std::array four_links = {4, 4, 4, 4};
  const Topology faster = Topology::from_nodes(node_of_rank, {}, four_links);
  const auto reason = [&](Chooser& chooser, const Topology& topology) {
    return chooser.choose(collective("scan"), topology, 1 << 20).reason;
  };
  Chooser alone(openmpi);
  Chooser after(openmpi);
  reason(after, Topology::block(4, 1));
  EXPECT_EQ(reason(after, faster), reason(alone, faster));
}

}  // namespace
}  // namespace suiro
