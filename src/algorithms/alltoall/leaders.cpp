// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/leaders.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace suiro::alltoall {

namespace {

/// Ranks of a node, the leader first.
using Group = std::vector<int>;

class Leaders {
 public:
  Leaders(const Topology& topology, int leaders)
      : ranks_(topology.ranks()), group_of_rank_(topology.ranks()) {
    std::vector<int> node_of_group;
    for (int node = 0; node < topology.nodes(); ++node) {
      const int groups = std::min(leaders, topology.ppn(node));
      const auto first = static_cast<int>(groups_.size());
      groups_.resize(first + groups);
      node_of_group.resize(first + groups, node);
      for (int local = 0; local < topology.ppn(node); ++local) {
        const int group = first + local % groups;
        groups_[group].push_back(topology.rank(node, local));
        group_of_rank_[topology.rank(node, local)] = group;
      }
    }
    for (const Group& group : groups_) {
      first_of_group_.push_back(next_first_);
      next_first_ += size(group);
      largest_ = std::max(largest_, size(group));
    }
    const Topology leaders_only = Topology::from_nodes(node_of_group);
    exchange_ = alltoall_two_level_pairwise.build({.topology = leaders_only}, {{"window", 1}});
  }

  std::int64_t rounds() const { return exchange_.rounds + 2; }
  std::int64_t scratch_blocks() const { return (3 * largest_ - 1) * ranks_; }

  void operator()(int me, std::int64_t index, Round& round) const {
    const int group = group_of_rank_[me];
    const bool leads = groups_[group].front() == me;
    round.fence = leads && (index == 1 || index == rounds() - 1);
    if (index == 0) return leads ? gather(group, round) : give(me, round);
    if (index == rounds() - 1) return leads ? scatter(group, round) : take(me, round);
    if (!leads) return;
    if (index == 1) put_together(group, round);
    exchange(group, index - 1, round);
  }

 private:
  static std::int64_t size(const Group& group) { return static_cast<std::int64_t>(group.size()); }

  Blocks whole(Buffer buffer) const { return {buffer, 0, ranks_}; }

  // Scratch of a leader: the buffers of its members but itself, to send and later to receive; then
  // what it sends to each group; then what it got from each.
  Blocks buffer_of(std::int64_t member) const { return scratch((member - 1) * ranks_, ranks_); }

  Blocks message(std::int64_t area, int mine, int other) const {
    const std::int64_t members = size(groups_[mine]);
    const std::int64_t begin = (largest_ - 1 + area * largest_) * ranks_;
    return scratch(begin + members * first_of_group_[other], members * size(groups_[other]));
  }
  Blocks outgoing(int mine, int other) const { return message(0, mine, other); }
  Blocks incoming(int mine, int other) const { return message(1, mine, other); }

  void give(int me, Round& round) const {
    round.steps.push_back(send(whole(Buffer::send), groups_[group_of_rank_[me]].front()));
  }

  void take(int me, Round& round) const {
    round.steps.push_back(receive(groups_[group_of_rank_[me]].front(), whole(Buffer::receive)));
  }

  void gather(int group, Round& round) const {
    for (std::size_t member = 1; member < groups_[group].size(); ++member) {
      round.steps.push_back(
          receive(groups_[group][member], buffer_of(static_cast<std::int64_t>(member))));
    }
  }

  /// The block of a member's buffer that is for, or from, `rank`.
  Blocks block(std::size_t member, Buffer leaders_own, int rank) const {
    if (member == 0) return {leaders_own, rank, 1};
    return scratch(buffer_of(static_cast<std::int64_t>(member)).first + rank, 1);
  }

  /// Messages are ordered by sender, then by target.
  void put_together(int mine, Round& round) const {
    for (int other = 0; other < static_cast<int>(groups_.size()); ++other) {
      std::int64_t place = outgoing(mine, other).first;
      for (std::size_t member = 0; member < groups_[mine].size(); ++member) {
        for (const int target : groups_[other]) {
          add_copy(block(member, Buffer::send, target), scratch(place++, 1), round);
        }
      }
    }
  }

  /// The leaders' own all-to-all, in which a block is a message of groups.
  void exchange(int mine, std::int64_t index, Round& round) const {
    Round leaders;
    exchange_.round(mine, index, leaders);
    for (const Step& step : leaders.steps) {
      if (step.action == Action::copy) {
        add_copy(outgoing(mine, mine), incoming(mine, mine), round);
      } else if (step.action == Action::send) {
        round.steps.push_back(send(outgoing(mine, step.peer), groups_[step.peer].front()));
      } else {
        round.steps.push_back(receive(groups_[step.peer].front(), incoming(mine, step.peer)));
      }
    }
  }

  void scatter(int mine, Round& round) const {
    for (int other = 0; other < static_cast<int>(groups_.size()); ++other) {
      std::int64_t place = incoming(mine, other).first;
      for (const int source : groups_[other]) {
        for (std::size_t member = 0; member < groups_[mine].size(); ++member) {
          add_copy(scratch(place++, 1), block(member, Buffer::receive, source), round);
        }
      }
    }
    for (std::size_t member = 1; member < groups_[mine].size(); ++member) {
      round.steps.push_back(
          send(buffer_of(static_cast<std::int64_t>(member)), groups_[mine][member]));
    }
  }

  std::int64_t ranks_;
  std::vector<int> group_of_rank_;
  std::vector<Group> groups_;                 // of all nodes
  std::vector<std::int64_t> first_of_group_;  // ranks in the groups before it
  std::int64_t next_first_ = 0;
  std::int64_t largest_ = 0;  // ranks in the largest group
  Schedule exchange_;
};

}  // namespace

Schedule build_leaders(const Algorithm& algorithm, const Call& call, const Parameters& parameters,
                       int leaders) {
  const auto rounds = std::make_shared<const Leaders>(call.topology, leaders);
  Schedule schedule = named(algorithm, call, parameters);
  schedule.rounds = rounds->rounds();
  schedule.window = parameters.at("window");
  schedule.scratch = rounds->scratch_blocks();
  schedule.function = [rounds](int me, std::int64_t i, Round& round) { (*rounds)(me, i, round); };
  return schedule;
}

Cost cost_leaders(const Topology& topology, int leaders) {
  const Leaders rounds(topology, leaders);
  return {.rounds = rounds.rounds(),
          .wire_blocks = wire_blocks_when_direct(topology),
          .scratch = rounds.scratch_blocks()};
}

}  // namespace suiro::alltoall
