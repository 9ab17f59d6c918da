// SPDX-License-Identifier: BSD-3-Clause
// What a picture of a schedule shows, as JSON: who talks to whom in each round, what each NIC
// carries, and whether a node ever has two peers at once. `suiro show` draws it.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/schedule.hpp"

namespace suiro::tools {

/// Rounds first to last.
struct RoundRange {
  std::int64_t first = 0;
  std::int64_t last = INT64_MAX;
  friend bool operator==(const RoundRange&, const RoundRange&) = default;
};

/// The messages are those of `rounds`; sums are over all rounds. Throws UsageError when the
/// schedule does not say where its ranks are, when it is too large for the text form, or when it
/// has messages to ranks that it does not have.
std::string picture(const Schedule& schedule, const RoundRange& rounds);

}  // namespace suiro::tools
