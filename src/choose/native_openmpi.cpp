// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms Open MPI runs.
//
// Sources, read for this, in release 4.1.4; the decision function and the algorithms are the same
// in 5.0.10:
// - ompi/mca/coll/tuned/coll_tuned_decision_fixed.c passes no segment size and no fan-out, so
//   nothing is segmented and a chain is one chain. The radix of knomial is 4
//   (coll_tuned_bcast_decision.c).
// - ompi/mca/coll/base/coll_base_*.c for the algorithms, coll_base_topo.c for their trees.
// - alltoall: `linear_sync` gets max_requests = 0, which posts everything at once: linear. Its
//   `pairwise` sends to (rank + step) and receives from (rank - step): our ring. alltoallw is
//   linear (ompi/mca/coll/basic/coll_basic_alltoallw.c).
// - Trees: knomial and the binomial tree of reduce hang a place on the place without its lowest
//   digit that is not 0, as ours. The binomial tree of bcast (build_bmtree) takes the highest one,
//   and binary trees (build_tree) deal places out level by level: other ranks than ours are
//   neighbours.
// - coll/sm, coll/adapt and, in 4.1, coll/han have priority 0, below tuned's 30. In 5.0 coll/han
//   has 35, so it goes through one rank per node in what coll_han_module.c gives it.
// - allgather: `two_proc` is one exchange. Recursive doubling is Bruck's where ranks are no power
//   of two, and neighbour exchange a ring where they are odd (coll_base_allgather.c).
// - gather goes up a tree of other neighbours than bcast's, build_in_order_bmtree, which is ours,
//   and scatter down the same, one subtree after the other (coll_base_scatter.c). `linear_nb` of
//   scatter posts everything at once, since coll_tuned_scatter_blocking_send_ratio is 0.
// - What tuned does not have is coll/basic's: gatherv, scatterv (coll_basic_gatherv.c and so on),
//   scan and exscan (coll_base_scan.c, coll_base_exscan.c). The root of gatherv and of the basic
//   linear gather takes one rank's block after the other, that of scatterv and of the basic linear
//   scatter sends so. Only as long as messages are sent without being asked for
//   (btl_tcp_eager_limit) do they all come, or go, at once.
#include <algorithm>

#include "choose/native_decisions.hpp"
#include "choose/native_openmpi_rows.hpp"

