// SPDX-License-Identifier: BSD-3-Clause
// A barrier moves nothing, so what is proven is who knows of whom: at the end every rank must have
// heard, through any number of others, that every rank has begun. A message tells what its sender
// is sure to know when it is sent, by window and fences alone.
#include <algorithm>
#include <optional>

#include "verify/progress.hpp"

namespace suiro {

namespace {

using Known = std::vector<bool>;  // by rank

void add(const Known& more, Known& known) {
  for (std::size_t rank = 0; rank < known.size(); ++rank) {
    if (more[rank]) known[rank] = true;
  }
}

class Arrival : public ProgressEvents {
 public:
  explicit Arrival(const Program& program)
      : program_(program), ranks_(static_cast<std::size_t>(program.schedule().ranks)) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].sure.assign(ranks_.size(), false);
      ranks_[rank].sure[rank] = true;
      ranks_[rank].heard.assign(static_cast<std::size_t>(program.schedule().rounds),
                                Known(ranks_.size(), false));
      ranks_[rank].told = ranks_[rank].heard;
    }
  }

  void started(const Operation& operation) override {
    Rank& rank = ranks_[operation.rank];
    bring_up_to(rank, operation.rank, operation.round);
    rank.told[operation.round] = rank.sure;
  }

  void matched(const Operation& send, const Operation& receive) override {
    add(ranks_[send.rank].told[send.round], ranks_[receive.rank].heard[receive.round]);
  }

  void check(Findings& findings) {
    for (int number = 0; number < program_.schedule().ranks; ++number) {
      Rank& rank = ranks_[number];
      for (; rank.counted < program_.schedule().rounds; ++rank.counted) {
        add(rank.heard[rank.counted], rank.sure);
      }
      const auto missing = std::ranges::find(rank.sure, false);
      if (missing == rank.sure.end()) continue;
      findings.add(number, std::max<std::int64_t>(program_.schedule().rounds - 1, 0), -1,
                   "leaves without knowing that rank " +
                       std::to_string(missing - rank.sure.begin()) + " has come");
    }
  }

 private:
  struct Rank {
    Known sure;                // what it knows from rounds below `counted`
    std::int64_t counted = 0;  // rounds whose receives have been added
    std::vector<Known> heard;  // by round: from its receives
    std::vector<Known> told;   // by round: with its sends
  };

  void bring_up_to(Rank& rank, int number, std::int64_t round) {
    const bool fence = program_.fence(number, round);
    const std::int64_t end = fence ? round : round - program_.schedule().receive_reach() + 1;
    for (; rank.counted < end; ++rank.counted) add(rank.heard[rank.counted], rank.sure);
  }

  const Program& program_;
  std::vector<Rank> ranks_;
};

}  // namespace

void check_arrival(const Program& program, Findings& findings) {
  if (program.collective().bytes != Measure::nothing) return;
  Arrival arrival(program);
  if (Progress(program, arrival).run()) arrival.check(findings);
}

}  // namespace suiro
