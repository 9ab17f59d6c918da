// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/alltoall.hpp"

namespace suiro::alltoall {

namespace {

bool follows(const Blocks& before, const Blocks& next) {
  return before.buffer == next.buffer && before.first + before.count == next.first;
}

bool overlap(const Blocks& source, const Blocks& target) {
  return source.buffer == target.buffer && source.first < target.first + target.count &&
         target.first < source.first + source.count;
}

}  // namespace

void add_copy(Blocks source, Blocks target, Round& round) {
  if (!round.steps.empty() && round.steps.back().action == Action::copy) {
    const Step& last = round.steps.back();
    if (follows(last.source, source) && follows(last.target, target)) {
      const std::int64_t count = last.source.count + source.count;
      const Step merged = copy({source.buffer, last.source.first, count},
                               {target.buffer, last.target.first, count});
      // Else the second copy may read what the first one writes.
      if (!overlap(merged.source, merged.target)) {
        round.steps.back() = merged;
        return;
      }
    }
  }
  round.steps.push_back(copy(source, target));
}

bool consecutive(const Topology& topology, int node) {
  return topology.rank(node, topology.ppn(node) - 1) - topology.rank(node, 0) ==
         topology.ppn(node) - 1;
}

}  // namespace suiro::alltoall
