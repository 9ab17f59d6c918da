// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms Open MPI up to 4.0 runs.
//
// Sources, read for this: ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of releases 3.1.4, 4.0.1
// and 4.0.7, which decide alike. alltoall's small and intermediate messages are
// coll_tuned_alltoall_small_msg and ..._intermediate_msg (coll_tuned_component.c).
// reduce_scatter_block is coll/basic's in 3.1 and tuned's basic_linear in 4.0: both reduce, then
// scatter. All sizes are the MPI's own, of a message, a block or a sum of blocks.
#include <array>

#include "choose/native_decisions.hpp"
#include "choose/native_openmpi.hpp"

namespace suiro::openmpi {

namespace before_4_1 {
namespace {

Decided alltoall(const NativeCall& call) {
  constexpr std::int64_t small = 200;
  constexpr std::int64_t intermediate = 3000;
  const int ranks = call.topology.ranks();
  if (ranks == 2) return {"two_proc"};
  if (call.bytes < small && ranks > 12) return {"bruck"};
  return {call.bytes < intermediate ? "linear" : "pairwise"};
}

Decided alltoallv(const NativeCall& /*call*/) { return {"ring"}; }

Decided barrier(const NativeCall& call) {
  const int ranks = call.topology.ranks();
  return {ranks == 2 || is_power_of_two(ranks) ? "recursive_doubling" : "bruck"};
}

Decided bcast(const NativeCall& call) {
  constexpr std::int64_t small = 2048;
  constexpr std::int64_t intermediate = 370728;
  const auto bytes = static_cast<double>(call.bytes);
  const int ranks = call.topology.ranks();
  if (call.bytes < small) return {"binomial"};
  if (call.bytes < intermediate) return {"split_binary", 1 << 10};
  if (ranks < 1.6134e-6 * bytes + 2.1102) return {"pipeline", 128 << 10};
  if (ranks < 13) return {"split_binary", 8 << 10};
  if (ranks < 2.3679e-6 * bytes + 1.1787) return {"pipeline", 64 << 10};
  if (ranks < 3.2118e-6 * bytes + 8.7936) return {"pipeline", 16 << 10};
  return {"pipeline", 8 << 10};
}

/// Of operations that commute.
Decided reduce(const NativeCall& call) {
  constexpr double kib = 1024;
  const auto bytes = static_cast<double>(call.bytes);
  const int ranks = call.topology.ranks();
  if (ranks < 8 && call.bytes < 512) return {"linear"};
  if ((ranks < 8 && call.bytes < 20480) || call.bytes < 2048) return {"binomial"};
  if (ranks > 0.6016 / kib * bytes + 1.3496) return {"binomial", 1 << 10};
  if (ranks > 0.0410 / kib * bytes + 9.7128) return {"pipeline", 1 << 10};
  if (ranks > 0.0422 / kib * bytes + 1.1614) return {"binary", 32 << 10};
  return {"pipeline", ranks > 0.0033 / kib * bytes + 1.6761 ? 32 << 10 : 64 << 10};
}

/// A segmented ring cuts what is longer than a megabyte for each rank.
Decided allreduce(const NativeCall& call) {
  constexpr std::int64_t intermediate = 10000;
  if (call.bytes < intermediate) return {"recursive_doubling"};
  return {elements(call) > call.topology.ranks() ? "ring" : "nonoverlapping"};
}

Decided gathers(const NativeCall& call, const char* few) {
  constexpr std::int64_t little = 50000;  // of all ranks together
  const int ranks = call.topology.ranks();
  if (ranks == 2) return {"two_proc"};
  if (ranks * call.bytes < little) return {few};
  return {ranks % 2 == 0 ? "neighbor" : "ring"};
}

Decided allgather(const NativeCall& call) { return gathers(call, "recursive_doubling"); }

Decided allgatherv(const NativeCall& call) { return gathers(call, "bruck"); }

Decided reduce_scatter(const NativeCall& call) {
  constexpr std::int64_t small = 12 << 10;
  constexpr std::int64_t large = 256 << 10;
  const int ranks = call.topology.ranks();
  const bool few = call.bytes <= small || (call.bytes <= large && is_power_of_two(ranks)) ||
                   ranks >= 0.0012 * static_cast<double>(call.bytes) + 8;
  return {few ? "recursive_halving" : "ring"};
}

Decided reduce_scatter_block(const NativeCall& /*call*/) { return {"reduce, then scatter"}; }

Decided gather(const NativeCall& call) {
  constexpr std::int64_t small = 1024;
  constexpr std::int64_t intermediate = 6000;
  const int ranks = call.topology.ranks();
  if (call.bytes > intermediate) return {"linear_sync"};
  return {ranks > 60 || (ranks > 10 && call.bytes < small) ? "binomial" : "basic_linear"};
}

Decided scatter(const NativeCall& call) {
  constexpr std::int64_t small = 300;
  return {call.topology.ranks() > 10 && call.bytes < small ? "binomial" : "basic_linear"};
}

struct Decision {
  std::string_view collective;
  Decided (*decide)(const NativeCall&);
};

constexpr std::array decisions = {
    Decision{"allgather", allgather},
    Decision{"allgatherv", allgatherv},
    Decision{"allreduce", allreduce},
    Decision{"alltoall", alltoall},
    Decision{"alltoallv", alltoallv},
    Decision{"barrier", barrier},
    Decision{"bcast", bcast},
    Decision{"gather", gather},
    Decision{"reduce", reduce},
    Decision{"reduce_scatter", reduce_scatter},
    Decision{"reduce_scatter_block", reduce_scatter_block},
    Decision{"scatter", scatter},
};

}  // namespace
}  // namespace before_4_1

Decided decided_before_4_1(const NativeCall& call) {
  for (const before_4_1::Decision& row : before_4_1::decisions) {
    if (row.collective == call.collective.name) return row.decide(call);
  }
  return {};
}

}  // namespace suiro::openmpi
