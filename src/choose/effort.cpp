// SPDX-License-Identifier: BSD-3-Clause
#include "choose/effort.hpp"

#include <algorithm>

#include "choose/margins.hpp"
#include "choose/sample.hpp"

namespace suiro {
namespace {

/// Of a schedule that is played.
std::int64_t messages(const Collective& collective, const Topology& topology) {
  const std::int64_t ranks = sample(collective, topology).ranks();
  constexpr std::int64_t of_a_rank = 32;
  return ranks * (collective.bytes == Measure::per_pair ? ranks : of_a_rank);
}

}  // namespace

bool are_too_many(const Collective& collective, const Topology& topology) {
  return messages(collective, topology) > margins.messages_max;
}

std::int64_t moves_for(const Surroundings& surroundings, const Collective& collective,
                       const Topology& topology, std::int64_t middle) {
  constexpr std::int64_t usual = 1 << 20;
  constexpr std::int64_t times_max = 8;
  const std::int64_t times = collective.cut() ? middle / usual : 1;
  const std::int64_t least = margins.moves_at_once * std::clamp<std::int64_t>(times, 1, times_max);
  if (collective.reduces) return least;
  std::int64_t of_a_message = 10;
  if (collective.bytes == Measure::per_pair) of_a_message = 80;
  if (collective.bytes == Measure::per_rank) of_a_message = topology.ranks() / 4;  // rings
  const std::int64_t all = of_a_message * messages(collective, topology) *
                           std::ssize(possible_networks(surroundings, topology));
  return std::clamp(all, least, margins.moves_max);
}

double answer_s(const Surroundings& surroundings, const Collective& collective,
                const Topology& topology, std::int64_t middle) {
  constexpr double message_s = 5e-6;
  const double all_s = message_s * static_cast<double>(messages(collective, topology)) *
                       static_cast<double>(possible_networks(surroundings, topology).size());
  const std::int64_t moves = moves_for(surroundings, collective, topology, middle);
  return std::min(all_s, margins.move_s * static_cast<double>(moves));
}

}  // namespace suiro
