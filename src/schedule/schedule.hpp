// SPDX-License-Identifier: BSD-3-Clause
// A schedule: what every rank does, round by round, as a value. It is an indexable function,
// round(rank, i): rounds are produced on demand and stored only to be printed, parsed or cached,
// because an all-to-all of 4096 x 64 ranks has 7 * 10^10 steps. Sizes are in blocks; the executor
// scales them by count and datatype.
//
// When a round may run, for a rank (the one contract between builders, verify and the executor):
//   - Round i starts when the sends of rounds 0 .. i - window have left their buffers and the
//   receives of rounds 0 .. i - receive_window have arrived; if round i has a fence, when all
//   earlier rounds are complete. So a pipeline with a receive_window of 1 hands on what has arrived
//   while sends of several rounds are on their way. A round is complete when its sends and receives
//   are; copies and reductions are done when it has started.
//   - In an overtaking schedule it starts as soon as fewer than `window` of the rounds before it
//   are incomplete, so that a round that takes long holds up none but itself. (An executor that
//   cannot keep track of so many may start it later, but no later than by the rule above.)
//   - Rounds start in order. When a round starts, its receives are posted, its copies and
//   reductions run in the order given, and its sends are posted. A round's sends do not wait for
//   its own receives.
//   - A round whose first step is a send posts its receives last. So two ranks that send each other
//   much both ask before either allows, the answers do not wait behind data, and both directions
//   go at once (docs/decisions/0016).
//   - Receives may be posted up to `lookahead` rounds before their round starts. They are posted in
//   order.
//   - Between two ranks messages match in order: the n-th send of a to b meets the n-th receive of
//   b from a.
//   - A step of zero blocks is a message without payload: light synchronisation is part of the
//   schedule. One of zero blocks of `shared` tells that shared blocks of its sender are written.
//   - Shared blocks lie in memory that all ranks of a node have. Only their owner writes them;
//   copies and reductions of its node's other ranks may read them. Whoever reads must know by
//   messages that they are written, and who writes that all have read. They are nobody's before
//   the first round and after the last, so a run need not end by telling that all have read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace suiro {

/// send: the user's send blocks, read only. receive: the user's receive blocks. scratch: blocks of
/// suiro's own. work: where data are cut, suiro's own room for all of them, each piece in the place
/// that it has among all, for ranks that have no such buffer of the user's. shared: like scratch,
/// in memory that the ranks of a node have together.
enum class Buffer : std::uint8_t { send, receive, scratch, work, shared };
inline constexpr std::size_t buffers = 5;
inline constexpr std::string_view buffer_names[buffers] = {"send", "receive", "scratch", "work",
                                                           "shared"};

/// Where blocks are places of suiro's own: all of one size, and of any pieces.
inline bool is_slots(Buffer buffer) {
  return buffer == Buffer::scratch || buffer == Buffer::shared;
}

/// A range of `count` consecutive blocks from `first` in a buffer. Where data are cut, pieces may
/// differ in size, so blocks of scratch and shared say whose size they have: that of the pieces
/// from `piece` on. A range of these is written and read as a whole.
struct Blocks {
  Buffer buffer = Buffer::send;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t piece = -1;
  friend bool operator==(const Blocks&, const Blocks&) = default;
};

/// What a message without payload brings.
inline constexpr Blocks no_blocks{Buffer::scratch, 0, 0};
/// The same, and that shared blocks of its sender are written.
inline constexpr Blocks shared_written{Buffer::shared, 0, 0};

enum class Action : std::uint8_t { send, receive, copy, reduce };

/// send: `source` goes to rank `peer`. receive: `target` is filled from rank `peer`. copy: target =
/// source. reduce: target = source (op) target. `source` and `target` have equal counts in copy and
/// reduce; the unused one of a send or receive is default-constructed. A copy or reduce has no peer
/// (-1), unless its source are shared blocks of that rank, which is on the same node.
struct Step {
  Action action = Action::copy;
  int peer = -1;
  Blocks source;
  Blocks target;
  friend bool operator==(const Step&, const Step&) = default;
};

/// Steps that run together.
struct Round {
  bool fence = false;
  std::vector<Step> steps;
  friend bool operator==(const Round&, const Round&) = default;
};

/// Named integers that an algorithm takes, such as {"cap", 4}.
using Parameters = std::map<std::string, std::int64_t, std::less<>>;

