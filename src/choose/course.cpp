// SPDX-License-Identifier: BSD-3-Clause
#include "choose/course.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "choose/margins.hpp"

namespace suiro {

namespace {

/// Of one rank, and its rounds. What takes more than anyone plays is not counted to its end.
std::int64_t steps_of(const Schedule& schedule, int rank) {
  const std::int64_t many = margins.moves_max / schedule.ranks + 1;
  std::int64_t steps = 0;
  Round round;
  for (std::int64_t index = 0; index < schedule.rounds && steps < many; ++index) {
    schedule.round(rank, index, round);
    steps += 1 + std::ssize(round.steps);
  }
  return steps;
}

/// By those of a few ranks: the first one has the most to do, as one of each node may have.
std::int64_t about_steps(const Schedule& schedule, const Topology& topology) {
  if (schedule.ranks == 0) return 0;
  const int last = schedule.ranks - 1;
  const std::int64_t of_one = std::max(
      {steps_of(schedule, last / 3), steps_of(schedule, last / 3 * 2), steps_of(schedule, last)});
  const std::int64_t nodes = topology.nodes();
  return nodes * steps_of(schedule, 0) + (schedule.ranks - nodes) * of_one;
}

/// Where ranks outnumber processors, what is not on the wire is work, or waits for its turn: while
/// a rank has the processor the others of its core cannot notice that something has come.
bool waits_for_turns(const Estimate& its, const Network& network, const Topology& topology) {
  const bool few = network.processors > 0 && topology.max_ppn() > network.processors;
  return few && topology.sites() == 1 && its.spent.port + its.spent.repeats < its.seconds / 2;
}

}  // namespace

Course::Course(Schedule schedule, double block_bytes, double residual, const Topology& topology,
               const std::vector<Network>& networks)
    : schedule_(std::move(schedule)),
      block_bytes_(block_bytes),
      residual_(residual),
      topology_(&topology),
      networks_(&networks),
      steps_(about_steps(schedule_, topology)),
      networks_left_(networks.size()) {}

int Course::class_of_steps() const {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(steps_, 4));
  const int below = std::bit_width(value) - 3;  // bits below the first three
  return 4 * below + static_cast<int>(value >> below & 3);
}

const Course::Played* Course::known(std::size_t network, double limit_s) const {
  const Network& wanted = (*networks_)[network];
  for (const Played& other : played_) {
    Network like = (*networks_)[other.network];
    const bool same = same_time(like.kind, wanted.kind, other.ports);
    like.kind = wanted.kind;
    if (!same || like != wanted) continue;
    if (other.its.seconds <= other.limit_s || limit_s <= other.limit_s) return &other;
  }
  return nullptr;
}

std::optional<Foretold> Course::advance(double limit_s, std::int64_t& moves) {
  const std::size_t network = networks_left_ - 1;
  if (const Played* same = known(network, limit_s)) {
    --networks_left_;
    return same->its;
  }
  if (player_ == nullptr) player_ = std::make_unique<Player>(schedule_, *topology_);
  if (!player_->is_playing()) {
    player_->begin((*networks_)[network], block_bytes_, limit_s / residual_);
    moves -= topology_->ranks();
  }
  const std::optional<Estimate> found = player_->advance(moves);
  if (!found) return std::nullopt;
  const Spent& spent = found->spent;
  const Foretold its{.seconds = residual_ * found->seconds,
                     .mean_s = residual_ * found->mean_s,
                     .nodes_s = residual_ * (spent.messages + spent.copies + spent.processors),
                     .worked_s = found->worked_s,
                     .by_processors = spent.processors > found->seconds / 2,
                     .by_turns = waits_for_turns(*found, (*networks_)[network], *topology_)};
  played_.push_back({network, limit_s, found->ports, its});
  --networks_left_;
  return its;
}

void Course::stop() {
  player_.reset();
  networks_left_ = 0;
}

}  // namespace suiro
