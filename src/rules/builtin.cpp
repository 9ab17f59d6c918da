// SPDX-License-Identifier: BSD-3-Clause
// The table that suiro ships. The comment above a row names the measurement that it stands on;
// where suiro has not been measured to be faster, native stays. First match wins.
#include <array>

#include "rules/rules.hpp"

namespace suiro {
namespace {

/// A row for every MPI has an empty `mpi`.
struct Row {
  std::string_view mpi;
  std::string_view collective;
  Range nodes;
  Range ppn;
  Range bytes;
  std::string_view algorithm;
  std::string_view why;
};

constexpr Range any{};
constexpr Range from(std::int64_t minimum) { return {minimum, Range::unbounded}; }
constexpr Range only(std::int64_t value) { return {value, value}; }

constexpr std::array rows = {
    // No measurement needed: there is no network whose ports could be fought over.
    Row{"", "alltoall", only(1), any, any, native_algorithm, "all ranks are on one node"},
    // Both rings are the same there (tested), so there is no head-of-line blocking to avoid.
    Row{"", "alltoall", any, only(1), any, native_algorithm, "one rank per node"},
    // 4 nodes x 4 ranks, 50 Mbit/s per node, input-queued switch, Open MPI 4.1.4, blocks of 256 KB:
    // native 1.9 to 2.3 MB/s per node, ring 3.1 to 3.9, two_level_ring 4.3 to 4.6. The threshold is
    // not measured yet: in paper A aggregation beats 2-Level Ring below some 30 KB.
    Row{"", "alltoall", from(2), from(2), from(32768), "two_level_ring",
        "several ranks per node share its link; one peer node at a time avoids blocking"},
    // Not measured: no algorithm for small blocks is in the catalog.
    Row{"", "alltoall", any, any, any, native_algorithm, "no faster algorithm is known"},
    // Not measured: with blocks of unequal size the rounds of 2-Level Ring take unequal time.
    Row{"", "alltoallv", any, any, any, native_algorithm, "no faster algorithm is known"},
};

}  // namespace

RuleTable RuleTable::builtin(std::string_view mpi) {
  RuleTable table;
  for (const Row& row : rows) {
    if (!row.mpi.empty() && row.mpi != mpi) continue;
    Rule rule;
    rule.collective = row.collective;
    rule.nodes = row.nodes;
    rule.ppn = row.ppn;
    rule.bytes = row.bytes;
    rule.algorithm = row.algorithm;
    rule.reason = "built in: " + std::string(row.why);
    table.rules_.push_back(std::move(rule));
  }
  return table;
}

}  // namespace suiro
