# SPDX-License-Identifier: BSD-3-Clause
"""Spot checks of the control table against the sources that it was read from."""

import pytest

from suiro.bench.control import control_algorithm


@pytest.mark.parametrize(
    ("mpi", "ranks", "block_bytes", "expected"),
    [
        ("openmpi", 16, 262144, "linear"),
        ("openmpi", 16, 1048576, "linear"),
        ("openmpi", 16, 3, "linear"),
        ("openmpi", 16, 4, "bruck"),
        ("openmpi", 16, 511, "bruck"),
        ("openmpi", 4, 524288, "ring"),
        ("openmpi", 4, 1048576, "linear"),
        ("openmpi", 2, 2, "pairwise"),
        ("openmpi", 100, 262144, "ring"),
        ("openmpi", 100000, 1, "bruck"),
        ("mpich", 16, 256, "bruck"),
        ("mpich", 16, 257, "linear"),
        ("mpich", 16, 32768, "linear"),
        ("mpich", 16, 32769, "pairwise"),
        ("mpich", 33, 1024, "linear_capped:cap=32"),
        ("mpich", 7, 8, "linear"),
        ("another", 16, 1024, None),
    ],
)
def test_control_of(mpi: str, ranks: int, block_bytes: int, expected: str | None) -> None:
    assert control_algorithm(mpi, "alltoall", ranks, block_bytes) == expected


@pytest.mark.parametrize(
    ("mpi", "collective", "ranks", "expected"),
    [
        ("openmpi", "alltoallv", 3, "ring"),
        ("openmpi", "alltoallv", 63, "linear"),
        ("openmpi", "alltoallv", 64, "ring"),
        ("openmpi", "alltoallw", 64, "linear"),
        ("mpich", "alltoallv", 32, "linear"),
        ("mpich", "alltoallw", 33, "linear_capped:cap=32"),
        ("another", "alltoallv", 16, None),
    ],
)
def test_control_of_unequal_blocks(
    mpi: str, collective: str, ranks: int, expected: str | None
) -> None:
    assert control_algorithm(mpi, collective, ranks, 65536) == expected
