// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes on their way: a stream for each two ranks, on which they go one after the
// other, and active streams share the network.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/fair_shares.hpp"
#include "model/network.hpp"
#include "topology/topology.hpp"

namespace suiro {

class Streams {
 public:
  Streams(const Topology& topology, const Network& network);

  /// From a rank to one on another node. Ranks are only told apart here.
  struct Way {
    int sender = 0;
    int receiver = 0;
    int source_node = 0;
    int target_node = 0;
  };
  /// A message from time `now` on; `number` is the caller's.
  void post(const Way& way, double bytes, int number, double now);

  /// When the next message ends, if nothing is posted before; infinity when none is on its way.
  double next_end_s();

  struct Ended {
    int number = 0;
    double begin_s = 0;   // when its first byte left
    double repeat_s = 0;  // until TCP repeats what a switch has lost of it
  };
  /// Time goes on to `now`. Those messages that end until a moment later, `together`, so that
  /// rounding does not make several steps of one.
  const std::vector<Ended>& advance(double now, double together);

  Ports ports() const { return ports_were_; }

 private:
  struct Message {
    int number = 0;
    double bytes = 0;
  };
  struct Stream {
    std::uint64_t key = 0;
    int pair = 0;
    int target_node = 0;
    std::vector<Message> queue = {};
    std::size_t served = 0;  // of the queue
    double begin_s = 0;      // when the first began
  };
  /// The active streams between two nodes, which all have the same rate: so the order in which they
  /// end is known, and time goes on for all of them at once.
  struct Pair {
    double served = 0;                   // bytes of a stream that was always active
    using End = std::pair<double, int>;  // the value of `served` at which a stream's message ends
    std::priority_queue<End, std::vector<End>, std::greater<>> ends = {};
  };
  /// What is on its way into a node.
  struct Port {
    double bytes = 0;
    bool flooded = false;
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  Stream& stream_of(const Way& way);
  void activate(Stream& stream, double now);
  Ended end(Stream& stream, double now);

  const Network network_;
  FairShares shares_;
  std::vector<Stream> streams_;
  std::vector<std::size_t> unused_;  // streams on which nothing is: there may be one for all ranks
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // of the others, by their ranks
  std::vector<Pair> pairs_;
  std::vector<int> busy_;  // pairs with active streams
  std::vector<Port> ports_;
  Ports ports_were_ = Ports::single;
  std::vector<int> ending_;
  std::vector<Ended> ended_;
  double now_ = 0;
};

}  // namespace suiro
