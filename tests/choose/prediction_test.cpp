// SPDX-License-Identifier: BSD-3-Clause
// A prediction that is played little by little.
#include "choose/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/challengers.hpp"
#include "choose/choose.hpp"
#include "model/estimate.hpp"

namespace suiro {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Surroundings openmpi{.mpi = "openmpi", .release = 4};
constexpr std::int64_t enough = 100'000'000;

const Collective& collective(std::string_view name) { return *find_collective(name); }

Decision first(const Ranking& ranking) {
  return ranking.ordered.empty() ? ranking.none : ranking.ordered.front();
}

Decision predicted(const Collective& what, const Topology& topology, std::int64_t bytes,
                   std::int64_t moves) {
  Prediction prediction(openmpi, what, topology, bytes, moves);
  prediction.advance(moves);
  return first(prediction.ranking());
}

TEST(Prediction, IsTheSameHoweverOftenItStops) {
  for (const char* name : {"allgather", "allreduce", "alltoall", "bcast", "scan"}) {
    const Topology topology = Topology::block(4, 4);
    const Decision at_once = predicted(collective(name), topology, 65536, enough);
    Prediction prediction(openmpi, collective(name), topology, 65536, enough);
    int stops = 0;
    while (!prediction.advance(500)) ++stops;
    EXPECT_GT(stops, 3) << name;
    EXPECT_EQ(first(prediction.ranking()).algorithm, at_once.algorithm) << name;
    EXPECT_EQ(first(prediction.ranking()).reason, at_once.reason) << name;
  }
}

/// The model takes them to be a little slower: it does not know of streams that have a part of it.
TEST(Prediction, HasSeveralChainsTriedSoonWhereOneStreamMayNotFillALink) {
  Surroundings trying = openmpi;
  trying.tries = true;
  trying.link.Bps = 1e7;
  Prediction prediction(trying, collective("bcast"), Topology::block(4, 8), 4 << 20, enough);
  prediction.advance(enough);
  const std::vector<Rival> rivals = prediction.ranking().rivals;
  const auto with = [](const Parameters& parameters) {
    return [=](const Decision& one) {
      return one.algorithm == "node_pipeline" && one.parameters == parameters;
    };
  };
  const auto champion = std::ranges::find_if(rivals, with({}), &Rival::decision);
  ASSERT_NE(champion, rivals.end());
  const auto challenger = challenger_of(&*champion, rivals, 0, with({{"chains", 8}}));
  ASSERT_TRUE(challenger);
  EXPECT_LT(challenger->tried_after, 15) << challenger->reason;
}

TEST(Prediction, DoesNotBeginWhatIsTooLong) {
  const Topology topology = Topology::block(4, 4);
  const Decision none = predicted(collective("alltoall"), topology, 65536, 10);
  EXPECT_EQ(none.algorithm, native_algorithm);
  EXPECT_THAT(none.reason, StartsWith("ignorance: it takes too long to foretell"));
  // Enough for what native runs, and for little else.
  const Decision some = predicted(collective("alltoall"), topology, 65536, 15000);
  EXPECT_EQ(some.algorithm, native_algorithm);
  EXPECT_THAT(some.reason, HasSubstr("nothing that is soon foretold"));
}

TEST(Prediction, IsPreparedLittleByLittle) {
  constexpr std::int64_t moves = 20'000;
  const Topology topology = Topology::block(4, 16);
  const Collective& what = collective("alltoall");
  Chooser chooser(openmpi);
  const std::int64_t most = chooser.moves(what, topology, 1024) / moves + 1;
  std::int64_t used = 1;
  while (!chooser.prepare(what, topology, 1024, moves)) ++used;
  EXPECT_GT(used, 2);
  EXPECT_LE(used, most);
  EXPECT_EQ(chooser.choose(what, topology, 1024).reason,
            Chooser(openmpi).choose(what, topology, 1024).reason);
  EXPECT_TRUE(chooser.prepare(what, topology, 1024, moves));  // it is known
}

TEST(Prediction, IsReadyWhereSomethingCanBeTriedAtOnce) {
  constexpr std::int64_t moves = 5'000;
  const Topology topology = Topology::block(4, 16);
  const Collective& what = collective("alltoall");
  Surroundings tried = openmpi;
  tried.tries = true;
  tried.processors = 2;
  tried.link.Bps = 1.25e9;
  Chooser chooser(tried);
  int used = 1;
  while (!chooser.prepare(what, topology, 8, moves)) ++used;
  const std::string begun_with = chooser.choose(what, topology, 8).algorithm;
  EXPECT_NE(begun_with, native_algorithm);
  int more = 1;
  while (!chooser.prepare_challenger(what, topology, 8, moves)) ++more;
  EXPECT_GT(more, 2 * used);
  EXPECT_EQ(chooser.choose(what, topology, 8).algorithm,
            Chooser(tried).choose(what, topology, 8).algorithm);
  chooser.refute(what, topology, 8, begun_with);
  EXPECT_NE(chooser.choose(what, topology, 8).algorithm, begun_with);
}

TEST(Prediction, ForgetsWhatItPreparedWhenSomethingIsRefuted) {
  const Topology topology = Topology::block(4, 4);
  const Collective& what = collective("alltoall");
  const std::string best = Chooser(openmpi).choose(what, topology, 1024).algorithm;
  ASSERT_NE(best, native_algorithm);
  Chooser chooser(openmpi);
  chooser.prepare(what, topology, 1024, 1000);
  chooser.refute(what, topology, 1024, best);
  EXPECT_NE(chooser.choose(what, topology, 1024).algorithm, best);
}

TEST(Prediction, OfAReductionIsMadeInOneCall) {
  const Topology large = Topology::block(64, 64);
  Chooser chooser(openmpi);
  EXPECT_LE(chooser.price_s(collective("allreduce"), large, 1 << 20), 0.051);
}

TEST(Ports, TellWhichSwitchesTakeTheSameTime) {
  using enum SwitchKind;
  EXPECT_TRUE(same_time(voq, hol, Ports::single));
  EXPECT_TRUE(same_time(voq, shared, Ports::several));
  EXPECT_FALSE(same_time(voq, hol, Ports::several));
  EXPECT_FALSE(same_time(voq, shared, Ports::flooded));
  EXPECT_TRUE(same_time(pause, pause, Ports::flooded));
}

/// What a play says of its ports is what plays on the other kinds show.
TEST(Ports, AreSeenByAPlay) {
  const Topology topology = Topology::block(4, 2);
  for (const char* name : {"bcast/binomial", "bcast/linear", "gather/linear", "alltoall/ring"}) {
    const std::string text = name;
    const std::size_t slash = text.find('/');
    const Algorithm& algorithm = *find_algorithm(text.substr(0, slash), text.substr(slash + 1));
    const Schedule schedule = build(algorithm, topology);
    for (const double bytes : {1e3, 1e6}) {
      const Estimate fair = estimate(schedule, topology, {.kind = SwitchKind::voq}, bytes);
      for (const SwitchKind kind : {SwitchKind::hol, SwitchKind::shared}) {
        if (!same_time(SwitchKind::voq, kind, fair.ports)) continue;
        EXPECT_NEAR(estimate(schedule, topology, {.kind = kind}, bytes).seconds, fair.seconds,
                    1e-9 * fair.seconds)
            << name << " " << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace suiro
