// SPDX-License-Identifier: BSD-3-Clause
// Trees over ranks, and the two pipelines that every tree gives: pieces from the root down, and
// reduced pieces up to it.
#pragma once

#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace suiro {

/// Places 0 .. size - 1 in an order of ranks; place 0 is the root.
struct Tree {
  std::vector<int> parent;                 // -1 at the root
  std::vector<std::vector<int>> children;  // in the order in which they are sent to
  int depth = 0;                           // messages from the root to the last leaf

  int size() const { return static_cast<int>(parent.size()); }
};

/// Every place but the root has its parent; depths follow.
Tree tree_of(std::vector<int> parent);

Tree linear_tree(int size);
/// `chains` chains that begin at the root, as equally long as can be; 1 is a pipeline.
Tree chain_tree(int size, int chains);
/// Place i has the children radix i + 1 .. radix i + radix.
Tree binary_tree(int size);
/// Place i hangs on i without its lowest digit that is not 0, in base `radix`: k-nomial, binomial
/// for 2. The largest subtree comes first.
Tree knomial_tree(int size, int radix);

/// Pieces down a tree: in round i a rank receives piece i from its parent and hands on piece i - 1.
/// `order[place]` is the rank at a place; order[0] is the root, which sends from its send buffer.
/// Sets rounds, pace and function of `schedule`, whose pieces are set.
void send_down(Schedule& schedule, const Tree& tree, const std::vector<int>& order);

/// Pieces up a tree: in round i a rank receives piece i of every child; then it reduces them with
/// its own and sends the result to its parent. The root has it in its receive buffer. Operands come
/// in no certain order. Sets rounds, pace, scratch and function.
void reduce_up(Schedule& schedule, const Tree& tree, const std::vector<int>& order);

}  // namespace suiro
