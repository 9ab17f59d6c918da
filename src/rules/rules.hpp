// SPDX-License-Identifier: BSD-3-Clause
// The selection table: which algorithm runs for a collective on a shape and a size, and why. First
// match wins; where none does, the model chooses (choose/). Inputs are the same on every rank, so
// the decision is too: a collective with unequal blocks is asked with the size that the ranks have
// agreed on, or, while there is none, without.
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

/// The name of the MPI library's own algorithm in rules and reports.
inline constexpr std::string_view native_algorithm = "native";

/// An inclusive range; `unbounded` as maximum means no limit.
struct Range {
  static constexpr std::int64_t unbounded = INT64_MAX;
  std::int64_t minimum = 0;
  std::int64_t maximum = unbounded;
  bool contains(std::int64_t value) const { return minimum <= value && value <= maximum; }
  friend bool operator==(const Range&, const Range&) = default;
};

struct Rule {
  std::string collective;  // "alltoall", "bcast", ...
  Range nodes, ppn, ranks, sites;
  Range bytes;                    // a rule that limits bytes never matches an unknown size
  double port_bytes = 0;          // and no fewer bytes than this through the busiest link
  double port_bytes_per_hop = 0;  // and than this for each node but one
  std::string algorithm;          // a catalog name or "native"
  Parameters parameters;
  std::string reason;    // shown by --explain: "rules.json:12" or "rule: ..."
  bool unasked = false;  // nobody asked for it: suiro ships it
};

/// What is asked. `bytes` is empty while the size is unknown.
struct Question {
  std::string_view collective;
  const Topology& topology;
  std::optional<std::int64_t> bytes;
};

struct Decision {
  std::string algorithm;
  Parameters parameters;
  std::string reason;
  bool unasked = false;       // by the user: suiro has a rule, or predicts
  int tried_after = 0;        // calls of what runs, as it is not sure to be faster; 0: it is
  std::int64_t link_Bps = 0;  // for which messages are cut, as calls have shown; 0: as it is told
};

/// As SUIRO_BCAST takes it: "pipeline:segment=8192".
std::string spelled(std::string_view algorithm, const Parameters& parameters);

class RuleTable {
 public:
  RuleTable() = default;
  explicit RuleTable(std::vector<Rule> rules) : rules_(std::move(rules)) {}

  /// A forced algorithm: "two_level_ring", "native", "linear_capped:cap=4". Throws
  /// std::runtime_error that names the value and lists what exists.
  static RuleTable forced(std::string_view collective, std::string_view value);

  /// A rule file (JSON, docs/rule-file.schema.json). Throws std::runtime_error "NAME:LINE: what was
  /// expected".
  static RuleTable parse(std::string_view text, std::string_view name);

  /// Rules of `first` come before those of this table.
  RuleTable preceded_by(const RuleTable& first) const;

  /// The first rule that matches; nothing where none does.
  std::optional<Decision> decide(const Question& question) const;

  /// The block sizes at which the decision for this collective and shape may change, ascending: the
  /// shim decides once per interval and looks up by size afterwards. Empty when the decision does
  /// not depend on bytes.
  std::vector<std::int64_t> thresholds(std::string_view collective, const Topology& topology) const;

  const std::vector<Rule>& rules() const { return rules_; }

 private:
  std::vector<Rule> rules_;
};

}  // namespace suiro
