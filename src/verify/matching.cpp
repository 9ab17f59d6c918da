// SPDX-License-Identifier: BSD-3-Clause
// Which send meets which receive. Between two ranks messages match in order, and no receive is a
// wildcard, so the answer does not depend on timing: the n-th send of a to b meets the n-th receive
// of b from a.
#include <algorithm>
#include <tuple>

#include "verify/program.hpp"

namespace suiro {

namespace {

/// One end of a message. Those of a pair of ranks are sorted together, sends and receives each in
/// their order.
struct End {
  int source = 0;
  int target = 0;
  std::int64_t operation = 0;

  auto pair() const { return std::tuple(source, target); }
};

std::vector<End> ends(const Program& program, Action action) {
  std::vector<End> result;
  for (std::int64_t index = 0; index < std::ssize(program.operations()); ++index) {
    const Operation& operation = program.operations()[index];
    if (operation.step.action != action) continue;
    const bool sends = action == Action::send;
    result.push_back({.source = sends ? operation.rank : operation.step.peer,
                      .target = sends ? operation.step.peer : operation.rank,
                      .operation = index});
  }
  std::ranges::stable_sort(result, {}, &End::pair);
  return result;
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
  const std::vector<End> sends = ends(program, Action::send);
  const std::vector<End> receives = ends(program, Action::receive);
  auto send = sends.begin();
  auto receive = receives.begin();
  while (send != sends.end() || receive != receives.end()) {
    if (receive == receives.end() || (send != sends.end() && send->pair() < receive->pair())) {
      report_unmatched(program, (send++)->operation, findings);
    } else if (send == sends.end() || receive->pair() < send->pair()) {
      report_unmatched(program, (receive++)->operation, findings);
    } else {
      match(program, (send++)->operation, (receive++)->operation, findings);
    }
  }
}

}  // namespace suiro
