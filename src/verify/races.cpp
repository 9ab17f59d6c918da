// SPDX-License-Identifier: BSD-3-Clause
// Two accesses to a block, at least one of them a write, must not be in flight together. Other
// ranks do not matter: MPI forbids touching a buffer until its operation is seen to be complete
// here, and what a rank has seen is decided by its own window, fences and lookahead alone.
#include <algorithm>
#include <span>

#include "verify/grouped.hpp"
#include "verify/program.hpp"

namespace suiro {

namespace {

/// A step reads or writes one block.
struct Access {
  std::int64_t operation = 0;
  bool writes = false;
};

class RankRaces {
 public:
  RankRaces(const Program& program, int rank, Findings& findings)
      : program_(program), rank_(rank), findings_(findings) {}

  void check() {
    if (program_.schedule().rounds == 0) return;
    find_last_fences();
    // Nothing writes to the send buffer.
    for (const Buffer buffer : {Buffer::receive, Buffer::scratch, Buffer::work, Buffer::shared}) {
      const auto blocks = static_cast<std::size_t>(program_.blocks(rank_, buffer));
      if (blocks == 0) continue;
      accesses_.fill(blocks, [&](auto add) { each_access(buffer, add); });
      for (std::size_t block = 0; block < blocks && !findings_.full(); ++block) {
        check_block({buffer, static_cast<std::int64_t>(block), 1}, accesses_[block]);
      }
    }
  }

 private:
  const Operation& at(const Access& access) const {
    return program_.operations()[access.operation];
  }

  void find_last_fences() {
    last_fence_.reserve(program_.schedule().rounds);
    std::int64_t last = 0;
    for (std::int64_t round = 0; round < program_.schedule().rounds; ++round) {
      if (program_.fence(rank_, round)) last = round;
      last_fence_.push_back(last);
    }
  }

  /// Those of this rank to a buffer, in the order of the rounds.
  void each_access(Buffer buffer, auto add) const {
    const auto touch = [&](const Blocks& blocks, const Access& access) {
      if (blocks.buffer != buffer) return;
      for (std::int64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
        add(static_cast<std::size_t>(block), access);
      }
    };
    const std::int64_t first = program_.range(rank_, 0).first;
    const std::int64_t last = program_.range(rank_, program_.schedule().rounds - 1).second;
    for (std::int64_t index = first; index < last; ++index) {
      const Step& step = program_.operations()[index].step;
      const bool reads_own = step.action != Action::receive && !reads_peer(step);
      if (reads_own) touch(step.source, {index, false});
      if (step.action != Action::send) touch(step.target, {index, true});
    }
  }

  void check_block(const Blocks& block, std::span<const Access> accesses) {
    const std::int64_t reach = program_.schedule().reach() + program_.schedule().lookahead;
    for (std::size_t late = 1; late < accesses.size() && !findings_.full(); ++late) {
      for (std::size_t early = late; early-- > 0;) {
        if (at(accesses[late]).round - at(accesses[early]).round >= reach) break;
        if (!conflict(accesses[early], accesses[late])) continue;
        report(block, at(accesses[early]), at(accesses[late]));
      }
    }
  }

  bool conflict(const Access& early, const Access& late) const {
    if (!early.writes && !late.writes) return false;
    if (early.operation == late.operation) return is_local(at(early).step);  // a copy onto itself
    return in_flight_together(at(early), at(late));
  }

  /// `early` stands in a round not after that of `late`.
  bool in_flight_together(const Operation& early, const Operation& late) const {
    const bool early_local = is_local(early.step);
    const bool late_local = is_local(late.step);
    if (early_local && late_local) return false;  // they run in the order given
    const std::int64_t lookahead = program_.schedule().lookahead;
    const bool late_receives = late.step.action == Action::receive;
    const std::int64_t posted =
        late_receives ? std::max<std::int64_t>(late.round - lookahead, 0) : late.round;
    if (early_local) return late_receives && posted <= early.round;
    if (posted < early.round) return true;
    if (posted == early.round) {
      // Within a round the copies run before the sends are posted, but not before the receives are.
      return early.step.action == Action::receive || !late_local;
    }
    const bool early_receives = early.step.action == Action::receive;
    const std::int64_t reach =
        early_receives ? program_.schedule().receive_reach() : program_.schedule().reach();
    return early.round > posted - reach &&
           last_fence_[static_cast<std::size_t>(posted)] <= early.round;
  }

  void report(const Blocks& block, const Operation& early, const Operation& late) {
    findings_.add(rank_, late.round, block.first,
                  "the " + text_of(late.step) + " races in " + text_of(block) + " with the " +
                      text_of(early.step) + " of round " + std::to_string(early.round) +
                      ": both may be in flight");
  }

  const Program& program_;
  int rank_;
  Findings& findings_;
  std::vector<std::int64_t> last_fence_;  // per round: the last round up to it that has a fence
  Grouped<Access> accesses_;              // by block of a buffer
};

}  // namespace

void check_races(const Program& program, Findings& findings) {
  for (int rank = 0; rank < program.schedule().ranks && !findings.full(); ++rank) {
    RankRaces(program, rank, findings).check();
  }
}

}  // namespace suiro
