// SPDX-License-Identifier: BSD-3-Clause
#include "choose/trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "choose/margins.hpp"

namespace suiro {
namespace {

/// Of one side, whose first call is not a sample but where there are only two.
struct Block {
  Trial::Side side;
  int calls;
};

/// The algorithm has won where native's time over its own is at least `won`, and lost where it is
/// at most `lost`.
struct TrialRound {
  std::vector<Block> blocks;
  double won;
  double lost;
  int calls() const {
    int sum = 0;
    for (const Block& block : blocks) sum += block.calls;
    return sum;
  }
  int foretold_calls() const {
    int sum = 0;
    for (const Block& block : blocks) sum += block.side == Trial::Side::foretold ? block.calls : 0;
    return sum;
  }
};

constexpr double worth_it = 1.05;  // of what is less nobody takes notice
constexpr int rounds = 7;
constexpr int after_natives_first = 2;
constexpr int by_turns = 2;  // the first round that has both
/// Over native's first calls in a job, which open connections.
constexpr double won_when_cold = 3;
constexpr int look = 5;
constexpr int natives_first = 6;
constexpr int look_calls = 6;

/// Two calls are all that the round has.
bool takes_first(int round) { return round == 0 || round == natives_first; }

const TrialRound& round_of(int number) {
  using enum Trial::Side;
  static const std::array<TrialRound, rounds> all = {{
      {.blocks = {{foretold, Trial::risky_calls}}, .won = 1.5, .lost = 0.25},
      {.blocks = {{foretold, 3}}, .won = 1.5, .lost = 1},
      {.blocks = {{native, 4}, {foretold, 4}}, .won = 1.2, .lost = 1.03},
      {.blocks = {{native, 8}, {foretold, 8}}, .won = 1.1, .lost = worth_it},
      {.blocks = {{native, 8}, {foretold, 8}, {native, 8}, {foretold, 8}},
       .won = worth_it,
       .lost = worth_it},
      {.blocks = {{native, look_calls}, {foretold, look_calls}}, .won = 1.2, .lost = 1 / 1.2},
      {.blocks = {{native, 2}}, .won = 1.5, .lost = 1 / 1.5},
  }};
  return all[static_cast<std::size_t>(number)];
}

double median(Trial::Samples values) {
  const auto end = values.ns.begin() + static_cast<std::ptrdiff_t>(values.count);
  const auto middle = values.ns.begin() + static_cast<std::ptrdiff_t>(values.count / 2);
  std::nth_element(values.ns.begin(), middle, end);
  return static_cast<double>(std::max<std::int64_t>(*middle, 1));
}

/// Of the first two: an algorithm begins with what it needs only once, and a machine may be late
/// once.
void keep_the_shortest(Trial::Samples& values) {
  std::swap(values.ns[0], *std::min_element(values.ns.begin(), values.ns.begin() + values.count));
  values.count = 1;
}

/// So much that no noise explains it.
bool is_all_slower(const Trial::Samples& some, const Trial::Samples& others) {
  constexpr double surely = 1.25;
  const auto shortest = *std::min_element(some.ns.begin(), some.ns.begin() + some.count);
  const auto longest = *std::max_element(others.ns.begin(), others.ns.begin() + others.count);
  return static_cast<double>(shortest) > surely * static_cast<double>(longest);
}

/// Three quarters of some are shorter than three quarters of the others.
bool are_mostly_shorter(Trial::Samples some, Trial::Samples others) {
  std::sort(some.ns.begin(), some.ns.begin() + some.count);
  std::sort(others.ns.begin(), others.ns.begin() + others.count);
  return some.ns[some.count - 1 - (some.count / 4)] < others.ns[others.count / 4];
}

}  // namespace

void Trial::begin_settled() {
  begin();
  verdict_ = Side::foretold;
  constexpr double unknown_ratio = 10;
  ratio_ = unknown_ratio;
  look_after_ = calls_until_asked_again(look_calls * (ratio_ - 1), looks_);
}

void Trial::replace(double ratio) {
  ratio_ *= ratio;
  look_after_ = calls_until_asked_again(look_calls * (ratio_ - 1), looks_);
}

bool Trial::is_over() const {
  return has_begun() && !is_settled() && calls_ == round_of(round_).calls();
}

void Trial::take(Side side) {
  constexpr std::int64_t unknown_ns = std::int64_t{3600} * 1'000'000'000;
  times_[taken_] = unknown_ns;
  sides_[taken_++] = side;
  last_is_taken_ = true;
}

Trial::Side Trial::begin_call() {
  constexpr std::size_t early_max = 3;
  last_is_taken_ = false;
  ++begun_;
  if (is_settled()) {
    if (verdict_ == Side::native || settled_calls_ < look_after_) {
      last_ = Begun::settled;
      ++settled_calls_;
      return *verdict_;
    }
    look_again();
  }
  if (!has_begun()) {
    last_ = Begun::early;
    if (early_calls_++ == 0) return Side::native;
    if (taken_ == early_max) std::shift_left(times_.begin(), times_.begin() + taken_--, 1);
    take(Side::native);
    return Side::native;
  }
  if (is_over()) {
    last_ = Begun::since;
    ++calls_since_;
    const Side meanwhile = native_.count == 0 && is_blind() ? Side::foretold : Side::native;
    foretold_calls_ += meanwhile == Side::foretold ? 1 : 0;
    last_is_foretold_ = meanwhile == Side::foretold;
    return meanwhile;
  }
  if (waits()) {
    last_ = Begun::waiting;
    return Side::native;
  }
  last_ = Begun::in_round;
  int within = calls_++;
  for (const Block& block : round_of(round_).blocks) {
    if (within < block.calls) {
      if (within > 0 || takes_first(round_)) take(block.side);
      return block.side;
    }
    within -= block.calls;
  }
  return Side::foretold;
}

void Trial::end_call(std::int64_t took_ns) {
  if (last_is_taken_) times_[taken_ - 1] = took_ns;
}

void Trial::take_back() {
  if (last_is_taken_) --taken_;
  if (last_ != Begun::nothing) --begun_;
  if (last_ == Begun::early) --early_calls_;
  if (last_ == Begun::in_round) --calls_;
  if (last_ == Begun::since) --calls_since_;
  if (last_ == Begun::since && last_is_foretold_) --foretold_calls_;
  if (last_ == Begun::settled) --settled_calls_;
  last_is_taken_ = false;
  last_ = Begun::nothing;
}

void Trial::look_again() {
  looks_again_ = true;
  ++looks_;
  round_ = look;
  calls_ = 0;
  foretold_calls_ = 0;
  native_ = foretold_ = {};
}

double Trial::native_s() const { return 1e-9 * static_cast<double>(std::ranges::min(natives())); }

bool Trial::judge(std::span<const std::int64_t> of_all) {
  if (is_cold_ && round_ == by_turns) native_ = {};
  for (std::size_t i = 0; i < of_all.size(); ++i) {
    Samples& its = sides_[i] == Side::native ? native_ : foretold_;
    its.ns[its.count++] = of_all[i];
  }
  if (takes_first(round_)) keep_the_shortest(round_ == 0 ? foretold_ : native_);
  const std::size_t wins_from = round_ == natives_first ? 1 : 2;  // samples of each
  const bool has_cold_only = is_cold_ && (round_ < by_turns || round_ == natives_first);
  const double won = has_cold_only ? won_when_cold : round_of(round_).won;
  const double lost = round_of(round_).lost;
  foretold_calls_ += round_of(round_).foretold_calls();
  taken_ = 0;
  calls_ = 0;
  calls_since_ = 0;
  round_ = round_ == natives_first ? after_natives_first : round_ + 1;
  settled_calls_ = 0;
  looks_again_ = false;
  if (native_.count == 0) {
    round_ = natives_first;
    return false;
  }
  ratio_ = median(native_) / median(foretold_);
  const bool is_slow = round_ == 1 && is_all_slower(foretold_, native_);
  if (is_cold_ && round_ == 1 && !is_slow && ratio_ < won_when_cold) {
    native_ = {};
    round_ = natives_first;
    return false;
  }
  const auto before = verdict_;
  const bool may_win = std::min(native_.count, foretold_.count) >= wins_from;
  const bool has_turns = round_ > by_turns && round_ <= look;
  const bool is_clear = has_turns && ratio_ >= worth_it && are_mostly_shorter(foretold_, native_);
  if (ratio_ <= lost || is_slow) verdict_ = Side::native;
  if ((ratio_ >= won && may_win) || is_clear) verdict_ = Side::foretold;
  if (!verdict_) wait_for_budget();
  look_after_ = calls_until_asked_again(look_calls * (ratio_ - 1), looks_);
  return verdict_ != before;
}

/// Until what the trial has lost, and the next round would lose, is little of all calls.
void Trial::wait_for_budget() {
  const double next = std::max(1 / ratio_ - 1, 0.0) * round_of(round_).foretold_calls();
  const double lost = lost_calls() + next - may_lose_;
  resumed_after_ = std::llround(std::clamp(lost / margins.regret_share, 0.0, 1e15));
}

double Trial::lost_calls() const {
  return std::max(1 / ratio_ - 1, 0.0) * static_cast<double>(foretold_calls_);
}

std::int64_t calls_until_asked_again(double cost_calls, int asked_again) {
  constexpr int doubled_max = 4;
  const double calls = std::max(margins.again_calls_min, cost_calls / margins.again_share);
  return std::llround(std::min(calls, 1e12)) << std::min(asked_again, doubled_max);
}

}  // namespace suiro
