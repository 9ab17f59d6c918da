// SPDX-License-Identifier: BSD-3-Clause
#include "choose/native.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "algorithms/parts/tree.hpp"
#include "choose/native_decisions.hpp"

namespace suiro {

bool is_one_per_node(const Topology& topology) { return topology.nodes() == topology.ranks(); }

bool is_node_by_node(const Topology& topology, int root) {
  int changes = 0;
  for (int i = 1; i < topology.ranks(); ++i) {
    const int rank = (root + i) % topology.ranks();
    const int before = (root + i - 1) % topology.ranks();
    changes += topology.node(rank) != topology.node(before) ? 1 : 0;
  }
  return changes + 1 == topology.nodes();
}

Native unsegmented(std::string said, std::string_view algorithm, const NativeCall& call,
                   Where where) {
  return {.said = std::move(said),
          .algorithm = algorithm,
          .parameters = {{"segment", std::max<std::int64_t>(call.bytes, 1)}},
          .where = where};
}

Native halving(const NativeCall& call) {
  if (is_power_of_two(call.topology.ranks())) {
    return {.said = "recursive_halving", .algorithm = "recursive_halving"};
  }
  return {.said = "recursive halving by the second of each pair of ranks, and not the first"};
}

namespace {

int parent_of(RankTree tree, int place) {
  if (place == 0) return -1;
  const auto bits = static_cast<unsigned>(place);
  if (tree == RankTree::highest_bit) return static_cast<int>(bits - std::bit_floor(bits));
  const unsigned level = std::bit_floor(bits + 1);  // places of its level, and all above and one
  return static_cast<int>(level / 2 - 1 + (bits + 1 - level) % (level / 2));
}

}  // namespace

Schedule over_ranks(RankTree tree, int ranks, const Collective& collective) {
  std::vector<int> parents(static_cast<std::size_t>(ranks));
  for (int place = 0; place < ranks; ++place) parents[place] = parent_of(tree, place);
  const Tree laid = tree_of(std::move(parents));
  return collective.reduces ? reduce_up(laid, 1, Operands::any) : send_down(laid, 1);
}

std::optional<Native> native_of(const Library& library, const NativeCall& call) {
  if (library.mpi == "openmpi") return native_of_openmpi(library.release, call);
  if (library.mpi == "mpich") return native_of_mpich(library.release, call);
  return std::nullopt;
}

bool moves_the_same(const Native& native, const NativeCall& call) {
  if (native.algorithm.empty()) return false;
  if (native.where == Where::anywhere || is_one_per_node(call.topology)) return true;
  return native.where == Where::node_by_node && is_node_by_node(call.topology, call.root);
}

}  // namespace suiro
