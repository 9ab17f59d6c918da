// SPDX-License-Identifier: BSD-3-Clause
#include "model/estimate.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "model/play.hpp"
#include "model/symmetry.hpp"

namespace suiro {

namespace {

/// Of more, one node is played for all where all do the same.
constexpr int ranks_played_singly = 1024;
/// Rounds that all executors keep together, but each at least a few.
constexpr std::int64_t rounds_kept = 1 << 17;
constexpr std::int64_t rounds_kept_least = 64;

/// A copy that costs nothing: what a builder has made may grow with ranks, of which each has one.
Schedule referring_to(const Schedule& schedule) {
  Schedule light;
  light.ranks = schedule.ranks;
  light.rounds = schedule.rounds;
  light.window = schedule.window;
  light.receive_window = schedule.receive_window;
  light.overtaking = schedule.overtaking;
  light.lookahead = schedule.lookahead;
  light.function = [original = &schedule](int rank, std::int64_t round, Round& out) {
    original->function(rank, round, out);
  };
  return light;
}

/// Other switches mix what comes from several nodes.
std::optional<Symmetry> symmetry_of(const Schedule& schedule, const Topology& topology,
                                    const Network& network) {
  if (network.kind != SwitchKind::voq) return std::nullopt;
  return Symmetry::of(schedule, topology);
}

}  // namespace

Player::Player(const Schedule& schedule, const Topology& topology)
    : schedule_(schedule), topology_(topology) {
  if (schedule.ranks == topology.ranks()) return;
  throw std::invalid_argument("the schedule is for " + std::to_string(schedule.ranks) +
                              " ranks, the topology has " + std::to_string(topology.ranks()));
}

Player::~Player() = default;

void Player::begin(const Network& network, double block_bytes, double limit_s,
                   std::vector<Transfer>* transfers) {
  const bool many = schedule_.ranks > ranks_played_singly && transfers == nullptr;
  begin(network, block_bytes, limit_s, transfers,
        many ? symmetry_of(schedule_, topology_, network) : std::nullopt);
}

void Player::begin_one_node(const Network& network, double block_bytes) {
  auto symmetry = symmetry_of(schedule_, topology_, network);
  if (!symmetry) throw std::invalid_argument("nodes are not seen to be alike");
  begin(network, block_bytes, std::numeric_limits<double>::infinity(), nullptr, symmetry);
}

void Player::begin(const Network& network, double block_bytes, double limit_s,
                   std::vector<Transfer>* transfers, std::optional<Symmetry> symmetry) {
  const int played = symmetry ? symmetry->ranks_per_node() : schedule_.ranks;
  if (std::ssize(executors_) != played) {
    executors_.clear();
    executors_.reserve(static_cast<std::size_t>(played));
    const Schedule light = referring_to(schedule_);
    const std::int64_t kept = std::max(rounds_kept / std::max(played, 1), rounds_kept_least);
    for (int rank = 0; rank < played; ++rank) executors_.emplace_back(light, rank, kept);
  }
  for (Executor& executor : executors_) executor.restart();
  const bool signals = schedule_.shared > 0;
  play_ = std::make_unique<Play>(executors_, signals, topology_, network, block_bytes, limit_s,
                                 transfers, symmetry);
}

std::optional<Estimate> Player::advance(std::int64_t& moves) {
  std::optional<Estimate> over = play_->advance(moves);
  if (over) play_.reset();
  return over;
}

Estimate Player::end() {
  std::int64_t moves = std::numeric_limits<std::int64_t>::max();
  return *advance(moves);
}

Estimate estimate(const Schedule& schedule, const Topology& topology, const Network& network,
                  double block_bytes, std::vector<Transfer>* transfers) {
  Player player(schedule, topology);
  player.begin(network, block_bytes, std::numeric_limits<double>::infinity(), transfers);
  return player.end();
}

bool may_be_played_by_one_node(const Schedule& schedule, const Topology& topology,
                               const Network& network) {
  return symmetry_of(schedule, topology, network).has_value();
}

}  // namespace suiro
