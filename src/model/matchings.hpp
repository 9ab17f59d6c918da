// SPDX-License-Identifier: BSD-3-Clause
// Receives that wait for messages, and messages that came before they were wanted. Those of one
// rank from another meet in order.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace suiro {

class Matchings {
 public:
  /// The message that has come for this receive; nothing if it waits now.
  std::optional<int> receive(int sender, int receiver, std::int64_t token) {
    return meet(key(sender, receiver), &Pair::arrived, &Pair::posted, token);
  }

  /// The receive that waits for this message; nothing if it waits now.
  std::optional<std::int64_t> arrive(int sender, int receiver, int message) {
    return meet(key(sender, receiver), &Pair::posted, &Pair::arrived, message);
  }

 private:
  struct Pair {
    std::vector<std::int64_t> posted;
    std::vector<int> arrived;
  };
  using Waiting = std::unordered_map<std::uint64_t, Pair>;

  static std::uint64_t key(int sender, int receiver) {
    return (static_cast<std::uint64_t>(sender) << 32) | static_cast<std::uint32_t>(receiver);
  }

  /// Takes the first of those that wait for what has come, or lets it wait. There may be a pair for
  /// every two ranks, so what is empty goes.
  template <typename Wanted, typename Come>
  std::optional<Wanted> meet(std::uint64_t pair, std::vector<Wanted> Pair::*wanted,
                             std::vector<Come> Pair::*come, Come what) {
    auto found = waiting_.find(pair);
    if (found == waiting_.end()) found = place_for(pair);
    std::vector<Wanted>& queue = found->second.*wanted;
    if (queue.empty()) {
      (found->second.*come).push_back(what);
      return std::nullopt;
    }
    const Wanted first = queue.front();
    queue.erase(queue.begin());
    if (queue.empty()) unused_.push_back(waiting_.extract(found));
    return first;
  }

  /// Memory of what has gone, if there is any.
  Waiting::iterator place_for(std::uint64_t pair) {
    if (unused_.empty()) return waiting_.try_emplace(pair).first;
    Waiting::node_type place = std::move(unused_.back());
    unused_.pop_back();
    place.key() = pair;
    return waiting_.insert(std::move(place)).position;
  }

  Waiting waiting_;
  std::vector<Waiting::node_type> unused_;
};

}  // namespace suiro
