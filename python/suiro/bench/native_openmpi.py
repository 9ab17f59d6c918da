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
  35, so it goes through one rank per node in what coll_han_module.c gives it.
- allgather: `two_proc` is one exchange. Recursive doubling is Bruck's where ranks are no power of
  two, and neighbour exchange a ring where they are odd (coll_base_allgather.c).
- gather goes up a tree of other neighbours than bcast's, build_in_order_bmtree, which is ours, and
  scatter down the same, one subtree after the other (coll_base_scatter.c). `linear_nb` of scatter
  posts everything at once, since coll_tuned_scatter_blocking_send_ratio is 0.
- What tuned does not have is coll/basic's: gatherv, scatterv (coll_basic_gatherv.c and so on), scan
  and exscan (coll_base_scan.c, coll_base_exscan.c). The root of gatherv and of the basic linear
  gather takes one rank's block after the other, that of scatterv and of the basic linear scatter
  sends so. Only as long as messages are sent without being asked for (btl_tcp_eager_limit) do they
  all come, or go, at once.
"""

from collections.abc import Callable

from suiro.bench.native_algorithm import (
    Call,
    Native,
    halving,
    is_power_of_two,
    last_not_above,
    power_of_two_below,
    scatter_by_tree,
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

_ALLGATHER: Table = {
    0: ((0, "recursive_doubling"),),
    2: ((0, "two_proc"),),
    3: ((0, "recursive_doubling"),),
    32: ((0, "recursive_doubling"), (1024, "neighbor"), (65536, "ring")),
    64: ((0, "recursive_doubling"), (512, "neighbor"), (65536, "ring")),
    128: ((0, "recursive_doubling"), (512, "neighbor"), (131072, "ring"), (524288, "neighbor"),
        (1048576, "ring")),
    256: ((0, "recursive_doubling"), (32, "bruck"), (128, "recursive_doubling"),
        (1024, "neighbor"), (131072, "ring"), (524288, "neighbor"), (1048576, "ring")),
    512: ((0, "recursive_doubling"), (64, "bruck"), (256, "recursive_doubling"),
        (2048, "neighbor")),
    1024: ((0, "recursive_doubling"), (4, "bruck"), (8, "recursive_doubling"), (16, "bruck"),
        (32, "recursive_doubling"), (256, "bruck"), (512, "recursive_doubling"),
        (4096, "neighbor")),
    2048: ((0, "bruck"), (32, "recursive_doubling"), (128, "bruck"), (512, "recursive_doubling"),
        (4096, "neighbor")),
    4096: ((0, "recursive_doubling"), (2, "bruck"), (8, "recursive_doubling"), (16, "bruck"),
        (512, "recursive_doubling"), (4096, "neighbor")),
}  # fmt: skip

_ALLGATHERV: Table = {
    0: ((0, "default"), (256, "neighbor"), (4096, "ring"), (8192, "neighbor"), (16384, "bruck"),
        (262144, "neighbor")),
    2: ((0, "ring"), (2048, "two_proc"), (4096, "ring"), (8192, "two_proc")),
    3: ((0, "default"), (256, "neighbor"), (4096, "ring"), (8192, "neighbor"), (16384, "bruck"),
        (262144, "neighbor")),
    8: ((0, "default"), (1024, "bruck")),
    16: ((0, "default"), (128, "bruck"), (262144, "ring")),
    32: ((0, "default"), (256, "bruck"), (8192, "ring")),
    64: ((0, "default"), (256, "bruck"), (4096, "ring")),
    128: ((0, "bruck"), (1024, "neighbor"), (65536, "ring")),
    256: ((0, "bruck"), (1024, "ring")),
    512: ((0, "bruck"), (512, "default"), (1024, "bruck"), (4096, "neighbor"), (1048576, "ring")),
    1024: ((0, "bruck"), (4096, "neighbor")),
}  # fmt: skip

_REDUCE_SCATTER: Table = {
    0: ((0, "ring"), (65536, "butterfly"), (131072, "ring")),
    4: ((0, "non-overlapping"), (8, "recursive_halving"), (262144, "ring")),
    8: ((0, "recursive_halving"), (262144, "ring")),
    32: ((0, "non-overlapping"), (64, "recursive_halving"), (2048, "butterfly"),
        (524288, "ring")),
    64: ((0, "non-overlapping"), (256, "recursive_halving"), (512, "butterfly"),
        (2048, "recursive_halving"), (4096, "butterfly")),
    128: ((0, "non-overlapping"), (256, "recursive_halving"), (512, "butterfly")),
    256: ((0, "non-overlapping"), (256, "recursive_halving"), (1024, "butterfly")),
    512: ((0, "non-overlapping"), (512, "recursive_halving"), (2048, "butterfly"),
        (8192, "recursive_halving"), (16384, "butterfly")),
    1024: ((0, "non-overlapping"), (512, "recursive_halving"), (4096, "butterfly"),
        (16384, "recursive_halving"), (32768, "butterfly")),
    2048: ((0, "non-overlapping"), (512, "recursive_halving"), (4096, "butterfly")),
    4096: ((0, "non-overlapping"), (1024, "recursive_halving"), (8192, "butterfly")),
}  # fmt: skip

_REDUCE_SCATTER_BLOCK: Table = {
    0: ((0, "recursive_doubling"), (4, "butterfly"), (8, "recursive_halving"), (16, "butterfly"),
        (128, "recursive_halving"), (256, "butterfly"), (4096, "recursive_halving"),
        (8192, "butterfly"), (131072, "basic_linear")),
    4: ((0, "recursive_halving"), (8, "recursive_doubling"), (32, "butterfly"),
        (256, "recursive_halving"), (8192, "butterfly"), (16384, "recursive_halving"),
        (1048576, "basic_linear")),
    8: ((0, "basic_linear"), (4, "recursive_halving"), (32, "butterfly"),
        (128, "recursive_halving"), (524288, "basic_linear"), (4194304, "butterfly")),
    16: ((0, "basic_linear"), (32, "recursive_halving"), (524288, "basic_linear"),
        (2097152, "recursive_halving"), (4194304, "butterfly")),
    32: ((0, "recursive_halving"), (4, "basic_linear"), (16, "butterfly"),
        (65536, "basic_linear"), (262144, "butterfly")),
}  # fmt: skip

_GATHER: Table = {
    0: ((0, "linear_sync"), (2, "basic_linear"), (4, "binomial"), (32768, "basic_linear"),
        (65536, "binomial"), (131072, "linear_sync")),
    4: ((0, "binomial"), (1024, "basic_linear"), (8192, "binomial"), (32768, "basic_linear"),
        (262144, "linear_sync")),
    8: ((0, "binomial"),),
    256: ((0, "binomial"), (2048, "basic_linear"), (8192, "binomial")),
    512: ((0, "binomial"),),
}  # fmt: skip

_SCATTER: Table = {
    0: ((0, "linear_nb"), (2, "basic_linear"), (131072, "linear_nb"), (262144, "basic_linear")),
    4: ((0, "binomial"), (2048, "basic_linear"), (4096, "binomial"), (8192, "basic_linear"),
        (32768, "linear_nb"), (1048576, "basic_linear")),
    8: ((0, "binomial"), (16384, "linear_nb"), (1048576, "basic_linear")),
    16: ((0, "binomial"), (16384, "basic_linear"), (32768, "linear_nb")),
    32: ((0, "binomial"), (512, "linear_nb"), (8192, "binomial"), (16384, "linear_nb")),
    64: ((0, "binomial"), (512, "linear_nb")),
}  # fmt: skip

_EAGER_BYTES = 65536  # of btl_tcp_eager_limit

HAN = {"allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter"}

_ALLTOALL_NAMES = {"linear_sync": "linear", "pairwise": "ring", "two_proc": "pairwise"}


def native(release: int, call: Call) -> Native | None:
    """None for a collective that is not known here."""
    decide = _DECISIONS.get(call.collective)
    if decide is None:
        return None
    if release >= 5 and call.collective in HAN:
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


def _gathers(name: str, call: Call) -> Native:
    """What allgather and allgatherv have in common."""
    if name == "two_proc":
        return Native(name, "recursive_doubling")
    if name == "recursive_doubling" and not is_power_of_two(call.ranks):
        return Native("bruck", "bruck")
    if name == "neighbor" and call.ranks % 2 == 0:
        return Native(name, "neighbor_exchange")
    if name in ("ring", "neighbor"):
        return unsegmented("ring", "ring", call, "node by node")
    return Native(name, name)


def _allgather(call: Call) -> Native:
    return _gathers(_decided(_ALLGATHER, call), call)


def _allgatherv(call: Call) -> Native:
    name = _decided(_ALLGATHERV, call)
    return Native("gatherv, then bcast") if name == "default" else _gathers(name, call)


def _reduce_scatter(call: Call) -> Native:
    name = _decided(_REDUCE_SCATTER, call)
    if name == "ring":
        return unsegmented(name, name, call, "node by node")
    return halving(call) if name == "recursive_halving" else Native(name)


def _reduce_scatter_block(call: Call) -> Native:
    """Its recursive doubling exchanges whole vectors; basic_linear is reduce, then scatter."""
    name = _decided(_REDUCE_SCATTER_BLOCK, call)
    return halving(call) if name == "recursive_halving" else Native(name)


def _gather(call: Call) -> Native:
    name = _decided(_GATHER, call)
    if name == "basic_linear":
        return _one_after_the_other(call)
    return Native(name, "binomial" if name == "binomial" else None)


def _scatter(call: Call) -> Native:
    name = _decided(_SCATTER, call)
    if name == "basic_linear":
        return _one_after_the_other(call)
    return scatter_by_tree() if name == "binomial" else Native(name, "linear")


def _one_after_the_other(call: Call) -> Native:
    if call.bytes < _EAGER_BYTES:
        return Native("linear", "linear")
    return Native("linear, one rank after the other")


_DECISIONS: dict[str, Callable[[Call], Native]] = {
    "allgather": _allgather,
    "allgatherv": _allgatherv,
    "allreduce": _allreduce,
    "alltoall": _alltoall,
    "alltoallv": _alltoallv,
    "alltoallw": lambda call: Native("linear", "linear"),
    "barrier": _barrier,
    "bcast": _bcast,
    "exscan": lambda call: Native("linear, without a message to the next rank before"),
    "gather": _gather,
    "gatherv": _one_after_the_other,
    "reduce": _reduce,
    "reduce_scatter": _reduce_scatter,
    "reduce_scatter_block": _reduce_scatter_block,
    "scan": lambda call: unsegmented("linear", "linear", call, "anywhere"),
    "scatter": _scatter,
    "scatterv": _one_after_the_other,
}
