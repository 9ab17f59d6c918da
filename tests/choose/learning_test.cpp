// SPDX-License-Identifier: BSD-3-Clause
// A program's calls on a network of which the model was told wrong: how soon they find what is
// fastest, and what that costs. Calls take what the model foretells of the true network.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "choose/choose.hpp"
#include "choose/margins.hpp"
#include "choose/outlook.hpp"
#include "choose/regret.hpp"
#include "choose/trial.hpp"
#include "rules/candidates.hpp"

namespace suiro {
namespace {

struct Wrong {
  std::string what;
  std::function<void(Network&)> change;
};

Surroundings surroundings(const std::function<void(Network&)>& change) {
  NetworkFile file = unmeasured_network({}, true, 0);
  file.network.link_Bps = 12.5e6;
  change(file.network);
  return {.mpi = "openmpi",
          .release = 4,
          .link = link_of(file),
          .node_memory = true,
          .tries = true,
          .tries_reductions = true,
          .network = file};
}

/// Calls of one kind, as a communicator makes them (mpi/decide/communicator_trials.cpp).
class Program {
 public:
  Program(const Collective& what, std::int64_t bytes, const Wrong& wrong, unsigned seed = 0)
      : what_(what),
        bytes_(bytes),
        seed_(seed),
        truth_(surroundings([](const Network&) {})),
        told_Bps_(std::llround(surroundings(wrong.change).link.Bps)),
        chooser_(surroundings(wrong.change)) {}

  void run(std::size_t calls) {
    calls_ = calls;
    bool native_is_left = false;
    while (!native_is_left && goes_on()) native_is_left = !find_what_beats_native();
    while (goes_on()) call(champion_);
  }

  /// Of each call.
  const std::vector<double>& seconds() const { return times_; }

  /// What trials took longer than what had won before, without the longest of them.
  double lost_s() const { return lost_s_ - most_lost_s_; }

  double seconds_of(const Decision& decision) const {
    constexpr std::int64_t enough = 100'000'000;
    const Outlook::On its = outlook(truth_, what_, topology_, bytes_, decision, enough).on.front();
    const bool is_native = decision.algorithm == native_algorithm;
    return (is_native ? its.native.seconds : its.chosen.seconds) * off(decision);
  }

  double least_by_hand_s() const {
    double least = seconds_of(native(""));
    for (const std::string_view name : candidate_names(what_.name)) {
      const Algorithm* const algorithm = find_candidate(what_.name, name);
      if (algorithm == nullptr || algorithm->for_sites) continue;
      least = std::min(least, seconds_of({std::string(name), {}, ""}));
    }
    return least;
  }

 private:
  bool goes_on() const { return times_.size() < calls_; }

  /// How far the model is off of an algorithm, and of its values: as chance has it.
  double off(const Decision& decision) const {
    if (seed_ == 0) return 1;
    const auto between = [&](const std::string& what, double most) {
      std::seed_seq seed(what.begin(), what.end());
      std::mt19937 random(seed);
      random.discard(seed_);
      const double share = static_cast<double>(random()) / std::mt19937::max();
      return std::pow(most, 2 * share - 1);
    };
    return between(decision.algorithm, 1.5) *
           between(spelled(decision.algorithm, decision.parameters) + " values", 1.15);
  }

  /// Messages are cut for links as they are told, unless calls have shown others.
  double takes_s(Decision decision) {
    if (decision.link_Bps == 0) decision.link_Bps = told_Bps_;
    const std::pair what(spelled(decision.algorithm, decision.parameters), decision.link_Bps);
    if (!seconds_.contains(what)) seconds_.emplace(what, seconds_of(decision));
    return seconds_.at(what);
  }

  double call(const Decision& decision) {
    times_.push_back(takes_s(decision));
    regret_.add_call();
    return times_.back();
  }

  void next_call(Trial& trial, const Decision& rival) {
    const bool of_rival = trial.begin_call() == Trial::Side::foretold;
    trial.end_call(std::llround(1e9 * call(of_rival ? rival : champion_)));
  }

  /// True: the rival has won.
  bool hold(Trial& trial, const Decision& rival) {
    const std::size_t before = times_.size();
    const double champion_s = takes_s(champion_);
    while (goes_on() && !trial.verdict()) {
      const std::vector<std::int64_t> times(trial.times().begin(), trial.times().end());
      if (trial.is_over() && trial.calls_since() > 0 && trial.judge(times)) break;
      next_call(trial, rival);
    }
    double lost_s = 0;
    for (std::size_t i = before; i < times_.size(); ++i)
      lost_s += std::max(0.0, times_[i] - champion_s);
    lost_s_ += lost_s;
    most_lost_s_ = std::max(most_lost_s_, lost_s);
    const bool has_won = trial.verdict() == Trial::Side::foretold;
    if (has_won) {
      regret_.replace(trial.ratio());
      champion_ = rival;
      chooser_.learn(what_, topology_, bytes_, champion_);
    } else if (trial.verdict()) {
      regret_.lose(trial.lost_calls());
    }
    return has_won;
  }

