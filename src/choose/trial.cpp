// SPDX-License-Identifier: BSD-3-Clause
#include "choose/trial.hpp"

#include <algorithm>
#include <vector>

namespace suiro {
namespace {

/// Of one side, whose first call is not a sample.
struct Block {
  Trial::Side side;
  int calls;
};

/// `sure`: in this round a side that is faster by so much has won.
struct TrialRound {
  std::vector<Block> blocks;
  double sure;
  int calls() const {
    int sum = 0;
    for (const Block& block : blocks) sum += block.calls;
    return sum;
  }
};

constexpr int rounds = 3;

const TrialRound& round_of(int number) {
  using enum Trial::Side;
  static const std::array<TrialRound, rounds> all = {{
      {.blocks = {{foretold, 3}}, .sure = 1.5},
      {.blocks = {{native, 4}, {foretold, 4}}, .sure = 1.2},
      {.blocks = {{native, 8}, {foretold, 8}}, .sure = 1},
  }};
  return all[static_cast<std::size_t>(number)];
}

double median(Trial::Samples values) {
  const auto end = values.ns.begin() + static_cast<std::ptrdiff_t>(values.count);
  const auto middle = values.ns.begin() + static_cast<std::ptrdiff_t>(values.count / 2);
  std::nth_element(values.ns.begin(), middle, end);
  return static_cast<double>(std::max<std::int64_t>(*middle, 1));
}

}  // namespace

bool Trial::is_over() const {
  return has_begun() && !verdict_ && calls_ == round_of(round_).calls();
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
  last_ = Begun::nothing;
  if (verdict_) return *verdict_;
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
    return Side::foretold;
  }
  last_ = Begun::in_round;
  int within = calls_++;
  for (const Block& block : round_of(round_).blocks) {
    if (within < block.calls) {
      if (within > 0) take(block.side);
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
  if (last_ == Begun::early) --early_calls_;
  if (last_ == Begun::in_round) --calls_;
  if (last_ == Begun::since) --calls_since_;
  last_is_taken_ = false;
  last_ = Begun::nothing;
}

void Trial::judge(std::span<const std::int64_t> of_all) {
  constexpr std::size_t samples_min = 2;  // of either side, for a word before the last round's
  for (std::size_t i = 0; i < of_all.size(); ++i) {
    Samples& its = sides_[i] == Side::native ? native_ : foretold_;
    its.ns[its.count++] = of_all[i];
  }
  const double sure = round_of(round_).sure;
  taken_ = 0;
  calls_ = 0;
  calls_since_ = 0;
  ++round_;
  if (std::min(native_.count, foretold_.count) < samples_min) return;
  ratio_ = median(native_) / median(foretold_);
  if (ratio_ >= sure) {
    verdict_ = Side::foretold;
  } else if (ratio_ <= 1 / sure) {
    verdict_ = Side::native;
  }
}

}  // namespace suiro
