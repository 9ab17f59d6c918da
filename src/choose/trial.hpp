// SPDX-License-Identifier: BSD-3-Clause
// A foretold algorithm against native, in the calls of a program (paper B's strategy D). The model
// may be wrong about this machine; what native and the algorithm take here decides.
//
// Calls of one size are numbered alike on all ranks, so who runs the next one is decided without a
// message. Rounds have a block of calls of each; times of a round are put together by all ranks,
// and judged alike. Rounds grow until the algorithm is surely faster, or hardly faster so far:
// others wait to be tried, and a tie is worth none of their calls.
//
//   round 0   native's last calls before it, then 2 of the algorithm's: one is to be about as short
//             as native's longest, and not four times as long as its median
//   round 1   3 more of the algorithm's; from now on it is to be faster in the median
//   round 2   4 of native's, 4 of the algorithm's; it is to be faster by 3 %, and has won where it
//             is so by 5 %, and three quarters of its calls are shorter than those of native's
//   round 3   8 of each; likewise, but by 5 %
//   round 4   8 of each, twice by turns; then the algorithm has won, or native
//
// Native's first calls in a job open connections. Where it has had few before round 0, and the
// algorithm is not far faster than these, 2 more of native's take the place of round 1. Only the
// natives of round 2 and later are then held against it.
//
// So it is where native has had no calls before round 0; the algorithm goes on until its times are
// known.
//
// What has won may be held against another algorithm in the same way; it then is in native's place.
//
// Where the algorithm is slower so far, native first has as many calls that what all trials have
// lost, with the next round, is at most a stated share of all calls (choose/regret.hpp).
//
// The first call of a block is not counted: it waits for what the other algorithm left behind.
// Machines and networks change, so an algorithm that has won is looked at again after many calls:
// 6 of native's, 6 of its own. Each look that changes nothing puts the next one further off.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace suiro {

class Trial {
 public:
  enum class Side : std::uint8_t { native, foretold };

  /// Times of a round at most, and of one side in all.
  static constexpr std::size_t times_max = 32;

  /// Calls of the algorithm until the first verdict, and what it may take until then is the risk.
  static constexpr int risky_calls = 2;

  /// After so many calls connections are open, and times are as they stay.
  static constexpr int warm_after = 8;

  /// Times of all ranks, of all rounds.
  struct Samples {
    std::size_t count = 0;
    std::array<std::int64_t, times_max> ns{};
  };

  /// The prediction is there. Rounds begin when native has had so many calls more; until then every
  /// call is native's. `native_before`: calls in all, most of them native's. What the trial loses
  /// is to be made up for by native's calls, but for `may_lose` of these.
  void begin(int native_calls = 0, std::int64_t native_before = 0, double may_lose = 0) {
    rounds_from_ = early_calls_ + native_calls;
    may_lose_ = may_lose;
    is_cold_ = native_before + native_calls < warm_after;
  }

  /// Another communicator has shown that the algorithm has won.
  void begin_settled();
  /// What has won was replaced by what is so many times as fast.
  void replace(double ratio);

  /// Who runs the next call, which is counted. If it is_timed(), end_call() tells how many
  /// nanoseconds it took here; of which nothing is told, that counts as a long one.
  Side begin_call();
  bool is_timed() const { return last_is_taken_; }
  void end_call(std::int64_t took_ns);
  /// The call that was begun last has not been made after all.
  void take_back();

  /// A round is over: times() of all ranks are to be put together. Meanwhile native runs, or the
  /// algorithm where native has not run yet.
  bool is_over() const;
  /// Calls that have been begun since.
  int calls_since() const { return calls_since_; }
  /// How much longer the algorithm's calls took than native's, in calls of native's, once judged:
  /// those of the trial, or of the last look.
  double lost_calls() const;
  std::span<const std::int64_t> times() const { return {times_.data(), taken_}; }

  /// `of_all`: times() of all ranks, put together. The next round begins, if any. True: there is a
  /// verdict, or another one.
  bool judge(std::span<const std::int64_t> of_all);

  /// There is a verdict, and nothing is looked at again.
  bool is_settled() const { return verdict_ && !looks_again_; }
  /// Holds while the algorithm is looked at again, too.
  std::optional<Side> verdict() const { return verdict_; }
  /// The verdict is that of a look, after another one.
  bool has_looked() const { return looks_ > 0; }
  /// Nanoseconds, once judged.
  std::span<const std::int64_t> natives() const { return {native_.ns.data(), native_.count}; }
  std::span<const std::int64_t> foretold() const { return {foretold_.ns.data(), foretold_.count}; }
  /// Native's time over the algorithm's, once judged.
  double ratio() const { return ratio_; }
  /// Native's shortest time, once judged: its first calls open connections. Seconds.
  double native_s() const;

 private:
  enum class Begun : std::uint8_t { nothing, early, waiting, in_round, since, settled };

  bool is_blind() const { return rounds_from_ && early_calls_ == 0; }
  void take(Side side);
  void look_again();
  void wait_for_budget();
  bool waits() const { return calls_ == 0 && begun_ <= resumed_after_; }
  bool has_begun() const { return rounds_from_ && early_calls_ >= *rounds_from_; }

  std::optional<int> rounds_from_;  // early calls
  bool is_cold_ = true;             // native may be, in these
  double may_lose_ = 0;             // calls
  int round_ = 0;
  int early_calls_ = 0;
  int calls_ = 0;  // of this round
  int calls_since_ = 0;
  std::int64_t begun_ = 0;  // calls in all
  std::int64_t foretold_calls_ = 0;
  std::int64_t resumed_after_ = 0;  // so many
  Begun last_ = Begun::nothing;
  bool last_is_taken_ = false;
  bool last_is_foretold_ = false;  // of those since a round
  std::size_t taken_ = 0;
  std::array<std::int64_t, times_max> times_{};
  std::array<Side, times_max> sides_{};
  Samples native_;
  Samples foretold_;
  std::optional<Side> verdict_;
  double ratio_ = 0;
  bool looks_again_ = false;
  int looks_ = 0;
  std::int64_t settled_calls_ = 0;  // since the verdict, or the last look,
  std::int64_t look_after_ = 0;     // until so many
};

/// Calls until a question is asked again whose answer cost as much as so many calls.
std::int64_t calls_until_asked_again(double cost_calls, int asked_again);

}  // namespace suiro
