// SPDX-License-Identifier: BSD-3-Clause
// Proves a schedule, or says what is wrong with it. A collective is a precondition and a
// postcondition over blocks; all ranks are run symbolically after the contract at the top of
// schedule/schedule.hpp, under the harshest timing that it allows: sends complete only when their
// receive is posted and matched, receives are posted as late as allowed when deadlock is looked
// for, and as early as allowed when races are. The order in which messages match does not depend on
// timing, so one run proves all.
//
// Proven: steps lie within their buffers and the send buffer is read only; every send meets one
// receive of as many blocks; nothing that may be in flight together overlaps with a write; no
// deadlock; nothing is read before it is written, nor is what another rank shares read before
// messages told that it is written, or written again before they told that it was read; every block
// arrives at its place exactly once, and of a reduction, the blocks of all its origins, each once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalog.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// One thing that is wrong, and where. A number that does not apply is -1.
struct Violation {
  int rank = -1;
  std::int64_t round = -1;
  std::int64_t block = -1;  // the number of the block in the buffer that the text names
  std::string text;

  /// "rank 2, round 1, block 3: ...", one line.
  std::string describe() const;
};

/// What proving is bounded by, so that a hostile schedule is refused and not worked on for hours.
struct VerifyLimits {
  static constexpr int ranks = 1024;
  static constexpr std::int64_t rank_rounds = TextLimits::rank_rounds;
  static constexpr std::int64_t moved_blocks = std::int64_t{1} << 24;
  static constexpr std::int64_t scratch = std::int64_t{1} << 24;  // of all ranks
  static constexpr std::size_t violations = 64;                   // further ones are not listed
};

/// Whether ranks that have both buffers have two, or one for both (MPI_IN_PLACE).
enum class Placing : std::uint8_t { apart, in_place };

/// Empty when the schedule is proven.
std::vector<Violation> verify(const Schedule& schedule, Placing placing = Placing::apart);

/// Whether the question makes sense for a collective.
bool applies(Property property, const Collective& collective);

/// For schedules in which verify() finds nothing, on a topology of as many ranks.
/// Nothing when the property holds on the topology, else a counterexample. Rounds count as
/// simultaneous on the ranks of a node when their numbers are equal, or when window and fences
/// allow them to be in flight together.
std::optional<Violation> counterexample(Property property, const Schedule& schedule,
                                        const Topology& topology);

/// Blocks that a rank sends to, and gets from, ranks of other nodes.
struct Wire {
  std::int64_t leaving = 0;
  std::int64_t arriving = 0;
};
Wire count_wire(const Schedule& schedule, const Topology& topology, int rank);

/// What such a schedule really costs, by counting its steps.
Cost count_cost(const Schedule& schedule, const Topology& topology);

}  // namespace suiro
