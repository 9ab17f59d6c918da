// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm an MPI library runs for a call, as data, in the catalog's words: what the model
// estimates for native, and what a measurement runs beside it (docs/measuring.md, rule 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/collectives.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace suiro {

/// Whose decisions: "openmpi" or "mpich", and the first two numbers of its version. The second one
/// counts only for Open MPI 4.
struct Library {
  std::string_view mpi;
  int release = 0;
  int minor = 1;
};

/// What an MPI decides by; `bytes` as the table of collectives counts them.
struct NativeCall {
  const Collective& collective;
  const Topology& topology;
  int root = 0;
  std::int64_t bytes = 0;
};

/// On which placements suiro's algorithm of the same name moves the same between nodes: any; those
/// where going from rank to rank, from the root on, is going from node to node; those with one rank
/// per node.
enum class Where : std::uint8_t { anywhere, node_by_node, one_rank_per_node };

/// A tree of ranks in the order of their numbers, from the root on, wherever these are. The parent
/// is the rank without its highest bit, or children are dealt out level by level, two to each.
enum class RankTree : std::uint8_t { none, highest_bit, by_levels };

/// What goes down it, or up, in one piece: from or to rank 0.
Schedule over_ranks(RankTree tree, int ranks, const Collective& collective);

struct Native {
  std::string said;                 // in the MPI's own words
  std::string_view algorithm = {};  // of the catalog, that does the same; empty: it has none
  Parameters parameters = {};
  Where where = Where::anywhere;
  RankTree tree = RankTree::none;  // that it is, and no algorithm of the catalog
};

/// Nothing where it was never read what this MPI runs. Reductions are taken for ones of elements of
/// four bytes.
std::optional<Native> native_of(const Library& library, const NativeCall& call);

/// Whether what `native` names moves the same between the nodes of this call.
bool moves_the_same(const Native& native, const NativeCall& call);

}  // namespace suiro
