// SPDX-License-Identifier: BSD-3-Clause
#include "choose/challengers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "choose/regret.hpp"

namespace suiro {
namespace {

Rival rival(const std::string& name, std::vector<double> seconds, Parameters parameters = {}) {
  Decision decision{name, std::move(parameters), ""};
  decision.tried_after = 7;
  return {std::move(decision), std::move(seconds)};
}

bool any(const Decision& /*one*/) { return true; }

TEST(Challengers, BeginWithWhatIsForetoldToTakeLeast) {
  const Rival champion = rival("champion", {1, 1});
  const auto first = [&](const std::vector<Rival>& rivals, double may_lose) {
    return challenger_of(&champion, rivals, may_lose, any)->algorithm;
  };
  EXPECT_EQ(first({rival("slow", {0.9, 1}), rival("fast", {0.8, 1})}, 0), "fast");
  EXPECT_EQ(first({rival("slow", {1, 0.9}), rival("fast", {0.01, 1.5})}, 2), "fast");
  EXPECT_EQ(first({rival("slow", {0.9, 1}), rival("other", {0.89, 1}, {{"radix", 1}})}, 0), "slow")
      << "the model cannot tell less";
}

TEST(Challengers, WaitWhereTheyMayLoseMuch) {
  const Rival champion = rival("champion", {1, 1});
  const std::vector<Rival> rivals = {rival("risky", {0.5, 3}), rival("safe", {0.9, 0.9})};
  EXPECT_EQ(challenger_of(&champion, rivals, 0, any)->algorithm, "safe");
  EXPECT_EQ(challenger_of(&champion, rivals, 0, any)->tried_after, 0);
  EXPECT_EQ(challenger_of(&champion, rivals, -1, any)->algorithm, "safe") << "all wait for that";
  const auto is_risky = [](const Decision& one) { return one.algorithm == "risky"; };
  EXPECT_EQ(challenger_of(&champion, rivals, 0, is_risky)->tried_after, 200) << "of 2 calls, 2 %";
  EXPECT_EQ(challenger_of(nullptr, rivals, 0, is_risky)->tried_after, 7) << "as against native";
}

TEST(Challengers, EndWhereNoneMayRun) {
  const auto none = [](const Decision& /*one*/) { return false; };
  EXPECT_FALSE(challenger_of(nullptr, {rival("one", {1})}, 0, none));
}

TEST(Challengers, AreOthersWhereMessagesAreCutForOtherLinks) {
  const Collective& bcast = *find_collective("bcast");
  const Link link{.Bps = 1e8};
  const auto are_same = [&](const std::string& name, std::int64_t link_Bps, Parameters its = {}) {
    Decision told{name, its, ""};
    Decision shown{name, std::move(its), ""};
    shown.link_Bps = link_Bps;
    return is_same(bcast, link, shown, told);
  };
  EXPECT_TRUE(are_same("pipeline", 0));
  EXPECT_TRUE(are_same("pipeline", 110'000'000));
  EXPECT_FALSE(are_same("pipeline", 10'000'000));
  EXPECT_TRUE(are_same("pipeline", 10'000'000, {{"segment", 8192}})) << "whatever the links";
  EXPECT_TRUE(are_same("scatter_allgather", 10'000'000)) << "it cuts none";
}

TEST(Regret, IsAShareOfWhatAllCallsTook) {
  Regret regret;
  for (int i = 0; i < 100; ++i) regret.add_call();
  EXPECT_EQ(regret.calls(), 100);
  EXPECT_NEAR(regret.spare(), 2, 1e-9);
  EXPECT_EQ(regret.calls_until(2), 0);
  EXPECT_EQ(regret.calls_until(3), 50);
  regret.lose(1.5);
  EXPECT_EQ(regret.calls_until(1), 25);
  regret.replace(4);  // so the same time is that of four times as many calls
  EXPECT_NEAR(regret.spare(), 2, 1e-9);
}

TEST(Regret, HasAShareOfWhatWasGained) {
  Regret regret;
  regret.replace(1.2);
  regret.replace(1.25);
  regret.add_call();
  EXPECT_NEAR(regret.spare(), 0.02 + 0.5 * 0.1, 1e-9) << "of half a call's time";
  regret.take_back_call();
  EXPECT_NEAR(regret.spare(), 0, 1e-9);
  regret.go_back(0.5);
  regret.add_call();
  EXPECT_NEAR(regret.spare(), 0.02, 1e-9);
}

}  // namespace
}  // namespace suiro
