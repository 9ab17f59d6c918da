// SPDX-License-Identifier: BSD-3-Clause
// Which send meets which receive. Between two ranks messages match in order, and no receive is a
// wildcard, so the answer does not depend on timing: the n-th send of a to b meets the n-th receive
// of b from a.
#include <algorithm>

#include "verify/grouped.hpp"
#include "verify/program.hpp"

namespace suiro {

namespace {

/// The sends, or the receives, of each pair of ranks: source * ranks + target.
Grouped<std::int64_t> ends(const Program& program, Action action) {
  const std::int64_t ranks = program.schedule().ranks;
  Grouped<std::int64_t> found;
  found.fill(static_cast<std::size_t>(ranks * ranks), [&](auto add) {
    for (std::int64_t index = 0; index < std::ssize(program.operations()); ++index) {
      const Operation& operation = program.operations()[index];
      if (operation.step.action != action) continue;
      const std::int64_t self = operation.rank, peer = operation.step.peer;
      add(static_cast<std::size_t>(action == Action::send ? self * ranks + peer
                                                          : peer * ranks + self),
          index);
    }
  });
  return found;
}

void report_unmatched(const Program& program, std::int64_t index, Findings& findings) {
  const Operation& operation = program.operations()[index];
  const bool sends = operation.step.action == Action::send;
  const Blocks& blocks = sends ? operation.step.source : operation.step.target;
  findings.add(
      operation.rank, operation.round, blocks.first,
      "the " + text_of(operation.step) + " meets no " + (sends ? "receive" : "send") + " there");
}

void match(Program& program, std::int64_t sent, std::int64_t received, Findings& findings) {
  Operation& send = program.operations()[sent];
  Operation& receive = program.operations()[received];
  send.match = received;
  receive.match = sent;
  if (send.step.source.count == receive.step.target.count) return;
  findings.add(send.rank, send.round, send.step.source.first,
               "the " + text_of(send.step) + " meets its " + text_of(receive.step.target) +
                   " of round " + std::to_string(receive.round) +
                   ", which has another number of blocks");
}

}  // namespace

void check_matching(Program& program, Findings& findings) {
  const Grouped<std::int64_t> sends = ends(program, Action::send);
  const Grouped<std::int64_t> receives = ends(program, Action::receive);
  const auto ranks = static_cast<std::size_t>(program.schedule().ranks);
  for (std::size_t pair = 0; pair < ranks * ranks; ++pair) {
    const std::size_t met = std::min(sends[pair].size(), receives[pair].size());
    for (std::size_t i = 0; i < met; ++i) {
      match(program, sends[pair][i], receives[pair][i], findings);
    }
    for (const std::int64_t send : sends[pair].subspan(met)) {
      report_unmatched(program, send, findings);
    }
    for (const std::int64_t receive : receives[pair].subspan(met)) {
      report_unmatched(program, receive, findings);
    }
  }
}

}  // namespace suiro
