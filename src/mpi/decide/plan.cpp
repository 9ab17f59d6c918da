// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/decide/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "mpi/job/job.hpp"
#include "rules/candidates.hpp"

namespace suiro::mpi {

namespace {

/// Below, a call may be over before what suiro does around it: where device memory is possible,
/// what is not native begins with a reduction. The limit is no measurement: it keeps native what
/// may be slower.
constexpr std::int64_t small_bytes = 4096;

/// Even the shortest call waits for messages.
double calls_that_take(double seconds, const Collective& collective, const Topology& topology,
                       std::int64_t bytes) {
  return seconds / (job.link.startup_s + bound_s(collective, topology, bytes, job.link.Bps));
}

/// A communicator that may not last is not worth what a short call of suiro's takes to begin:
/// messages and memory of its own.
bool pays(double price_s, const Collective& collective, const Topology& topology,
          std::int64_t bytes, bool lasts) {
  constexpr double calls_that_pay = 20;
  constexpr double unnoticed_s = 100e-3;
  return calls_that_take(price_s, collective, topology, bytes) <= calls_that_pay ||
         (price_s <= unnoticed_s && lasts);
}

/// How many calls native is to take until a prediction may be told: until they have taken as long
/// as that, or as shows that a program does not use a size once; nothing if it is not worth one.
/// Reductions by another algorithm may differ in their last bits, so that no size of them changes
/// its algorithm within a job: at once, or never. To begin on a communicator takes as long as a
/// call or two of some MiB, and many communicators have no more: `tests/soak/communicators.py`,
/// one broadcast of 1 MiB on each: 1.55 times native's time, if it begins at once.
std::optional<std::int64_t> calls_before_prediction(const Collective& collective,
                                                    const Topology& topology, std::int64_t bytes,
                                                    bool lasts) {
  constexpr double calls_to_be_sure = 3;
  constexpr std::int64_t calls_of_the_short_lived = 2;
  const double price_s = job.chooser->price_s(collective, topology, bytes);
  if (collective.reduces && !is_tried(collective)) {
    const bool at_once = pays(price_s, collective, topology, bytes, lasts);
    return at_once ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  const std::int64_t least = lasts ? 0 : calls_of_the_short_lived;
  if (job.chooser->is_expected(collective, bytes)) return least;
  const double calls = calls_that_take(price_s, collective, topology, bytes);
  const auto some = static_cast<std::int64_t>(std::min(std::ceil(calls), calls_to_be_sure));
  return std::max(some, least);
}

/// Between sites, algorithms that are told nothing else let as many nodes use the way at once as
/// are known to fill it.
void set_wan_flows(Decision& decision, const Collective& collective, const Topology& topology) {
  const int flows = job.settings.wan_flows;
  if (flows == 0 || topology.sites() == 1 || decision.algorithm == native_algorithm) return;
  const Algorithm& algorithm = *find_candidate(collective.name, decision.algorithm);
  const bool takes = std::ranges::find(algorithm.parameters, wan_flows_parameter,
                                       &ParameterSpec::name) != algorithm.parameters.end();
  if (takes) decision.parameters.try_emplace(std::string(wan_flows_parameter), flows);
}

/// Where rules end or begin, and, if they leave sizes open, the classes of those that are
/// predicted.
std::vector<std::int64_t> thresholds(const Collective& collective, const Topology& topology,
                                     const RuleTable& table) {
  constexpr std::int64_t largest = std::int64_t{1} << 36;
  std::vector<std::int64_t> sizes = table.thresholds(collective.name, topology);
  const auto is_open = [&](std::int64_t bytes) {
    return !table.decide({collective.name, topology, bytes});
  };
  const bool open = is_open(0) || std::ranges::any_of(sizes, is_open);
  if (open && job.chooser->refusal(collective, topology, largest).empty()) {
    for (std::int64_t next = job.chooser->least_bytes(collective, topology); next < largest;
         next = size_class(next).last + 1) {
      sizes.push_back(next);
    }
  }
  if (job.devices && !sizes.empty()) sizes.push_back(small_bytes);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Answer answer_for(const Collective& collective, const Topology& topology, const RuleTable& table,
                  bool lasts, std::optional<std::int64_t> bytes, const std::string& size_note) {
  Answer answer;
  answer.wire_blocks = bound_s(collective, topology, 1, 1.0);
  answer.reason = size_note;
  if (auto said = table.decide({collective.name, topology, bytes})) {
    settle(collective, topology, answer, bytes.value_or(0), std::move(*said));
    return answer;
  }
  const std::string_view why_not = job.chooser->refusal(collective, topology, bytes);
  if (!why_not.empty()) {
    settle(collective, topology, answer, 0, native(std::string(why_not)));
  } else {
    const std::int64_t middle = size_class(*bytes).middle;  // all of a class are answered alike
    ask_next(collective, topology, answer, middle, lasts);
  }
  return answer;
}

/// Where blocks are unequal, and the choice depends on their size.
std::string note_of_size(const Collective& collective, const Plan& plan) {
  if (!collective.unequal() || plan.thresholds.empty()) return "";
  return collective.sizes == Sizes::known ? "by the mean size: " : "by the agreed size: ";
}

Answer native_answer(std::string_view reason, double wire_blocks = 0) {
  Answer answer;
  answer.algorithm = native_algorithm;
  answer.reason = reason;
  answer.wire_blocks = wire_blocks;
  return answer;
}

}  // namespace

std::size_t Plan::place_of(std::int64_t bytes) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(thresholds, bytes) - thresholds.begin());
}

bool is_tried(const Collective& collective) {
  return collective.reduces ? job.settings.tries_reductions() : job.settings.tries();
}

bool is_worth_predicting(const Collective& collective, const Topology& topology, std::int64_t bytes,
                         bool lasts) {
  const bool at_once = collective.reduces && !is_tried(collective);
  return !at_once || job.chooser->is_known(collective, topology, bytes) ||
         pays(job.chooser->prediction_s(collective, topology, bytes), collective, topology, bytes,
              lasts);
}

bool joins_unequal(const Collective& collective, const Answer& answer) {
  if (answer.native || collective.sizes != Sizes::own) return false;
  return !declares(*find_candidate(collective.name, answer.decision.algorithm), Property::direct);
}

void settle(const Collective& collective, const Topology& topology, Answer& answer,
            std::int64_t bytes, Decision decision) {
  const bool small =
      decision.unasked && decision.algorithm != native_algorithm && bytes < small_bytes;
  if (small && job.devices) {
    decision = native("rule: to agree on whose buffers are in device memory takes as long");
  }
  answer.patient = small && !job.devices && !collective.reduces;
  set_wan_flows(decision, collective, topology);
  answer.decision = std::move(decision);
  answer.algorithm = spelled(answer.decision.algorithm, answer.decision.parameters);
  answer.reason += answer.decision.reason;
  answer.native = answer.decision.algorithm == native_algorithm;
}

void ask_next(const Collective& collective, const Topology& topology, Answer& answer,
              std::int64_t bytes, bool lasts) {
  settle(collective, topology, answer, 0, native(std::string(not_yet_predicted)));
  const auto calls = calls_before_prediction(collective, topology, bytes, lasts);
  if (!calls) return;
  answer.asked_bytes = bytes;
  answer.calls_until_asked = *calls;
}

std::shared_ptr<const Plan> native_plan(std::string_view reason) {
  Plan plan;
  plan.answers.assign(plan.place_of(Plan::sizeless_end), native_answer(reason));
  return std::make_shared<const Plan>(std::move(plan));
}

std::shared_ptr<const Plan> make_plan(const Collective& collective, const Topology& topology,
                                      const RuleTable& table, bool lasts) {
  Plan plan;
  plan.thresholds = thresholds(collective, topology, table);
  plan.size_note = note_of_size(collective, plan);
  const bool by_size = !plan.size_note.empty();
  const auto add = [&](std::optional<std::int64_t> bytes, const std::string& note) {
    plan.answers.push_back(answer_for(collective, topology, table, lasts, bytes, note));
  };
  add(0, plan.size_note);
  for (const std::int64_t bytes : plan.thresholds) add(bytes, plan.size_note);
  const double wire_blocks = plan.answers.front().wire_blocks;
  plan.agrees = collective.sizes == Sizes::own &&
                (by_size || joins_unequal(collective, plan.answers.front()));
  if (by_size) {
    add({},
        collective.sizes == Sizes::own ? "no size agreed on yet: " : "only the root knows sizes: ");
    add({}, "blocks too uneven for a size: ");
  } else {
    plan.answers.resize(plan.place_of(Plan::too_early));
  }
  plan.answers.push_back(native_answer("ignorance: the first small calls", wire_blocks));
  plan.answers.push_back(native_answer("trial: native's turn", wire_blocks));
  return std::make_shared<const Plan>(std::move(plan));
}

std::shared_ptr<const Plan> shared_plan(const Collective& collective,
                                        const std::shared_ptr<const Topology>& topology,
                                        bool lasts) {
  // Another topology may take the address of one that is gone.
  struct Kept {
    std::weak_ptr<const Topology> topology;
    std::shared_ptr<const Plan> plan;
  };
  using Key = std::tuple<const Topology*, std::size_t, bool>;
  constexpr std::size_t kept_max = 256;
  static std::mutex& mutex = *new std::mutex;
  static auto& all = *new std::map<Key, Kept>;
  const Key key(topology.get(), index_of(collective), lasts);
  const std::scoped_lock lock(mutex);
  const auto found = all.find(key);
  if (found != all.end() && !found->second.topology.expired()) return found->second.plan;
  auto made = make_plan(collective, *topology, job.settings.table, lasts);
  std::erase_if(all, [](const auto& one) { return one.second.topology.expired(); });
  if (all.size() == kept_max) all.clear();
  return all.insert_or_assign(key, Kept{topology, std::move(made)}).first->second.plan;
}

}  // namespace suiro::mpi
