// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms MPICH runs.
//
// Sources, read for this, in release 4.0.2; what they say of these collectives is the same in
// 5.0.1:
// - maint/tuning/coll/ch4/generic.json chooses compositions, which are in
//   src/mpid/ch4/src/ch4_coll_impl.h: over one rank per node and shared memory inside nodes, or
//   over all ranks. Some node must have several ranks for the former (src/mpi/comm/commutil.c).
// - maint/tuning/coll/mpir/generic.json chooses what a composition over all ranks runs: ch4:ucx
//   calls MPIR_..._impl when neither hcoll nor UCC is built in
//   (src/mpid/ch4/netmod/ucx/ucx_coll.h).
// - src/mpi/coll/*/*_intra_*.c for the algorithms: trees hang a place on the place without its
//   lowest bit, as ours; bcast scatters along that tree.
// - gather goes up that tree, too, and scatter down, one subtree after the other; gatherv and
//   scatterv post everything at once.
// - allgatherv's ring is cut in chunks of MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE.
// - scan and exscan by recursive doubling exchange sums in both directions.
// - `scattered` posts MPIR_CVAR_ALLTOALL_THROTTLE = 32 at a time, also for alltoallv and alltoallw.
#include "choose/native_decisions.hpp"

namespace suiro::mpich {
namespace {

constexpr std::int64_t bcast_short = 12288;
constexpr std::int64_t bcast_long = 524288;
constexpr std::int64_t reduce_short = 2048;
constexpr std::int64_t allreduce_short = 8;
// Of all ranks together.
constexpr std::int64_t allgather_short = 81920;
constexpr std::int64_t allgather_long = 524288;
constexpr std::int64_t reduce_scatter_long = 524288;
constexpr std::int64_t allgatherv_chunk = 32768;

Native through_leaders(const std::string& said) {
  return {.said = said + " over one rank per node, shared memory inside nodes"};
}

Native scattered(const NativeCall& call) {
  if (call.topology.ranks() <= 32) return same("scattered", "linear");
  return {.said = "scattered", .algorithm = "linear_capped", .parameters = {{"cap", 32}}};
}

Native alltoall(const NativeCall& call) {
  if (call.bytes > 32768) return same("pairwise", "pairwise");
  if (call.topology.ranks() >= 8 && call.bytes <= 256) return same("brucks", "bruck");
  return scattered(call);
}

Native bcast(const NativeCall& call) {
  const int ranks = call.topology.ranks();
  if (!is_one_per_node(call.topology)) {
    const bool full = ranks >= 8 && call.bytes >= bcast_short;
    if (!full || (is_power_of_two(ranks) && call.bytes < bcast_long)) {
      return through_leaders("bcast");
    }
  }
  if (ranks < 8 || call.bytes <= bcast_short) {
    return unsegmented("binomial", "binomial", call, Where::node_by_node);
  }
  if (is_power_of_two(ranks) && call.bytes <= bcast_long) {
    return same("scatter, allgather by recursive doubling", "scatter_allgather",
                Where::node_by_node);
  }
  return {.said = "scatter, allgather in a ring"};
}

Native reduce(const NativeCall& call) {
  if (!is_one_per_node(call.topology)) return through_leaders("reduce");
  const bool few = elements(call) < power_of_two_below(call.topology.ranks());
  if (call.bytes <= reduce_short || few) {
    return unsegmented("binomial", "binomial", call, Where::node_by_node);
  }
  return same("reduce_scatter_gather", "rabenseifner", Where::node_by_node);
}

Native allreduce(const NativeCall& call) {
  if (!is_one_per_node(call.topology)) return through_leaders("allreduce");
  const bool few = elements(call) < power_of_two_below(call.topology.ranks());
  if (call.bytes <= allreduce_short || few) {
    return same("recursive_doubling", "recursive_doubling", Where::node_by_node);
  }
  return same("reduce_scatter_allgather", "rabenseifner", Where::node_by_node);
}

Native barrier(const NativeCall& call) {
  if (!is_one_per_node(call.topology)) return through_leaders("barrier");
  return same("dissemination", "dissemination", Where::node_by_node);
}

Native allgather(const NativeCall& call) {
  const int ranks = call.topology.ranks();
  const std::int64_t total = ranks * call.bytes;
  if (is_power_of_two(ranks) && total < allgather_long) {
    return same("recursive_doubling", "recursive_doubling");
  }
  if (!is_power_of_two(ranks) && total < allgather_short) return same("brucks", "bruck");
  return unsegmented("ring", "ring", call, Where::node_by_node);
}

Native allgatherv(const NativeCall& call) {
  Native native = allgather(call);
  if (native.algorithm == "ring" && call.bytes > allgatherv_chunk) {
    return {.said = "a ring in chunks, those of one rank before those of the next"};
  }
  return native;
}

Native reduce_scatter(const NativeCall& call) {
  const bool vector = call.collective.bytes == Measure::vector;
  const std::int64_t each_has = vector ? call.bytes : call.topology.ranks() * call.bytes;
  return each_has < reduce_scatter_long ? halving(call) : same("pairwise", "pairwise");
}

Native exscan(const NativeCall& /*call*/) { return same("recursive_doubling", "butterfly"); }

Native scan(const NativeCall& call) {
  const bool nodes = is_node_by_node(call.topology, 0) && !is_one_per_node(call.topology);
  return nodes ? through_leaders("scan") : exscan(call);
}

Native gather(const NativeCall& /*call*/) { return same("binomial", "binomial"); }

/// In suiro's all subtrees get theirs at once, so the largest can hand on only later.
Native scatter(const NativeCall& /*call*/) {
  return {.said = "a binomial tree, the largest subtree first and the others after it"};
}

Native all_at_once(const NativeCall& /*call*/) { return same("linear", "linear"); }

struct Decision {
  std::string_view collective;
  Native (*decide)(const NativeCall&);
};

constexpr Decision decisions[] = {
    {"allgather", allgather},
    {"allgatherv", allgatherv},
    {"allreduce", allreduce},
    {"alltoall", alltoall},
    {"alltoallv", scattered},
    {"alltoallw", scattered},
    {"barrier", barrier},
    {"bcast", bcast},
    {"exscan", exscan},
    {"gather", gather},
    {"gatherv", all_at_once},
    {"reduce", reduce},
    {"reduce_scatter", reduce_scatter},
    {"reduce_scatter_block", reduce_scatter},
    {"scan", scan},
    {"scatter", scatter},
    {"scatterv", all_at_once},
};

}  // namespace
}  // namespace suiro::mpich

namespace suiro {

Native native_of_mpich(const NativeCall& call) {
  for (const mpich::Decision& row : mpich::decisions) {
    if (row.collective == call.collective.name) return row.decide(call);
  }
  return {};
}

}  // namespace suiro
