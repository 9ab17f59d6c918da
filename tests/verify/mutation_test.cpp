// SPDX-License-Identifier: BSD-3-Clause
// Properties over random algorithms, parameters and placements of ranks: they are right, and with
// one mistake in them they are rejected. What verify accepts after any change at all really
// delivers: it is run, with a thread for each rank. RapidCheck shrinks what fails and says how to
// see it again (RC_PARAMS).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "../execute/run_collective.hpp"
#include "verify/verify.hpp"

namespace suiro {
namespace {

/// Up to `ranks_max` ranks anywhere on up to 7 nodes: uneven mostly, and in no order.
Topology any_topology(int ranks_max) {
  const int ranks = *rc::gen::inRange(1, ranks_max + 1);
  const int nodes = *rc::gen::inRange(1, 8);
  return Topology::from_nodes(
      *rc::gen::container<std::vector<int>>(ranks, rc::gen::inRange(0, nodes)));
}

/// A schedule as values that can be changed.
struct Draft {
  Schedule header;
  std::vector<std::vector<Round>> rounds;  // by rank and number
  Topology topology;

  Schedule schedule() const {
    Schedule result = header;
    const auto stored = std::make_shared<const std::vector<std::vector<Round>>>(rounds);
    result.function = [stored](int rank, std::int64_t index, Round& out) {
      out = (*stored)[rank][index];
    };
    return result;
  }
};

Draft draft_of(const Schedule& schedule, const Topology& topology) {
  Draft draft{.header = schedule, .rounds = {}, .topology = topology};
  draft.rounds.assign(schedule.ranks, std::vector<Round>(schedule.rounds));
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    for (std::int64_t index = 0; index < schedule.rounds; ++index) {
      schedule.round(rank, index, draft.rounds[rank][index]);
    }
  }
  return draft;
}

/// Any of these algorithms with any parameters that the topology allows.
Draft any_draft(int ranks_max, std::span<const Algorithm> algorithms = catalog()) {
  const Topology topology = any_topology(ranks_max);
  const Algorithm& algorithm = algorithms[*rc::gen::resize(
      rc::kNominalSize, rc::gen::inRange<std::size_t>(0, algorithms.size()))];
  Parameters parameters;
  for (const ParameterSpec& spec : algorithm.parameters) {
    const std::int64_t largest = std::min<std::int64_t>(spec.maximum, spec.minimum + 12);
    parameters.emplace(spec.name, *rc::gen::inRange(spec.minimum, largest + 1));
  }
  RC_TAG(std::string(algorithm.name));
  const Call call{.topology = topology,
                  .root = *rc::gen::inRange(0, topology.ranks()),
                  .bytes = *rc::gen::inRange<std::int64_t>(0, 40)};
  return draft_of(build(algorithm, call, parameters), topology);
}

/// One step among all, by a predicate; the case is discarded when there is none.
Step& any_step(Draft& draft, const std::function<bool(const Step&)>& wanted) {
  std::vector<Step*> found;
  for (auto& rounds : draft.rounds) {
    for (Round& round : rounds) {
      for (Step& step : round.steps) {
        if (wanted(step)) found.push_back(&step);
      }
    }
  }
  RC_PRE(!found.empty());
  return *found[*rc::gen::inRange<std::size_t>(0, found.size())];
}

bool is_message(const Step& step) {
  return step.action == Action::send || step.action == Action::receive;
}

Round& any_round(Draft& draft) {
  auto& rounds = draft.rounds[*rc::gen::inRange<std::size_t>(0, draft.rounds.size())];
  RC_PRE(!rounds.empty());
  return rounds[*rc::gen::inRange<std::size_t>(0, rounds.size())];
}

RC_GTEST_PROP(Catalog, IsRightOnAnyPlacementOfRanks, ()) {
  const Draft draft = any_draft(28);
  const Schedule schedule = draft.schedule();
  for (const Violation& violation : verify(schedule)) RC_FAIL(violation.describe());
  const Algorithm& algorithm = *find_algorithm(schedule.collective, schedule.algorithm);
  if (algorithm.cost != nullptr) {
    RC_ASSERT(algorithm.cost(draft.topology, schedule.parameters) ==
              count_cost(schedule, draft.topology));
  }
  for (const Property property : algorithm.properties) {
    const auto found = counterexample(property, schedule, draft.topology);
    if (found) RC_FAIL(found->describe());
  }
}

RC_GTEST_PROP(Catalog, SurvivesTheTextForm, ()) {
  const Schedule schedule = any_draft(20).schedule();
  RC_ASSERT(equal(parse(print(schedule)), schedule));
}

/// Rejected, with places that exist and texts of one line.
void expect_rejected(const Draft& draft) {
  const std::vector<Violation> violations = verify(draft.schedule());
  RC_ASSERT(!violations.empty());
  for (const Violation& violation : violations) {
    RC_ASSERT(violation.rank >= 0 && violation.rank < draft.header.ranks);
    RC_ASSERT(violation.round >= 0 && violation.round < draft.header.rounds);
    RC_ASSERT(violation.describe().find('\n') == std::string::npos);
  }
}

RC_GTEST_PROP(BrokenSchedule, WithoutAStepIsRejected, ()) {
  Draft draft = any_draft(16);
  // A copy inside scratch may bring what is there already.
  Step& step = any_step(
      draft, [](const Step& other) { return is_message(other) || !is_slots(other.target.buffer); });
  for (auto& rounds : draft.rounds) {
    for (Round& round : rounds) {
      std::erase_if(round.steps, [&](const Step& other) { return &other == &step; });
    }
  }
  expect_rejected(draft);
}

RC_GTEST_PROP(BrokenSchedule, WithAMessageTwiceIsRejected, ()) {
  Draft draft = any_draft(16);
  const Step& step = any_step(draft, is_message);
  for (auto& rounds : draft.rounds) {
    for (Round& round : rounds) {
      const auto found =
          std::ranges::find_if(round.steps, [&](const Step& other) { return &other == &step; });
      if (found == round.steps.end()) continue;
      round.steps.push_back(Step(step));
      return expect_rejected(draft);
    }
  }
}

RC_GTEST_PROP(BrokenSchedule, WithAnotherPeerIsRejected, ()) {
  Draft draft = any_draft(16);
  RC_PRE(draft.header.ranks > 1);
  Step& step = any_step(draft, is_message);
  const int away = *rc::gen::inRange(1, draft.header.ranks);
  step.peer = (step.peer + away) % draft.header.ranks;
  expect_rejected(draft);
}

RC_GTEST_PROP(BrokenSchedule, WithAnotherBlockSentIsRejected, ()) {
  Draft draft = any_draft(16);
  Step& step = any_step(draft, [](const Step& other) {
    return other.action == Action::send && other.source.buffer == Buffer::send &&
           other.source.count > 0;
  });
  const Schedule& header = draft.header;
  const std::int64_t blocks = find_collective(header.collective)
                                  ->send_blocks({header.ranks, header.root, header.pieces},
                                                header.root);  // who sends has as many as the root
  const std::int64_t places = blocks - step.source.count + 1;
  RC_PRE(places > 1);
  step.source.first = (step.source.first + *rc::gen::inRange<std::int64_t>(1, places)) % places;
  expect_rejected(draft);
}

RC_GTEST_PROP(BrokenSchedule, WithTwoArrivalsInterchangedIsRejected, ()) {
  Draft draft = any_draft(16);
  const auto arrives = [](const Step& step) {
    return step.target.buffer == Buffer::receive && step.target.count > 0;
  };
  const int rank = *rc::gen::inRange(0, draft.header.ranks);
  std::vector<Step*> found;
  for (Round& round : draft.rounds[rank]) {
    for (Step& step : round.steps) {
      if (step.action != Action::send && arrives(step)) found.push_back(&step);
    }
  }
  RC_PRE(found.size() > 1);
  const std::size_t one = *rc::gen::inRange<std::size_t>(0, found.size());
  const std::size_t other = (one + *rc::gen::inRange<std::size_t>(1, found.size())) % found.size();
  RC_PRE(found[one]->target.count == found[other]->target.count);
  RC_PRE(found[one]->target != found[other]->target);
  std::swap(found[one]->target, found[other]->target);
  expect_rejected(draft);
}

/// Algorithms in which every signal is needed: those of a fold in segments tell more at the end; in
/// an exscan of two ranks the second takes what the first had from the beginning.
std::span<const Algorithm> with_signals() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> found(catalog().begin(), catalog().end());
    std::erase_if(found, [](const Algorithm& algorithm) {
      const Schedule schedule = build(algorithm, Topology::block(3, 3));
      return schedule.shared == 0 || schedule.work || algorithm.collective == "exscan";
    });
    return found;
  }();
  return all;
}

