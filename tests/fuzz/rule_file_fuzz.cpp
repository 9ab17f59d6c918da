// SPDX-License-Identifier: BSD-3-Clause
// A rule file is read or refused with a line, and a table that was read decides.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "expect.hpp"
#include "rules/rules.hpp"

namespace {

using suiro::fuzz::expect;

void ask(const suiro::RuleTable& table, const suiro::Topology& topology) {
  for (const char* collective : {"alltoall", "alltoallv", "alltoallw"}) {
    const auto thresholds = table.thresholds(collective, topology);
    for (std::size_t i = 1; i < thresholds.size(); ++i) {
      expect(thresholds[i - 1] < thresholds[i], "thresholds ascend");
    }
    const bool sized = std::string_view(collective) == "alltoall";
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{4096}, INT64_MAX}) {
      const std::optional<suiro::Decision> decision =
          table.decide({collective, topology, sized ? std::optional(bytes) : std::nullopt});
      expect(!decision || (!decision->algorithm.empty() && !decision->reason.empty()),
             "a decision has a reason");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const suiro::RuleTable table = suiro::RuleTable::parse(text, "rules.json");
    for (const suiro::Rule& rule : table.rules()) {
      expect(rule.reason.starts_with("rules.json:"), "a reason names file and line");
    }
    ask(table, suiro::Topology::block(1, 1));
    ask(table, suiro::Topology::block(4, 4));
  } catch (const std::runtime_error& error) {
    suiro::fuzz::expect_located(error.what(), "rules.json");
  }
  return 0;
}
