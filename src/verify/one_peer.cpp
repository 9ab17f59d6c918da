// SPDX-License-Identifier: BSD-3-Clause
// The property that keeps a switch free of head-of-line blocking: whatever may be in flight
// together on a node goes to one other node and comes from one other node.
#include <algorithm>

#include "verify/properties.hpp"

namespace suiro {

namespace {

enum class Direction { sends, receives };

/// The first message of a node to or from another node.
struct Contact {
  int node = -1;  // the other one
  int rank = -1;
  int peer = -1;
  std::int64_t round = -1;
  std::int64_t block = -1;
};

/// Messages to other nodes in one round of one node, one per other node, and whether a fence comes
/// before.
struct NodeRound {
  bool fence = true;
  std::vector<Contact> contacts[2];

  void add(Direction direction, const Contact& contact) {
    std::vector<Contact>& list = contacts[static_cast<int>(direction)];
    if (std::ranges::find(list, contact.node, &Contact::node) == list.end())
      list.push_back(contact);
  }
};

void add_steps(const Topology& topology, int rank, std::int64_t index, const Round& round,
               NodeRound& out) {
  out.fence = out.fence && round.fence;
  for (const Step& step : round.steps) {
    if (step.action != Action::send && step.action != Action::receive) continue;
    if (topology.node(step.peer) == topology.node(rank)) continue;
    const bool sends = step.action == Action::send;
    out.add(sends ? Direction::sends : Direction::receives,
            {.node = topology.node(step.peer),
             .rank = rank,
             .peer = step.peer,
             .round = index,
             .block = sends ? step.source.first : step.target.first});
  }
}

std::vector<NodeRound> rounds_of(const Schedule& schedule, const Topology& topology, int node) {
  std::vector<NodeRound> rounds(schedule.rounds);
  Round round;
  for (const int rank : topology.ranks_of(node)) {
    for (std::int64_t index = 0; index < schedule.rounds; ++index) {
      schedule.round(rank, index, round);
      add_steps(topology, rank, index, round, rounds[index]);
    }
  }
  return rounds;
}

std::string message(Direction direction, const Contact& contact) {
  const bool sends = direction == Direction::sends;
  return "rank " + std::to_string(contact.rank) + (sends ? " to rank " : " from rank ") +
         std::to_string(contact.peer) + " in round " + std::to_string(contact.round);
}

Violation shared(Direction direction, int node, const Contact& first, const Contact& second) {
  const bool sends = direction == Direction::sends;
  return {.rank = second.rank,
          .round = second.round,
          .block = second.block,
          .text = "node " + std::to_string(node) + (sends ? " sends to" : " receives from") +
                  " node " + std::to_string(first.node) + " (" + message(direction, first) +
                  ") and" + (sends ? " to" : " from") + " node " + std::to_string(second.node) +
                  " (" + message(direction, second) + ") at once"};
}

/// Walks over the rounds with the last contact still in flight: more than one cannot be, or it
/// would have been found.
std::optional<Violation> check_node(const Schedule& schedule, int node, Direction direction,
                                    const std::vector<NodeRound>& rounds) {
  std::optional<Contact> in_flight;
  for (std::int64_t index = 0; index < schedule.rounds; ++index) {
    const NodeRound& round = rounds[index];
    if (in_flight && (round.fence || index - in_flight->round >= schedule.reach()))
      in_flight.reset();
    for (const Contact& contact : round.contacts[static_cast<int>(direction)]) {
      if (in_flight && in_flight->node != contact.node) {
        return shared(direction, node, *in_flight, contact);
      }
      in_flight = contact;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> one_peer_per_node_per_round(const Schedule& schedule,
                                                     const Topology& topology) {
  for (int node = 0; node < topology.nodes(); ++node) {
    const std::vector<NodeRound> rounds = rounds_of(schedule, topology, node);
    for (const Direction direction : {Direction::sends, Direction::receives}) {
      if (auto found = check_node(schedule, node, direction, rounds)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace suiro
