// SPDX-License-Identifier: BSD-3-Clause
// What is known of a collective on a communicator before it is called: which choice holds for which
// sizes, and which sizes are still to be predicted. It follows from the placement, so communicators
// that are placed alike share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collectives.hpp"
#include "rules/rules.hpp"

namespace suiro::mpi {

/// What runs for a range of sizes.
struct Answer {
  /// Nobody has said anything, and it is still to be predicted, for so many bytes. After so many
  /// calls rank 0 tells, or that it is not ready.
  std::optional<std::int64_t> asked_bytes;
  std::int64_t calls_until_asked = 0;

  bool native = true;
  std::string algorithm;  // with its parameters, as in SUIRO_ALLTOALL
  std::string reason;
  Decision decision;
  double wire_blocks = 0;  // that the busiest link must carry, whatever the algorithm
  bool patient = false;    // so small that a few calls do not pay for the twin
};

/// The reason of what is asked about, after what its size is.
inline constexpr std::string_view not_yet_predicted =
    "ignorance: a prediction would take longer than these calls";

/// answers[i] holds for thresholds[i - 1] <= bytes < thresholds[i]; those for no size stand after
/// them.
struct Plan {
  enum Sizeless : std::uint8_t {
    unagreed,      // the choice depends on the size, and ranks have not agreed on one
    too_uneven,    // blocks differ so much that no size says anything
    too_early,     // the first small calls
    natives_turn,  // in a trial
    sizeless_end
  };

  std::vector<std::int64_t> thresholds;
  std::vector<Answer> answers;
  std::string size_note;  // how a reason begins where it depends on a size
  bool agrees = false;    // ranks agree on a size

  std::size_t sizes() const { return thresholds.size() + 1; }
  std::size_t place_of(std::int64_t bytes) const;
  std::size_t place_of(Sizeless sizeless) const { return sizes() + sizeless; }
};

/// Any algorithm moves the same data. Reductions differ in their last bits, so that none changes
/// its algorithm within a job unless the user says so.
bool is_tried(const Collective& collective);

/// Blocks that differ are joined: ranks have to know how large they are.
bool joins_unequal(const Collective& collective, const Answer& answer);

/// `answer.reason` already says what its size is: at least `bytes`.
void settle(const Collective& collective, const Topology& topology, Answer& answer,
            std::int64_t bytes, Decision decision);

/// Of a reduction that keeps its algorithm for the job all is predicted in one call, which must
/// pay. What needs no prediction always does.
bool is_worth_predicting(const Collective& collective, const Topology& topology, std::int64_t bytes,
                         bool lasts);

/// Native until it is predicted. `lasts`: the communicator is there until the job ends.
void ask_next(const Collective& collective, const Topology& topology, Answer& answer,
              std::int64_t bytes, bool lasts);

/// Native whatever the size.
std::shared_ptr<const Plan> native_plan(std::string_view reason);

/// By a table that is this communicator's alone.
std::shared_ptr<const Plan> make_plan(const Collective& collective, const Topology& topology,
                                      const RuleTable& table, bool lasts);

/// By the job's table. Threads may ask at once.
std::shared_ptr<const Plan> shared_plan(const Collective& collective,
                                        const std::shared_ptr<const Topology>& topology,
                                        bool lasts);

}  // namespace suiro::mpi
