# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms MPICH runs.

Sources, read for these tables, in release 4.0.2; what they say of these collectives is the same in
5.0.1:
- maint/tuning/coll/ch4/generic.json chooses compositions, which are in
  src/mpid/ch4/src/ch4_coll_impl.h: over one rank per node and shared memory inside nodes, or over
  all ranks. Some node must have several ranks for the former (src/mpi/comm/commutil.c).
- maint/tuning/coll/mpir/generic.json chooses what a composition over all ranks runs: ch4:ucx calls
  MPIR_..._impl when neither hcoll nor UCC is built in (src/mpid/ch4/netmod/ucx/ucx_coll.h).
- src/mpi/coll/*/*_intra_*.c for the algorithms: trees hang a place on the place without its lowest
  bit, as ours; bcast scatters along that tree.
- gather goes up that tree, too, and scatter down, one subtree after the other; gatherv and scatterv
  post everything at once.
- allgatherv's ring is cut in chunks of MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE.
- scan and exscan by recursive doubling exchange sums in both directions.
- `scattered` posts MPIR_CVAR_ALLTOALL_THROTTLE = 32 at a time, also for alltoallv and alltoallw.
"""

from collections.abc import Callable

from suiro.bench.native_algorithm import (
    Call,
    Native,
    halving,
    is_power_of_two,
    power_of_two_below,
    scatter_by_tree,
    unsegmented,
)

_BCAST_SHORT = 12288
_BCAST_LONG = 524288
_REDUCE_SHORT = 2048
_ALLREDUCE_SHORT = 8
# Of all ranks together.
_ALLGATHER_SHORT = 81920
_ALLGATHER_LONG = 524288
_REDUCE_SCATTER_LONG = 524288
_ALLGATHERV_CHUNK = 32768


def native(release: int, call: Call) -> Native | None:
    """None for a collective that is not known here. Releases 4 and 5 decide alike."""
    decide = _DECISIONS.get(call.collective)
    return decide(call) if decide is not None else None


def _alltoall(call: Call) -> Native:
    if call.bytes > 32768:
        return Native("pairwise", "pairwise")
    if call.ranks >= 8 and call.bytes <= 256:
        return Native("brucks", "bruck")
    return _scattered(call)


def _scattered(call: Call) -> Native:
    if call.ranks <= 32:
        return Native("scattered", "linear")
    return Native("scattered", "linear_capped", {"cap": 32})


def _through_leaders(said: str) -> Native:
    return Native(f"{said} over one rank per node, shared memory inside nodes")


def _bcast(call: Call) -> Native:
    if not call.one_per_node:
        full = call.ranks >= 8 and call.bytes >= _BCAST_SHORT
        if not full or (is_power_of_two(call.ranks) and call.bytes < _BCAST_LONG):
            return _through_leaders("bcast")
    if call.ranks < 8 or call.bytes <= _BCAST_SHORT:
        return unsegmented("binomial", "binomial", call, "node by node")
    if is_power_of_two(call.ranks) and call.bytes <= _BCAST_LONG:
        return Native("scatter, allgather by recursive doubling", "scatter_allgather",
                      where="node by node")  # fmt: skip
    return Native("scatter, allgather in a ring")


def _reduce(call: Call) -> Native:
    if not call.one_per_node:
        return _through_leaders("reduce")
    if call.bytes <= _REDUCE_SHORT or call.integers < power_of_two_below(call.ranks):
        return unsegmented("binomial", "binomial", call, "node by node")
    return Native("reduce_scatter_gather", "rabenseifner", where="node by node")


def _allreduce(call: Call) -> Native:
    if not call.one_per_node:
        return _through_leaders("allreduce")
    if call.bytes <= _ALLREDUCE_SHORT or call.integers < power_of_two_below(call.ranks):
        return Native("recursive_doubling", "recursive_doubling", where="node by node")
    return Native("reduce_scatter_allgather", "rabenseifner", where="node by node")


def _barrier(call: Call) -> Native:
    if not call.one_per_node:
        return _through_leaders("barrier")
    return Native("dissemination", "dissemination", where="node by node")


def _allgather(call: Call) -> Native:
    total = call.ranks * call.bytes
    if is_power_of_two(call.ranks) and total < _ALLGATHER_LONG:
        return Native("recursive_doubling", "recursive_doubling")
    if not is_power_of_two(call.ranks) and total < _ALLGATHER_SHORT:
        return Native("brucks", "bruck")
    return unsegmented("ring", "ring", call, "node by node")


def _allgatherv(call: Call) -> Native:
    native = _allgather(call)
    if native.algorithm == "ring" and call.bytes > _ALLGATHERV_CHUNK:
        return Native("a ring in chunks, those of one rank before those of the next")
    return native


def _reduce_scatter(call: Call) -> Native:
    each_has = call.bytes if call.collective == "reduce_scatter" else call.ranks * call.bytes
    return halving(call) if each_has < _REDUCE_SCATTER_LONG else Native("pairwise", "pairwise")


def _scan(call: Call) -> Native:
    if call.node_by_node and not call.one_per_node:
        return _through_leaders("scan")
    return _exscan(call)


def _exscan(call: Call) -> Native:
    return Native("recursive doubling in both directions")


_DECISIONS: dict[str, Callable[[Call], Native]] = {
    "allgather": _allgather,
    "allgatherv": _allgatherv,
    "allreduce": _allreduce,
    "alltoall": _alltoall,
    "alltoallv": _scattered,
    "alltoallw": _scattered,
    "barrier": _barrier,
    "bcast": _bcast,
    "exscan": _exscan,
    "gather": lambda call: Native("binomial", "binomial"),
    "gatherv": lambda call: Native("linear", "linear"),
    "reduce": _reduce,
    "reduce_scatter": _reduce_scatter,
    "reduce_scatter_block": _reduce_scatter,
    "scan": _scan,
    "scatter": lambda call: scatter_by_tree(),
    "scatterv": lambda call: Native("linear", "linear"),
}