RC_GTEST_PROP(BrokenSchedule, WithoutASignalIsRejected, ()) {
  Draft draft = any_draft(16, with_signals());
  const auto between = [](const Step& step, Action action, int peer) {
    return step.action == action && step.peer == peer &&
           std::max(step.source.count, step.target.count) == 0;
  };
  struct Sent {
    int rank;
    Step step;
  };
  std::vector<Sent> found;
  for (int rank = 0; rank < draft.header.ranks; ++rank) {
    for (const Round& round : draft.rounds[rank]) {
      for (const Step& step : round.steps) {
        if (between(step, Action::send, step.peer)) found.push_back({rank, step});
      }
    }
  }
  RC_PRE(!found.empty());
  const Sent last = found[*rc::gen::inRange<std::size_t>(0, found.size())];
  // The last one from that rank to that peer, at both ends.
  const auto erase_last = [&](int rank, Action action, int peer) {
    for (auto round = draft.rounds[rank].rbegin(); round != draft.rounds[rank].rend(); ++round) {
      const auto at = std::ranges::find_if(
          round->steps, [&](const Step& step) { return between(step, action, peer); });
      if (at == round->steps.end()) continue;
      round->steps.erase(at);
      return;
    }
  };
  erase_last(last.rank, Action::send, last.step.peer);
  erase_last(last.step.peer, Action::receive, last.rank);
  expect_rejected(draft);
}

