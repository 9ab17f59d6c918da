# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms Open MPI runs.

Sources, read for these tables, in release 4.1.4; the decision function and the algorithms are the
same in 5.0.10:
- ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, whose functions are named after the tables here;
  it passes no segment size and no fan-out, so nothing is segmented and a chain is one chain. The
  radix of knomial is 4 (coll_tuned_bcast_decision.c).
- ompi/mca/coll/base/coll_base_*.c for the algorithms, coll_base_topo.c for their trees.
- alltoall: `linear_sync` gets max_requests = 0, which posts everything at once: linear. Its
  `pairwise` sends to (rank + step) and receives from (rank - step): our ring. alltoallw is linear
  (ompi/mca/coll/basic/coll_basic_alltoallw.c).
- Trees: knomial and the binomial tree of reduce hang a place on the place without its lowest digit
  that is not 0, as ours. The binomial tree of bcast (build_bmtree) takes the highest one, and
  binary trees (build_tree) deal places out level by level: other ranks than ours are neighbours.
- coll/sm, coll/adapt and, in 4.1, coll/han have priority 0, below tuned's 30. In 5.0 coll/han has
  35, so it goes through one rank per node in bcast, reduce, allreduce and barrier.
"""

from collections.abc import Callable

from suiro.bench.native_algorithm import (
    Call,
    Native,
    is_power_of_two,
    last_not_above,
    power_of_two_below,
    unsegmented,
)

# Ranks from which a row holds: (bytes from which an algorithm holds, its number or name)...
Table = dict[int, tuple[tuple[int, str], ...]]

_ALLTOALL: Table = {
    0: ((0, "linear_sync"), (8192, "linear"), (16384, "linear_sync"), (65536, "linear"),
        (524288, "pairwise"), (1048576, "linear")),
    2: ((0, "pairwise"), (2, "two_proc"), (4, "pairwise"), (16, "two_proc"), (64, "pairwise"),
        (256, "two_proc"), (4096, "pairwise"), (32768, "linear_sync"), (262144, "two_proc"),
        (1048576, "pairwise")),
    3: ((0, "linear_sync"), (8192, "linear"), (16384, "linear_sync"), (65536, "linear"),
        (524288, "pairwise"), (1048576, "linear")),
    8: ((0, "linear_sync"), (262144, "linear")),
    16: ((0, "linear_sync"), (4, "bruck"), (512, "linear_sync"), (8192, "linear"),
        (32768, "linear_sync"), (262144, "linear"), (524288, "linear_sync")),
    32: ((0, "bruck"), (512, "linear"), (524288, "linear_sync")),
    64: ((0, "bruck"), (1024, "linear"), (2048, "linear_sync"), (4096, "linear"),
        (262144, "pairwise")),
    128: ((0, "bruck"), (1024, "linear_sync"), (2048, "linear"), (262144, "pairwise")),
    256: ((0, "bruck"), (1024, "linear_sync"), (8192, "linear"), (32768, "pairwise")),
    512: ((0, "bruck"), (512, "linear_sync"), (8192, "linear"), (16384, "linear_sync"),
        (131072, "linear"), (262144, "pairwise")),
    1024: ((0, "bruck"), (512, "linear_sync"), (1024, "linear"), (2048, "linear_sync"),
        (16384, "linear"), (262144, "linear_sync")),
    2048: ((0, "bruck"), (1024, "linear_sync"), (4096, "linear"), (8192, "linear_sync"),
        (131072, "linear")),
    4096: ((0, "bruck"), (2048, "linear_sync"), (8192, "linear"), (16384, "linear_sync"),
        (32768, "linear"), (65536, "linear_sync")),
}  # fmt: skip

# Ranks from which a row holds.
_ALLTOALLV = {0: "ring", 4: "linear", 64: "ring", 128: "linear", 256: "ring", 1024: "linear"}

_BCAST: Table = {
    0: ((0, "pipeline"), (32, "binary"), (256, "pipeline"), (512, "knomial"), (1024, "linear"),
        (32768, "binary"), (131072, "chain"), (262144, "linear"), (524288, "binomial"),
        (1048576, "binary")),
    4: ((0, "binary"), (64, "binomial"), (128, "binary"), (2048, "binomial"), (8192, "linear"),
        (1048576, "chain")),
    8: ((0, "knomial"), (8, "binary"), (64, "knomial"), (4096, "binary"), (16384, "binomial"),
        (32768, "linear")),
    16: ((0, "knomial"), (4096, "binomial"), (1048576, "scatter_allgather")),
    32: ((0, "binomial"), (2048, "knomial")),
    64: ((0, "knomial"),),
    128: ((0, "binomial"), (2, "binary"), (16384, "linear"), (32768, "binary"),
        (65536, "knomial")),
    256: ((0, "knomial"), (16384, "split_binary"), (32768, "knomial")),
    1024: ((0, "knomial"), (524288, "scatter_allgather")),
    2048: ((0, "knomial"), (262144, "scatter_allgather")),
    4096: ((0, "knomial"), (8192, "binary"), (16384, "knomial"), (262144, "scatter_allgather")),
}  # fmt: skip

_REDUCE: Table = {
    0: ((0, "rabenseifner"), (8, "binary"), (16, "pipeline"), (32, "linear"),
        (262144, "pipeline"), (524288, "chain"), (1048576, "pipeline")),
    4: ((0, "binary"), (4096, "chain"), (65536, "binomial"), (262144, "linear"),
        (524288, "binomial"), (1048576, "linear")),
    8: ((0, "binary"), (8192, "binomial")),
    16: ((0, "binary"), (4096, "binomial")),
    32: ((0, "binomial"),),
    256: ((0, "binomial"), (8192, "in_order_binary"), (16384, "binomial")),
    512: ((0, "binomial"),),
    2048: ((0, "binomial"), (512, "in_order_binary"), (1024, "binomial"),
        (8192, "in_order_binary"), (16384, "binomial")),
    4096: ((0, "binomial"), (16, "in_order_binary"), (32, "binomial"), (1024, "in_order_binary"),
        (2048, "binomial"), (8192, "in_order_binary"), (16384, "binomial")),
}  # fmt: skip

_ALLREDUCE: Table = {
    0: ((0, "ring"), (8, "recursive_doubling"), (4096, "ring"), (8192, "recursive_doubling"),
        (16384, "ring"), (65536, "segmented_ring"), (262144, "rabenseifner")),
    4: ((0, "ring"), (16, "recursive_doubling"), (8192, "rabenseifner")),
    8: ((0, "recursive_doubling"), (8192, "rabenseifner")),
    16: ((0, "segmented_ring"), (64, "recursive_doubling"), (4096, "rabenseifner")),
    32: ((0, "segmented_ring"), (128, "rabenseifner")),
    64: ((0, "recursive_doubling"), (262144, "rabenseifner")),
    128: ((0, "nonoverlapping"), (131072, "recursive_doubling"), (262144, "rabenseifner")),
    256: ((0, "nonoverlapping"), (4096, "rabenseifner")),
    512: ((0, "nonoverlapping"), (2048, "recursive_doubling"), (16384, "rabenseifner")),
    2048: ((0, "nonoverlapping"), (2048, "segmented_ring"), (4096, "recursive_doubling"),
        (16384, "rabenseifner")),
    4096: ((0, "nonoverlapping"), (2048, "segmented_ring"), (16384, "recursive_doubling"),
        (32768, "rabenseifner")),
}  # fmt: skip

# Ranks from which an algorithm holds.
_BARRIER = {
    0: "recursive_doubling", 4: "linear", 8: "recursive_doubling", 64: "bruck", 256: "tree",
    512: "bruck", 1024: "tree", 4096: "bruck",
}  # fmt: skip

_ALLTOALL_NAMES = {"linear_sync": "linear", "pairwise": "ring", "two_proc": "pairwise"}


def native(release: int, call: Call) -> Native | None:
    """None for a collective that is not known here."""
    decide = _DECISIONS.get(call.collective)
    if decide is None:
        return None
    if release >= 5 and not call.collective.startswith("alltoall"):
        return Native("coll/han, through one rank per node")
    return decide(call)


def _decided(table: Table, call: Call) -> str:
    return last_not_above(last_not_above(list(table.items()), call.ranks), call.bytes)


def _alltoall(call: Call) -> Native:
    name = _decided(_ALLTOALL, call)
    return Native(name, _ALLTOALL_NAMES.get(name, name))


def _alltoallv(call: Call) -> Native:
    name = last_not_above(list(_ALLTOALLV.items()), call.ranks)
    return Native(name, name)


def _bcast(call: Call) -> Native:
    name = _decided(_BCAST, call)
    if name == "linear" or (name == "scatter_allgather" and call.bytes < call.ranks):
        return Native("linear", "linear")
    if name in ("chain", "pipeline"):
        return unsegmented(name, "pipeline", call, "node by node")
    if name == "knomial":
        return unsegmented("knomial of radix 4", name, call, "node by node", radix=4)
    if name == "scatter_allgather":
        return Native(name, name, where="node by node")
    return _otherwise_placed(name, call)


def _otherwise_placed(name: str, call: Call) -> Native:
    """Trees of other neighbours, which make no difference where all are neighbours alike. Bcast's
    binomial tree has the shape of ours only if it is full."""
    said = f"{name} tree of other neighbours than suiro's"
    if name == "binomial" and not is_power_of_two(call.ranks):
        return Native(said)
    return unsegmented(said, name, call, "one rank per node")


def _reduce(call: Call) -> Native:
    name = _decided(_REDUCE, call)
    if name == "rabenseifner" and call.integers < power_of_two_below(call.ranks):
        name = "linear"
    if name == "linear":
        return Native(name, name)
    if name == "rabenseifner":
        return Native(name, name, where="node by node")
    if name in ("chain", "pipeline"):
        return unsegmented(name, "pipeline", call, "node by node")
    if name == "binomial":
        return unsegmented(name, name, call, "node by node")
    return _otherwise_placed(name, call)


def _allreduce(call: Call) -> Native:
    """Without a segment size, segmented_ring is ring; fewer elements than ranks go other ways."""
    name = _decided(_ALLREDUCE, call).replace("segmented_ring", "ring")
    if name == "ring" and call.integers < call.ranks:
        name = "recursive_doubling"
    if name == "rabenseifner" and call.integers < power_of_two_below(call.ranks):
        return Native("linear reduce and bcast")
    if name == "nonoverlapping":
        return Native("nonoverlapping: reduce, then bcast")
    return Native(name, name, where="node by node")


def _barrier(call: Call) -> Native:
    name = last_not_above(list(_BARRIER.items()), call.ranks)
    if name == "linear":
        return Native("linear barrier")
    return Native(name, "dissemination" if name == "bruck" else name, where="node by node")


_DECISIONS: dict[str, Callable[[Call], Native]] = {
    "allreduce": _allreduce,
    "alltoall": _alltoall,
    "alltoallv": _alltoallv,
    "alltoallw": lambda call: Native("linear", "linear"),
    "barrier": _barrier,
    "bcast": _bcast,
    "reduce": _reduce,
}
