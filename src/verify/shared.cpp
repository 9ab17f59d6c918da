// SPDX-License-Identifier: BSD-3-Clause
// Shared blocks: whoever reads one of another rank must be sure that it is written, and who writes
// it again must be sure that all have read. What a rank is sure of is what messages told it, by
// window and fences alone, so the answer does not depend on timing: if two accesses are not in
// order by messages, some timing has them at once.
#include <algorithm>

#include "verify/progress.hpp"

namespace suiro {

namespace {

/// By rank: rounds below this number have been started there, and their local steps are done.
using Sure = std::vector<std::int64_t>;

void learn(const Sure& more, Sure& known) {
  for (std::size_t rank = 0; rank < known.size(); ++rank) {
    known[rank] = std::max(known[rank], more[rank]);
  }
}

class SharedReads : public ProgressEvents {
 public:
  SharedReads(const Program& program, Findings& findings)
      : program_(program),
        findings_(findings),
        ranks_(static_cast<std::size_t>(program.schedule().ranks)),
        blocks_(ranks_.size() * static_cast<std::size_t>(program.schedule().shared)) {
    for (Rank& rank : ranks_) {
      rank.sure.assign(ranks_.size(), 0);
      rank.at_round.resize(static_cast<std::size_t>(program.schedule().rounds));
      rank.heard.resize(rank.at_round.size());
    }
  }

  void started(const Operation& operation) override {
    bring_up_to(operation.rank, operation.round);
    const Step& step = operation.step;
    if (reads_peer(step)) check_read(operation);
    if (step.action != Action::send && step.target.buffer == Buffer::shared) check_write(operation);
  }

  void matched(const Operation& send, const Operation& receive) override {
    Sure& heard = ranks_[receive.rank].heard[receive.round];
    heard.resize(ranks_.size());
    learn(ranks_[send.rank].at_round[send.round], heard);
  }

 private:
  struct Rank {
    Sure sure;                   // at the start of round `begun` - 1
    std::int64_t begun = 0;      // rounds that have begun
    std::int64_t counted = 0;    // rounds whose receives have been added
    std::vector<Sure> at_round;  // what it is sure of when a round's sends leave
    std::vector<Sure> heard;     // by round: from its receives; empty: nothing
  };
  struct Block {
    const Operation* written = nullptr;
    std::vector<const Operation*> read;  // by others, since it was written
  };

  const Sure& sure(const Operation& operation) const {
    return ranks_[operation.rank].at_round[operation.round];
  }

  void bring_up_to(int number, std::int64_t round) {
    Rank& rank = ranks_[number];
    for (; rank.begun <= round; ++rank.begun) {
      const bool fence = program_.fence(number, rank.begun);
      const std::int64_t end =
          fence ? rank.begun : rank.begun - program_.schedule().receive_reach() + 1;
      for (; rank.counted < end; ++rank.counted) {
        if (!rank.heard[rank.counted].empty()) learn(rank.heard[rank.counted], rank.sure);
      }
      rank.sure[number] = rank.begun + 1;
      rank.at_round[rank.begun] = rank.sure;
    }
  }

  /// The first round by whose start what a step writes is there.
  std::int64_t done_by(const Operation& operation) const {
    if (operation.step.action != Action::receive) return operation.round;
    std::int64_t round = operation.round + 1;
    while (round < operation.round + program_.schedule().receive_reach() &&
           round < program_.schedule().rounds && !program_.fence(operation.rank, round)) {
      ++round;
    }
    return round;
  }

  Block& block(int owner, std::int64_t number) {
    return blocks_[static_cast<std::size_t>(owner * program_.schedule().shared + number)];
  }

  void check_read(const Operation& read) {
    const Blocks& source = read.step.source;
    for (std::int64_t at = source.first; at < source.first + source.count; ++at) {
      Block& found = block(read.step.peer, at);
      found.read.push_back(&read);
      if (found.written == nullptr) continue;  // that it is not is told by check_delivery()
      if (sure(read)[read.step.peer] > done_by(*found.written)) continue;
      report(read, at, " may read it before the ", *found.written);
    }
  }

  /// Receives may be posted before their round starts.
  void check_write(const Operation& write) {
    const bool receives = write.step.action == Action::receive;
    const std::int64_t posted =
        receives ? std::max<std::int64_t>(write.round - program_.schedule().lookahead, 0)
                 : write.round;
    const Sure& known = ranks_[write.rank].at_round[posted];
    const Blocks& target = write.step.target;
    for (std::int64_t at = target.first; at < target.first + target.count; ++at) {
      Block& found = block(write.rank, at);
      for (const Operation* read : found.read) {
        if (known[read->rank] > read->round) continue;
        report(write, at, " may write it before the ", *read);
      }
      found.written = &write;
      found.read.clear();
    }
  }

  void report(const Operation& late, std::int64_t at, const char* what, const Operation& early) {
    findings_.add(late.rank, late.round, at,
                  "no message keeps the order in " + text_of(Buffer::shared, at) + ": the " +
                      text_of(late.step) + what + text_of(early.step) + " of rank " +
                      std::to_string(early.rank) + " in round " + std::to_string(early.round));
  }

  const Program& program_;
  Findings& findings_;
  std::vector<Rank> ranks_;
  std::vector<Block> blocks_;  // of rank after rank
};

}  // namespace

void check_shared(const Program& program, Findings& findings) {
  if (program.schedule().shared == 0) return;
  SharedReads reads(program, findings);
  Progress(program, reads).run();
}

}  // namespace suiro
