# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm an MPI library uses for an all-to-all, so that suiro's executor can run it too.

A gain over native alone might be a gain of waiting or copying. A gain over native *and* over
native's own algorithm run by the same executor is the algorithm's.

Sources, read for these tables:
- Open MPI 4.1.4, ompi_coll_tuned_alltoall_intra_dec_fixed in
  ompi/mca/coll/tuned/coll_tuned_decision_fixed.c; the algorithms are in
  ompi/mca/coll/base/coll_base_alltoall.c. `linear_sync` gets max_requests = 0 from there, which
  posts everything at once: linear. Its `pairwise` sends to (rank + step) and receives from
  (rank - step): our ring.
- MPICH 4.0.2, maint/tuning/coll/mpir/generic.json, which ch4:ucx uses as it is
  (src/mpid/ch4/netmod/ucx/ucx_coll.h calls MPIR_Alltoall_impl when hcoll is not built in);
  `scattered` posts MPIR_CVAR_ALLTOALL_THROTTLE = 32 at a time, also for alltoallv and alltoallw.
- Open MPI 4.1.4, ompi_coll_tuned_alltoallv_intra_dec_fixed in the same file; alltoallw is linear
  (ompi/mca/coll/basic/coll_basic_alltoallw.c).
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar

_Value = TypeVar("_Value")

_OPENMPI_NAMES = {
    "linear": "linear",
    "linear_sync": "linear",
    "pairwise": "ring",
    "two_proc": "pairwise",
    "bruck": "bruck",
}

# Ranks from which a row holds: (bytes per block from which an algorithm holds, algorithm)...
_OPENMPI = {
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
_OPENMPI_V = {0: "ring", 4: "linear", 64: "ring", 128: "linear", 256: "ring", 1024: "linear"}


def control_algorithm(mpi: str, collective: str, ranks: int, block_bytes: int) -> str | None:
    """Native's algorithm by its catalog name; None where it is not known."""
    if collective != "alltoall":
        return _unequal(mpi, collective, ranks)
    if mpi == "openmpi":
        row = _last_not_above(list(_OPENMPI.items()), ranks)
        return _OPENMPI_NAMES[_last_not_above(row, block_bytes)]
    if mpi == "mpich":
        return _mpich(ranks, block_bytes)
    return None


def _unequal(mpi: str, collective: str, ranks: int) -> str | None:
    if mpi == "openmpi":
        rows = list(_OPENMPI_V.items())
        return "linear" if collective == "alltoallw" else _last_not_above(rows, ranks)
    if mpi == "mpich":
        return _scattered(ranks)
    return None


def _last_not_above(rows: Sequence[tuple[int, _Value]], key: int) -> _Value:
    return rows[bisect_right([start for start, _ in rows], key) - 1][1]


def _mpich(ranks: int, block_bytes: int) -> str:
    if block_bytes > 32768:
        return "pairwise"
    if ranks >= 8 and block_bytes <= 256:
        return "bruck"
    return _scattered(ranks)


def _scattered(ranks: int) -> str:
    return "linear" if ranks <= 32 else "linear_capped:cap=32"
