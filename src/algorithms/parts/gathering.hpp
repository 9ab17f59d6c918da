// SPDX-License-Identifier: BSD-3-Clause
// A block of every rank to one rank or to all, and the same backwards: what gathers for all, run
// from its end to its begin with sums in the place of blocks, reduces and scatters.
#pragma once

#include "algorithms/parts/compose.hpp"
#include "algorithms/parts/ring.hpp"
#include "algorithms/parts/tree.hpp"

namespace suiro {

/// Blocks go up a tree to its root: place i of the tree is rank order[i]. A rank that has more than
/// its own to pass on collects them in the work buffer.
Schedule gather_up(const Tree& tree, const std::vector<int>& order);

/// And down: a rank gets the blocks of all below it.
Schedule scatter_down(const Tree& tree, const std::vector<int>& order);

/// All ranks, beginning with the root.
std::vector<int> ranks_from(const Call& call);

/// One rank per node under the root, and the others of its node under that; the order of places is
/// node_order(topology, root).
Tree node_tree(const Topology& topology, int root);

/// What goes round a ring of `size` places in turn: `items` of every place, `stride` of each at a
/// time. `held` says where in a receive buffer item number `item` of a place is; below 0: it has
/// not so many. Places begin with their own in their receive buffers.
class Circulation {
 public:
  using Held = std::function<std::int64_t(int place, std::int64_t item)>;
  Circulation(int size, std::int64_t items, Held held);

  std::int64_t stride() const { return stride_; }
  std::int64_t rounds() const;
  /// What `place` sends in round i, or nothing; it came `stride` rounds before.
  Range sent(int place, std::int64_t i) const;
  /// What arrives there in round i.
  Range arriving(int place, std::int64_t i) const { return sent((place + size_ - 1) % size_, i); }

  Schedule schedule() const;

 private:
  int size_;
  std::int64_t items_;
  std::int64_t stride_;
  Held held_;
};

/// What of all begins where: the numbers of a rank's blocks, each of some pieces.
using Owned = std::function<std::vector<int>(int rank)>;

/// Spreads blocks, in their places of the receive buffer, from where they begin to all ranks of the
/// nodes, which are 0, 1, 2 ... one node after the other. Ranks of a node tell each other; the
/// blocks of nodes go round a ring of nodes, cut in as many lanes as the smallest node has ranks,
/// each driven by one rank of every node, which hands on what comes to the others of its node.
Schedule spread(const Groups& nodes, const Owned& owned, std::int64_t pieces);

/// Pieces that a rank sends at most in a round of that.
std::int64_t most_in_spread(const Groups& nodes);

/// Own blocks from the send buffer to where they are in the receive buffer, of `pieces` each.
Schedule own_block(int ranks, std::int64_t pieces);

/// Reduces and scatters: `gathers` backwards. Where it hands a piece on, the sum of that piece
/// comes in, and where it gets one, the sum leaves. A rank sends at most `most` pieces in a round
/// of it.
///
/// Sums are made in the work buffer, and the rank's own goes to its receive buffer. Or they are of
/// parts of one vector, and stay in the work buffer, or in the receive buffer.
enum class Sums : std::uint8_t { own, in_work_buffer, in_receive_buffer };
Schedule reversed(Schedule gathers, std::int64_t most, Sums sums = Sums::own);

}  // namespace suiro
