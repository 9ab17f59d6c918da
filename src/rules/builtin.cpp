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
    // docs/results.md, blocks of 64 KB and more in the labs 4x4-hol, 8x4-hol, 4x4-shared and
    // 4x4-voq:
    // faster than native and than 2-Level Ring, or as fast. Blocks of 16 KB and less: 0.87 to 0.96
    // of native's speed.
    Row{"", "alltoall", from(2), from(2), from(65536), "two_level_pairwise",
        "one peer node at a time, and acknowledgements meet no third node"},
    // The same table: small blocks are bound by latency, and native aggregates them (Bruck) or
    // sends all at once.
    Row{"", "alltoall", any, any, any, native_algorithm, "no faster algorithm is known"},
    // Unequal blocks by the size that the ranks agree on, which is below every rank's mean; none is
    // agreed on when they are too uneven (mpi/size_agreement.hpp). The threshold is alltoall's;
    // docs/decisions/0011-an-agreed-size.md has what was measured.
    Row{"", "alltoallv", any, only(1), any, native_algorithm, "one rank per node"},
    Row{"", "alltoallv", from(2), from(2), from(65536), "two_level_pairwise",
        "one peer node at a time, and acknowledgements meet no third node"},
    Row{"", "alltoallv", any, any, any, native_algorithm, "no faster algorithm is known"},
    Row{"", "alltoallw", any, only(1), any, native_algorithm, "one rank per node"},
    Row{"", "alltoallw", from(2), from(2), from(65536), "two_level_pairwise",
        "one peer node at a time, and acknowledgements meet no third node"},
    Row{"", "alltoallw", any, any, any, native_algorithm, "no faster algorithm is known"},
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