  /// False: nothing is left that may.
  bool find_what_beats_native() {
    constexpr int calls_ahead = 3;
    Trial trial;
    for (int i = 0; i < calls_ahead; ++i) next_call(trial, champion_);
    const Decision rival = chooser_.choose(what_, topology_, bytes_, true);
    if (rival.algorithm == native_algorithm) return false;
    const bool is_new = rival.tried_after > 0 && std::ssize(times_) == calls_ahead;
    const int least = is_new ? margins.trial_calls_min : 0;
    const int calls = regret_.calls_until(margins.regret_share * rival.tried_after);
    trial.begin(std::max(calls, least), regret_.calls(), regret_.spare());
    const bool has_won = hold(trial, rival);
    if (trial.verdict()) chooser_.show_native(what_, topology_, bytes_, trial.native_s());
    if (trial.verdict() == Trial::Side::native)
      chooser_.refute(what_, topology_, bytes_, rival.algorithm);
    while (has_won && goes_on() && meets_another()) continue;
    return !has_won;
  }

  bool meets_another() {
    constexpr int calls_ahead = 4;
    const Decision before = champion_;
    const auto rival = chooser_.challenger(what_, topology_, bytes_, champion_, regret_.spare());
    if (!rival) return false;
    if (regret_.calls_until(margins.regret_share * rival->tried_after) > calls_ahead) {
      call(champion_);
      return true;
    }
    Trial trial;
    trial.begin(calls_ahead, Trial::warm_after, regret_.spare());
    const bool has_won = hold(trial, *rival);
    if (trial.verdict()) chooser_.beat(what_, topology_, bytes_, has_won ? before : *rival);
    return true;
  }

  const Collective& what_;
  const std::int64_t bytes_;
  const unsigned seed_;
  const Topology topology_ = Topology::block(4, 4);
  const Surroundings truth_;
  const std::int64_t told_Bps_;
  Chooser chooser_;
  Decision champion_ = native("");
  Regret regret_;
  std::size_t calls_ = 0;
  std::vector<double> times_;
  double lost_s_ = 0;
  double most_lost_s_ = 0;
  std::map<std::pair<std::string, std::int64_t>, double> seconds_;
};

TEST(Learning, FindsWhatIsFastestWhereTheModelIsWrong) {
  const std::vector<Wrong> wrong = {
      {"nothing", [](const Network&) {}},
      {"links ten times too fast", [](Network& its) { its.link_Bps *= 10; }},
      {"links a tenth", [](Network& its) { its.link_Bps /= 10; }},
      {"copies a tenth of the rate",
       [](Network& its) { its.copy_Bps = its.local_Bps = its.reduce_Bps = 4e8; }},
      {"messages ten times as dear", [](Network& its) { its.message_s *= 10; }},
      {"messages a tenth", [](Network& its) { its.message_s /= 10; }},
  };
  const std::vector<std::pair<const char*, std::int64_t>> kinds = {{"bcast", 65536},
                                                                   {"allgather", 16384},
                                                                   {"alltoall", 8192},
                                                                   {"reduce", 65536},
                                                                   {"allreduce", 65536}};
  constexpr std::size_t calls = 200;
  for (const auto& [name, bytes] : kinds) {
    for (const Wrong& its : wrong) {
      Program program(*find_collective(name), bytes, its);
      program.run(calls);
      std::vector<double> times = program.seconds();
      const double total_s = std::accumulate(times.begin(), times.end(), 0.0);
      const double native_s = calls * program.seconds_of(native(""));
      const double gained_s = std::max(0.0, native_s - total_s);
      EXPECT_LT(program.lost_s(), margins.regret_share * total_s + margins.gain_share * gained_s)
          << name << ", " << its.what;
      EXPECT_LT(total_s, 1.02 * native_s) << name << ", " << its.what;
      std::sort(times.end() - calls / 4, times.end());
      const double median_s = *(times.end() - calls / 8);
      EXPECT_LT(median_s, 1.05 * program.least_by_hand_s()) << name << ", " << its.what;
    }
  }
}

/// As chance has it; in 200 calls not all can be tried.
TEST(Learning, FindsWhatIsFastestWhereTheModelIsOffOfAnyAlgorithm) {
  constexpr std::size_t calls = 200;
  constexpr unsigned seeds = 30;
  const Wrong dear = {"messages ten times as dear", [](Network& its) { its.message_s *= 10; }};
  for (const auto& [name, bytes] : {std::pair("alltoall", 8192), std::pair("reduce", 65536)}) {
    double ends = 1;
    double totals = 1;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      Program program(*find_collective(name), bytes, dear, seed);
      program.run(calls);
      const std::vector<double>& times = program.seconds();
      const double total_s = std::accumulate(times.begin(), times.end(), 0.0);
      ends *= times.back() / program.least_by_hand_s();
      totals *= total_s / (calls * program.seconds_of(native("")));
    }
    EXPECT_LT(std::pow(ends, 1.0 / seeds), 1.15) << name;
    EXPECT_LT(std::pow(totals, 1.0 / seeds), 0.85) << name;
  }
}

}  // namespace
}  // namespace suiro
