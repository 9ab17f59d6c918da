// SPDX-License-Identifier: BSD-3-Clause
#include "choose/shown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/choose.hpp"

namespace suiro {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::Truly;

constexpr std::int64_t bytes = 65536;

/// A network's rate as a cluster's file tells it.
Surroundings with_links_of(double Bps) {
  NetworkFile file = unmeasured_network({}, true, 0);
  file.network.link_Bps = Bps;
  return {.mpi = "openmpi",
          .release = 4,
          .link = {.Bps = Bps},
          .node_memory = true,
          .tries = true,
          .tries_reductions = true,
          .network = file};
}

const Topology& topology() {
  static const Topology its = Topology::block(4, 4);
  return its;
}

Ranking ranking(const Surroundings& surroundings, const Collective& what, double shown_s) {
  constexpr std::int64_t enough = 100'000'000;
  Prediction prediction(surroundings, what, topology(), bytes, enough, shown_s);
  prediction.advance(enough);
  return prediction.ranking();
}

TEST(Shown, LinksAreAsFastAsNativeShowsThem) {
  for (const char* name : {"bcast", "reduce", "allgather"}) {
    const Collective& what = *find_collective(name);
    const Ranking right = ranking(with_links_of(12.5e6), what, 0);
    const double shown_s = right.native.front().seconds;
    for (const double told_Bps : {125e6, 1.25e6}) {
      const Surroundings wrong = with_links_of(told_Bps);
      ASSERT_FALSE(is_explained(ranking(wrong, what, 0).native, shown_s)) << name;
      const Ranking mended = ranking(wrong, what, shown_s);
      ASSERT_FALSE(mended.ordered.empty()) << name;
      EXPECT_EQ(mended.ordered.front().algorithm, right.ordered.front().algorithm) << name;
      EXPECT_THAT(mended.ordered.front().reason, HasSubstr("with links as its calls show them"));
      EXPECT_NEAR(static_cast<double>(mended.ordered.front().link_Bps), 12.5e6, 3e6) << name;
      EXPECT_THAT(mended.native,
                  Each(Truly([&](const Foretold& its) { return explains(its, shown_s); })))
          << name;
    }
  }
}

TEST(Shown, WhatIsNearChangesNothing) {
  const Collective& what = *find_collective("bcast");
  const Surroundings surroundings = with_links_of(125e6);
  const double foretold_s = ranking(surroundings, what, 0).native.front().seconds;
  const Ranking same = ranking(surroundings, what, 1.2 * foretold_s);
  EXPECT_THAT(same.ordered.front().reason, Not(HasSubstr("show")));
}

/// Native may take what no link explains: the processors of a laptop that sleeps.
TEST(Shown, WhatNoLinkExplainsIsForetoldAllTheSame) {
  const Collective& what = *find_collective("bcast");
  const Ranking told = ranking(with_links_of(125e6), what, 0);
  for (const double shown_s : {1e9, 1e-9}) {
    const Ranking same = ranking(with_links_of(125e6), what, shown_s);
    ASSERT_FALSE(same.ordered.empty());
    EXPECT_EQ(same.ordered.front().reason, told.ordered.front().reason);
  }
}

TEST(Shown, TheChooserForetellsAnewWhereItWasWrong) {
  const Collective& what = *find_collective("bcast");
  Chooser chooser(with_links_of(125e6));
  const Decision before = chooser.choose(what, topology(), bytes, true);
  chooser.show_native(what, Topology::block(2, 2), bytes, 60e-3);
  EXPECT_EQ(chooser.choose(what, topology(), bytes, true).reason, before.reason) << "of others";
  chooser.show_native(what, topology(), bytes, 60e-3);
  const Decision after = chooser.choose(what, topology(), bytes, true);
  EXPECT_THAT(before.reason, Not(HasSubstr("show")));
  EXPECT_THAT(after.reason, HasSubstr("with links as its calls show them"));
}

}  // namespace
}  // namespace suiro