namespace suiro::openmpi {
namespace {

constexpr std::int64_t eager_bytes = 65536;  // of btl_tcp_eager_limit

std::string decided(std::span<const Row> rows, const NativeCall& call) {
  const Row* last = &rows.front();
  for (const Row& row : rows) {
    if (row.ranks <= call.topology.ranks() && row.bytes <= call.bytes) last = &row;
  }
  return std::string(last->algorithm);
}

bool segments_none(const NativeCall& call) { return elements(call) < call.topology.ranks(); }

Native alltoall(const NativeCall& call) {
  const std::string name = decided(alltoall_rows, call);
  if (name == "linear_sync") return same(name, "linear");
  if (name == "pairwise") return same(name, "ring");
  return same(name, name == "two_proc" ? "pairwise" : name == "bruck" ? "bruck" : "linear");
}

Native alltoallv(const NativeCall& call) {
  const std::string name = decided(alltoallv_rows, call);
  return same(name, name == "ring" ? "ring" : "linear_by_rank");
}

Native alltoallw(const NativeCall& /*call*/) { return same("linear", "linear_by_rank"); }

/// Trees of other neighbours. What a split binary tree does with its halves was not laid out.
Native otherwise_placed(std::string_view name, const NativeCall& call) {
  std::string said = std::string(name) + " tree of other neighbours than suiro's";
  Native native = unsegmented(std::move(said), name, call, Where::one_rank_per_node);
  if (name == "binomial" && !is_power_of_two(call.topology.ranks())) native.algorithm = {};
  if (name == "binomial") native.tree = RankTree::highest_bit;
  if (name == "binary") native.tree = RankTree::by_levels;
  return native;
}

std::string_view catalog_name(std::string_view name, std::initializer_list<std::string_view> all) {
  const auto* const found = std::ranges::find(all, name);
  return found == all.end() ? std::string_view{} : *found;
}

Native bcast(const NativeCall& call) {
  const std::string name = decided(bcast_rows, call);
  if (name == "linear" || (name == "scatter_allgather" && call.bytes < call.topology.ranks())) {
    return same("linear", "linear");
  }
  if (name == "chain" || name == "pipeline") {
    return unsegmented(name, "pipeline", call, Where::node_by_node);
  }
  if (name == "knomial") {
    Native native = unsegmented("knomial of radix 4", "knomial", call, Where::node_by_node);
    native.parameters["radix"] = 4;
    return native;
  }
  if (name == "scatter_allgather") return same(name, "scatter_allgather", Where::node_by_node);
  return otherwise_placed(catalog_name(name, {"binary", "binomial", "split_binary"}), call);
}

Native reduce(const NativeCall& call) {
  std::string name = decided(reduce_rows, call);
  if (name == "rabenseifner" && elements(call) < power_of_two_below(call.topology.ranks())) {
    name = "linear";
  }
  if (name == "linear") return same(name, "linear");
  if (name == "rabenseifner") return same(name, "rabenseifner", Where::node_by_node);
  if (name == "chain" || name == "pipeline") {
    return unsegmented(name, "pipeline", call, Where::node_by_node);
  }
  if (name == "binomial") return unsegmented(name, "binomial", call, Where::node_by_node);
  return otherwise_placed(catalog_name(name, {"binary", "in_order_binary"}), call);
}

/// Without a segment size, segmented_ring is ring; fewer elements than ranks go other ways.
Native allreduce(const NativeCall& call) {
  std::string name = decided(allreduce_rows, call);
  if (name == "segmented_ring") name = "ring";
  if (name == "ring" && segments_none(call)) name = "recursive_doubling";
  if (name == "rabenseifner" && elements(call) < power_of_two_below(call.topology.ranks())) {
    return {.said = "linear reduce and bcast"};
  }
  if (name == "nonoverlapping") {
    return {.said = "nonoverlapping: reduce, then bcast"};
  }
  const auto known = catalog_name(name, {"rabenseifner", "recursive_doubling", "ring"});
  return same(name, known, Where::node_by_node);
}

Native barrier(const NativeCall& call) {
  const std::string name = decided(barrier_rows, call);
  if (name == "linear") return {.said = "linear barrier"};
  if (name == "bruck") return same(name, "dissemination", Where::node_by_node);
  return same(name, catalog_name(name, {"recursive_doubling", "tree"}), Where::node_by_node);
}

/// What allgather and allgatherv have in common.
Native gathers(const std::string& name, const NativeCall& call) {
  const int ranks = call.topology.ranks();
  if (name == "two_proc") return same(name, "recursive_doubling");
  if (name == "recursive_doubling" && !is_power_of_two(ranks)) return same("bruck", "bruck");
  if (name == "neighbor" && ranks % 2 == 0) return same(name, "neighbor_exchange");
  if (name == "ring" || name == "neighbor") {
    return unsegmented("ring", "ring", call, Where::node_by_node);
  }
  return same(name, catalog_name(name, {"bruck", "recursive_doubling"}));
}

Native allgather(const NativeCall& call) { return gathers(decided(allgather_rows, call), call); }

Native allgatherv(const NativeCall& call) {
  const std::string name = decided(allgatherv_rows, call);
  return name == "default" ? Native{.said = "gatherv, then bcast"} : gathers(name, call);
}

Native reduce_scatter(const NativeCall& call) {
  const std::string name = decided(reduce_scatter_rows, call);
  if (name == "ring") return unsegmented(name, "ring", call, Where::node_by_node);
  if (name == "recursive_halving") return halving(call);
  return {.said = name};
}

/// Its recursive doubling exchanges whole vectors; basic_linear is reduce, then scatter.
Native reduce_scatter_block(const NativeCall& call) {
  const std::string name = decided(reduce_scatter_block_rows, call);
  if (name == "recursive_halving") return halving(call);
  return {.said = name};
}

Native one_after_the_other(const NativeCall& call) {
  if (call.bytes < eager_bytes) return same("linear", "linear");
  return {.said = "linear, one rank after the other"};
}

Native gather(const NativeCall& call) {
  const std::string name = decided(gather_rows, call);
  if (name == "basic_linear") return one_after_the_other(call);
  if (name == "binomial") return same(name, "binomial");
  return {.said = name};
}

/// In suiro's all subtrees get theirs at once, so the largest can hand on only later.
Native scatter(const NativeCall& call) {
  const std::string name = decided(scatter_rows, call);
  if (name == "basic_linear") return one_after_the_other(call);
  if (name == "linear_nb") return same(name, "linear");
  return {.said = "a binomial tree, the largest subtree first and the others after it"};
}

Native scan(const NativeCall& call) {
  return unsegmented("linear", "linear", call, Where::anywhere);
}

Native exscan(const NativeCall& call) {
  return unsegmented("linear", "linear", call, Where::anywhere);
}

struct Decision {
  std::string_view collective;
  Native (*decide)(const NativeCall&);
  bool han = false;  // has it in release 5
};

constexpr Decision decisions[] = {
    {"allgather", allgather, true},
    {"allgatherv", allgatherv},
    {"allreduce", allreduce, true},
    {"alltoall", alltoall},
    {"alltoallv", alltoallv},
    {"alltoallw", alltoallw},
    {"barrier", barrier, true},
    {"bcast", bcast, true},
    {"exscan", exscan},
    {"gather", gather, true},
    {"gatherv", one_after_the_other},
    {"reduce", reduce, true},
    {"reduce_scatter", reduce_scatter},
    {"reduce_scatter_block", reduce_scatter_block},
    {"scan", scan},
    {"scatter", scatter, true},
    {"scatterv", one_after_the_other},
};

}  // namespace
}  // namespace suiro::openmpi

namespace suiro {

Native native_of_openmpi(int release, const NativeCall& call) {
  for (const openmpi::Decision& row : openmpi::decisions) {
    if (row.collective != call.collective.name) continue;
    if (release >= 5 && row.han) return {.said = "coll/han, through one rank per node"};
    return row.decide(call);
  }
  return {};
}

}  // namespace suiro