/// The first scratch block above all that the step uses.
std::int64_t scratch_end(const Step& step) {
  std::int64_t end = 0;
  for (const Blocks& blocks : {step.source, step.target}) {
    const bool used = blocks.buffer == Buffer::scratch && blocks.count > 0;
    if (used) end = std::max(end, blocks.first + blocks.count);
  }
  return end;
}

/// Algorithms whose ranks have a work buffer.
std::span<const Algorithm> with_work() {
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> found(catalog().begin(), catalog().end());
    std::erase_if(found, [](const Algorithm& algorithm) {
      return !build(algorithm, Topology::block(3, 3)).work;
    });
    return found;
  }();
  return all;
}

bool in_work(const Blocks& blocks) { return blocks.buffer == Buffer::work && blocks.count > 0; }

RC_GTEST_PROP(BrokenSchedule, WithAnotherPlaceInTheWorkBufferIsRejected, ()) {
  Draft draft = any_draft(16, with_work());
  Step& step = any_step(draft, [](const Step& other) {
    return other.action != Action::reduce && (in_work(other.source) || in_work(other.target));
  });
  Blocks& blocks = in_work(step.source) ? step.source : step.target;
  const Schedule& header = draft.header;
  const std::int64_t pieces =
      find_collective(header.collective)->pieces({header.ranks, header.root, header.pieces});
  const std::int64_t places = pieces - blocks.count + 1;
  RC_PRE(places > 1);
  blocks.first = (blocks.first + *rc::gen::inRange<std::int64_t>(1, places)) % places;
  expect_rejected(draft);
}

RC_GTEST_PROP(BrokenSchedule, WithoutItsWorkBufferIsRejected, ()) {
  Draft draft = any_draft(16, with_work());
  any_step(draft, [](const Step& step) { return in_work(step.source) || in_work(step.target); });
  draft.header.work = false;
  expect_rejected(draft);
}

RC_GTEST_PROP(BrokenSchedule, WithTooLittleScratchIsRejected, ()) {
  Draft draft = any_draft(16);
  std::int64_t used = 0;
  for (const auto& rounds : draft.rounds) {
    for (const Round& round : rounds) {
      for (const Step& step : round.steps) used = std::max(used, scratch_end(step));
    }
  }
  RC_PRE(used > 0);
  draft.header.scratch = *rc::gen::inRange<std::int64_t>(0, used);
  expect_rejected(draft);
}

/// Changes that may be harmless.
void change_anyhow(Draft& draft) {
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      std::swap(any_round(draft), any_round(draft));
      break;
    case 1:
      any_round(draft).fence ^= true;
      break;
    case 2:
      draft.header.window = *rc::gen::inRange(1, 8);
      draft.header.overtaking = *rc::gen::arbitrary<bool>();
      break;
    case 3:
      draft.header.lookahead = *rc::gen::inRange(0, 8);
      break;
    case 4:
      std::ranges::reverse(any_round(draft).steps);
      break;
    case 5: {
      Round& from = any_round(draft);
      Round& to = any_round(draft);
      if (&from == &to) break;
      to.steps.insert(to.steps.end(), from.steps.begin(), from.steps.end());
      from.steps.clear();
      break;
    }
    case 6:
      any_step(draft, [](const Step&) { return true; }).source.first ^= 1;
      break;
    case 7: {
      Step& step = any_step(draft, [](const Step&) { return true; });
      (*rc::gen::arbitrary<bool>() ? step.source : step.target).buffer = Buffer::work;
      draft.header.work = true;
      break;
    }
  }
}

RC_GTEST_PROP(ChangedSchedule, ThatVerifyAcceptsDelivers, ()) {
  Draft draft = any_draft(6);
  const int changes = *rc::gen::inRange(1, 4);
  for (int change = 0; change < changes; ++change) change_anyhow(draft);
  const Schedule schedule = draft.schedule();
  const bool accepted = verify(schedule).empty();
  RC_CLASSIFY(accepted);
  if (!accepted) return;
  const Collective& collective = *find_collective(schedule.collective);
  const bool in_order = applies(Property::ordered, collective) &&
                        !counterexample(Property::ordered, schedule, draft.topology);
  std::vector<std::int64_t> sizes;
  for (int rank = 0; rank < schedule.ranks && collective.for_each_rank; ++rank) {
    sizes.push_back(*rc::gen::inRange(0, 30));
  }
  for (const SendMode mode : {SendMode::synchronous, SendMode::buffered}) {
    Run run{.elements = 11, .mode = mode, .in_order = in_order};
    RC_ASSERT(run_collective(schedule, run) == "");
    run.sizes = sizes;
    RC_ASSERT(run_collective(schedule, run) == "");
  }
}

}  // namespace
}  // namespace suiro