/// Fills `round` (cleared first by Schedule::round) with what `rank` does in round `index`.
using RoundFunction = std::function<void(int rank, std::int64_t index, Round& round)>;

struct Schedule {
  std::string collective;  // "alltoall"
  std::string algorithm;   // "two_level_ring"
  Parameters parameters;
  int ranks = 0;
  std::int64_t rounds = 0;          // the same for every rank; a rank may have empty rounds
  std::int64_t window = 1;          // rounds in flight at most, >= 1
  std::int64_t receive_window = 0;  // rounds whose receives are, <= window; 0: as many
  bool overtaking = false;          // a round waits for the number of those before it, not for each
  std::int64_t lookahead = 0;       // rounds ahead that receives may be posted
  std::int64_t scratch = 0;         // blocks of scratch, of the rank that needs most
  bool work = false;                // ranks have a work buffer
  std::int64_t shared = 0;          // shared blocks, of the rank that has most
  int root = 0;                     // of a rooted collective
  std::int64_t pieces = 1;          // that a message, or each rank's block, is cut in
  RoundFunction function;
  std::vector<int> node_of_rank = {};  // what it was built for; may be empty

  /// When round i starts, the sends of rounds 0 .. i - reach() are complete, and the receives of
  /// rounds 0 .. i - receive_reach().
  std::int64_t reach() const { return overtaking && window > 1 ? rounds : window; }
  std::int64_t receive_reach() const {
    return receive_window == 0 || overtaking ? reach() : receive_window;
  }

  /// Writes round `index` of `rank` into `out`, reusing its storage.
  void round(int rank, std::int64_t index, Round& out) const {
    out.fence = false;
    out.steps.clear();
    function(rank, index, out);
  }
};

/// Step makers, so that builders read like pseudo code.
inline Step send(Blocks source, int peer) { return {Action::send, peer, source, {}}; }
inline Step receive(int peer, Blocks target) { return {Action::receive, peer, {}, target}; }
inline Step copy(Blocks source, Blocks target, int owner = -1) {
  return {Action::copy, owner, source, target};
}
inline Step reduce(Blocks source, Blocks target, int owner = -1) {
  return {Action::reduce, owner, source, target};
}

/// Whether it is a copy or a reduction.
inline bool is_local(const Step& step) {
  return step.action == Action::copy || step.action == Action::reduce;
}
/// That transports have of shared blocks of a rank.
inline constexpr std::int64_t shared_bytes_max = std::int64_t{1} << 20;

/// That a rank shares at most where pieces have so many: some are larger by an element, and each
/// begins where it is aligned.
std::int64_t shared_bytes(const Schedule& schedule, std::int64_t piece_bytes);

/// Whether it reads shared blocks of another rank.
inline bool reads_peer(const Step& step) { return is_local(step) && step.peer >= 0; }

/// All rounds of all ranks stored, so that the result does not call the builder again.
Schedule materialise(const Schedule& schedule);

/// What the steps of one rank touch of suiro's own memory, so that it takes no more than that. To
/// find it takes as long as to make all rounds of the rank, which its first run does as well.
struct Footprint {
  std::int64_t scratch = 0;     // blocks, from the first on
  std::int64_t work_first = 0;  // pieces of the work buffer
  std::int64_t work_count = 0;
  std::int64_t moved = 0;  // blocks in all its messages
};
Footprint footprint(const Schedule& schedule, int rank);

/// Element-wise equality of headers and of every round of every rank.
bool equal(const Schedule& left, const Schedule& right);

/// What the text form can hold. The parser enforces it, so that a hostile text cannot make it work
/// or store more than in proportion to its own length and these limits.
struct TextLimits {
  static constexpr std::int64_t ranks = 1 << 16;
  static constexpr std::int64_t rank_rounds = 1 << 20;  // ranks x rounds
  static constexpr std::int64_t blocks = std::int64_t{1}
                                         << 40;  // any first block, count, or scratch
  static constexpr std::size_t line_length = 4096;
};

/// The text form (docs/schedule-format.md): parse(print(s)) equals s. Throws std::length_error when
/// the schedule is larger than the text form can hold.
std::string print(const Schedule& schedule);

/// Throws std::runtime_error "NAME:LINE: ..." that says what was expected. `name` is the file's
/// name for messages.
Schedule parse(std::string_view text, std::string_view name = "schedule");

}  // namespace suiro
