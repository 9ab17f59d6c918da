// SPDX-License-Identifier: BSD-3-Clause
// The property that lets blocks differ in size and type: they are neither cut nor merged nor kept
// on the way. Messages without payload are allowed.
#include "verify/properties.hpp"

namespace suiro {

namespace {

/// Why a step is not direct, or nothing.
const char* obstacle(const Step& step) {
  const bool reads = step.action != Action::receive;
  const bool writes = step.action != Action::send;
  if ((reads && step.source.count > 1) || (writes && step.target.count > 1)) {
    return "several blocks in one message or copy";
  }
  const bool payload = step.source.count + step.target.count > 0;
  if (payload && reads && step.source.buffer != Buffer::send) return "not from the send buffer";
  if (payload && writes && step.target.buffer != Buffer::receive)
    return "not to the receive buffer";
  return nullptr;
}

}  // namespace

std::optional<Violation> direct(const Schedule& schedule) {
  Round round;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t index = 0; index < schedule.rounds; ++index) {
      schedule.round(rank, index, round);
      for (const Step& step : round.steps) {
        const char* why = obstacle(step);
        if (why == nullptr) continue;
        const Blocks& blocks = step.action == Action::receive ? step.target : step.source;
        return Violation{.rank = rank, .round = index, .block = blocks.first, .text = why};
      }
    }
  }
  return std::nullopt;
}

}  // namespace suiro
