// SPDX-License-Identifier: BSD-3-Clause
// Trees, and the two pipelines that every tree gives: pieces from the root down, and
// reduced pieces up to it.
#pragma once

#include <vector>

#include "algorithms/catalog.hpp"

namespace suiro {

/// Places 0 .. size - 1, one of which is the root.
struct Tree {
  std::vector<int> parent;                 // -1 at the root
  std::vector<std::vector<int>> children;  // in the order in which they are sent to
  int depth = 0;                           // messages from the root to the last leaf

  int size() const { return static_cast<int>(parent.size()); }
};

/// Every place but the root has its parent; depths follow.
Tree tree_of(std::vector<int> parent);

/// These have their root at place 0.
Tree linear_tree(int size);
/// `chains` chains that begin at the root, as equally long as can be; 1 is a pipeline.
Tree chain_tree(int size, int chains);
/// Place i has the children k i + 1 .. k i + k.
Tree complete_tree(int size, int k);
inline Tree binary_tree(int size) { return complete_tree(size, 2); }
/// Place i hangs on i without its lowest digit that is not 0, in base `radix`: k-nomial, binomial
/// for 2. Its subtree are the places from i on. The largest subtree comes first.
Tree knomial_tree(int size, int radix);

/// Trees whose subtrees hold consecutive places, a place among them after those of its first child
/// and before those of its second: results keep the order of places. A place that has but one
/// child, and is not the root, has it behind itself.
Tree in_order_chain_tree(int size, int root);
Tree in_order_binary_tree(int size, int root);

/// Schedules over the places of a tree. Pieces down: in round i a place receives piece i from its
/// parent and hands on piece i - 1. The root sends from its send buffer.
Schedule send_down(const Tree& tree, std::int64_t pieces);

enum class Operands : std::uint8_t {
  any,      // of an operation that commutes
  in_order  // of places; for in-order trees and those whose subtrees are the places from one on
};

/// Pieces up: in round i a place receives piece i of every child; then it reduces them with its own
/// and sends the result to its parent. The root has it in its receive buffer. A place of c > 0
/// children needs scratch for up to 13 + 6 (c - 1) pieces, the root for 6 c.
Schedule reduce_up(const Tree& tree, std::int64_t pieces, Operands operands);

/// The same for a call: in segments that suit the tree's depth, over ranks in node order from the
/// root.
Schedule send_down(const Tree& tree, const Call& call, const Parameters& parameters);
Schedule reduce_up(const Tree& tree, const Call& call, const Parameters& parameters);

}  // namespace suiro
