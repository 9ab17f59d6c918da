# SPDX-License-Identifier: BSD-3-Clause
"""Spot checks of what MPIs run against the sources that it was read from."""

import pytest

from suiro.bench.control import find_control
from suiro.bench.native_algorithm import Call, Native, native_of

OPENMPI, MPICH = "Open MPI v4.1.4, package: Debian OpenMPI", "MPICH Version:     4.0.2"
OPENMPI_5 = "Open MPI v5.0.11"


def call(collective: str, ranks: int, size: int, ppn: int = 1, root: int = 0) -> Call:
    return Call(collective, tuple(rank // ppn for rank in range(ranks)), root, size)


@pytest.mark.parametrize(
    ("version", "ranks", "block_bytes", "expected"),
    [
        (OPENMPI, 16, 262144, "linear"),
        (OPENMPI, 16, 1048576, "linear"),
        (OPENMPI, 16, 3, "linear"),
        (OPENMPI, 16, 4, "bruck"),
        (OPENMPI, 16, 511, "bruck"),
        (OPENMPI, 4, 524288, "ring"),
        (OPENMPI, 4, 1048576, "linear"),
        (OPENMPI, 2, 2, "pairwise"),
        (OPENMPI, 100, 262144, "ring"),
        (OPENMPI, 10000, 1, "bruck"),
        ("Open MPI v5.0.11", 16, 262144, "linear"),
        (MPICH, 16, 256, "bruck"),
        (MPICH, 16, 257, "linear"),
        (MPICH, 16, 32768, "linear"),
        (MPICH, 16, 32769, "pairwise"),
        (MPICH, 33, 1024, "linear_capped:cap=32"),
        (MPICH, 7, 8, "linear"),
        ("Another MPI 1.0", 16, 1024, None),
    ],
)
def test_control_of_alltoall(
    version: str, ranks: int, block_bytes: int, expected: str | None
) -> None:
    assert find_control(version, call("alltoall", ranks, block_bytes)).algorithm == expected


@pytest.mark.parametrize(
    ("version", "collective", "ranks", "expected"),
    [
        (OPENMPI, "alltoallv", 3, "ring"),
        (OPENMPI, "alltoallv", 63, "linear_by_rank"),
        (OPENMPI, "alltoallv", 64, "ring"),
        (OPENMPI, "alltoallw", 64, "linear_by_rank"),
        (MPICH, "alltoallv", 32, "linear"),
        (MPICH, "alltoallw", 33, "linear_capped:cap=32"),
    ],
)
def test_control_of_unequal_blocks(
    version: str, collective: str, ranks: int, expected: str
) -> None:
    assert find_control(version, call(collective, ranks, 65536)).algorithm == expected


@pytest.mark.parametrize(
    ("collective", "ranks", "size", "expected"),
    [
        ("bcast", 3, 31, "pipeline:segment=31"),
        ("bcast", 3, 32768, "binary:segment=32768"),
        ("bcast", 7, 8192, "linear"),
        ("bcast", 7, 1048576, "pipeline:segment=1048576"),
        ("bcast", 16, 4095, "knomial:radix=4,segment=4095"),
        ("bcast", 16, 4096, "binomial:segment=4096"),
        ("bcast", 16, 1048576, "scatter_allgather"),
        ("bcast", 63, 2048, "knomial:radix=4,segment=2048"),
        ("bcast", 300, 16384, "split_binary:segment=16384"),
        ("bcast", 2000, 262144, "knomial:radix=4,segment=262144"),
        ("bcast", 3000, 262144, "scatter_allgather"),
        ("reduce", 3, 4, "linear"),
        ("reduce", 16, 4095, "binary:segment=4095"),
        ("reduce", 16, 4096, "binomial:segment=4096"),
        ("reduce", 5, 262144, "linear"),
        ("reduce", 256, 8192, "in_order_binary:segment=8192"),
        ("allreduce", 16, 60, "recursive_doubling"),
        ("allreduce", 16, 64, "recursive_doubling"),
        ("allreduce", 16, 4096, "rabenseifner"),
        ("allreduce", 5, 8192, "rabenseifner"),
        ("allreduce", 3, 131072, "ring"),
        ("allreduce", 32, 124, "recursive_doubling"),
        ("barrier", 16, 0, "recursive_doubling"),
        ("barrier", 64, 0, "dissemination"),
        ("barrier", 256, 0, "tree"),
        ("allgather", 2, 8, "recursive_doubling"),
        ("allgather", 16, 1048576, "recursive_doubling"),
        ("allgather", 12, 1048576, "bruck"),
        ("allgather", 32, 65535, "neighbor_exchange"),
        ("allgather", 33, 65535, "ring:segment=65535"),
        ("allgather", 32, 65536, "ring:segment=65536"),
        ("allgatherv", 16, 127, None),
        ("allgatherv", 16, 262143, "bruck"),
        ("allgatherv", 16, 262144, "ring:segment=262144"),
        ("reduce_scatter", 16, 262140, "recursive_halving"),
        ("reduce_scatter", 12, 4096, None),
        ("reduce_scatter", 16, 262144, "ring:segment=262144"),
        ("reduce_scatter", 32, 2048, None),
        ("reduce_scatter_block", 16, 524284, "recursive_halving"),
        ("reduce_scatter_block", 16, 524288, None),
        ("gather", 16, 1048576, "binomial"),
        ("gather", 4, 8191, "linear"),
        ("gather", 4, 131072, None),
        ("gather", 4, 262144, None),
        ("gatherv", 16, 65535, "linear"),
        ("gatherv", 16, 65536, None),
        ("scatter", 16, 16383, None),
        ("scatter", 16, 32767, "linear"),
        ("scatter", 16, 1048576, "linear"),
        ("scatter", 8, 1048576, None),
        ("scatterv", 16, 65536, None),
        ("scan", 16, 65536, "linear:segment=65536"),
        ("exscan", 16, 65536, "linear:segment=65536"),
    ],
)
def test_what_openmpi_runs(collective: str, ranks: int, size: int, expected: str | None) -> None:
    assert spelled(native_of(OPENMPI, call(collective, ranks, size))) == expected


@pytest.mark.parametrize(
    ("collective", "ranks", "size", "expected"),
    [
        ("bcast", 7, 1 << 20, "binomial:segment=1048576"),
        ("bcast", 16, 12288, "binomial:segment=12288"),
        ("bcast", 16, 12289, "scatter_allgather"),
        ("bcast", 16, 524288, "scatter_allgather"),
        ("bcast", 16, 524289, None),
        ("bcast", 12, 12289, None),
        ("reduce", 16, 2048, "binomial:segment=2048"),
        ("reduce", 16, 2052, "rabenseifner"),
        ("allreduce", 16, 8, "recursive_doubling"),
        ("allreduce", 16, 60, "recursive_doubling"),
        ("allreduce", 16, 64, "rabenseifner"),
        ("barrier", 16, 0, "dissemination"),
        ("allgather", 16, 32767, "recursive_doubling"),
        ("allgather", 16, 32768, "ring:segment=32768"),
        ("allgather", 12, 6826, "bruck"),
        ("allgather", 12, 6827, "ring:segment=6827"),
        ("allgatherv", 16, 32768, "ring:segment=32768"),
        ("allgatherv", 16, 32769, None),
        ("reduce_scatter", 16, 524284, "recursive_halving"),
        ("reduce_scatter", 16, 524288, "pairwise"),
        ("reduce_scatter", 12, 4096, None),
        ("reduce_scatter_block", 16, 32764, "recursive_halving"),
        ("reduce_scatter_block", 16, 32768, "pairwise"),
        ("gather", 12, 8, "binomial"),
        ("gatherv", 64, 1048576, "linear"),
        ("scatter", 12, 8, None),
        ("scatterv", 64, 1048576, "linear"),
        ("scan", 16, 8, "butterfly"),
        ("exscan", 16, 8, "butterfly"),
    ],
)
def test_what_mpich_runs(collective: str, ranks: int, size: int, expected: str | None) -> None:
    assert spelled(native_of(MPICH, call(collective, ranks, size))) == expected


def spelled(native: Native | None) -> str | None:
    assert native is not None
    if not native.algorithm:
        return None
    parameters = ",".join(f"{key}={value}" for key, value in sorted(native.parameters.items()))
    return f"{native.algorithm}:{parameters}" if parameters else native.algorithm


@pytest.mark.parametrize(
    ("collective", "mpich", "openmpi_5"),
    [
        *((name, True, True) for name in ("allreduce", "barrier", "bcast", "reduce")),
        *((name, False, True) for name in ("allgather", "gather", "scatter")),
        ("scan", True, False),
        *((name, False, False) for name in ("alltoall", "allgatherv", "gatherv", "exscan")),
    ],
)
def test_who_goes_through_leaders(collective: str, mpich: bool, openmpi_5: bool) -> None:
    several = call(collective, 16, 8192, ppn=4)
    for native, leads in (
        (native_of(MPICH, several), mpich),
        (native_of(OPENMPI_5, several), openmpi_5),
    ):
        assert native is not None
        assert ("one rank per node" in native.said) == leads
        assert not native.algorithm or not leads


def test_mpich_scatters_large_messages_over_all_ranks() -> None:
    """Also where nodes have several; with a power of two ranks, from 512 KB on only."""
    for ranks, size, said in (
        (16, 524287, "bcast over one rank per node, shared memory inside nodes"),
        (16, 524288, "scatter, allgather by recursive doubling"),
        (12, 12288, "binomial"),
        (12, 12289, "scatter, allgather in a ring"),
    ):
        native = native_of(MPICH, call("bcast", ranks, size, ppn=4))
        assert native is not None and native.said == said


def test_another_order_of_nodes_is_no_control() -> None:
    """From rank 1 on, 0 comes last, after all other nodes."""
    at = {root: call("bcast", 6, 1 << 20, ppn=2, root=root) for root in (0, 1, 4)}
    assert find_control(OPENMPI, at[4]).algorithm == "pipeline:segment=1048576"
    assert "goes between nodes otherwise" in (find_control(OPENMPI, at[1]).why or "")
    dealt = Call("bcast", (0, 1, 2, 0, 1, 2), 0, 1 << 20)
    assert find_control(OPENMPI, dealt).algorithm is None


def test_a_tree_of_other_neighbours_is_a_control_only_of_equals() -> None:
    for ranks, ppn, same in ((16, 4, False), (16, 1, True), (17, 1, False)):
        native = native_of(OPENMPI, call("bcast", ranks, 4096, ppn))
        assert native is not None and native.moves_the_same == same


def test_why_there_is_no_control() -> None:
    unknown = find_control("Another MPI 1.0", call("bcast", 16, 4096))
    assert unknown.why == "what this MPI runs was not read"
    ring = find_control(MPICH, call("bcast", 12, 1 << 20))
    assert ring.why == ("native runs scatter, allgather in a ring, which is not in suiro's catalog")
