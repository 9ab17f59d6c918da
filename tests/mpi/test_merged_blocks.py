# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that merge blocks or keep them on the way: whatever the arguments, they deliver what
native delivers."""

import re
from pathlib import Path

import pytest
from mpi_jobs import Mpi

ALGORITHMS = [
    "bruck",
    "multi_leader:window=4",
    "node_leader:window=64",
    "send_side_aggregation",
]
KINDS = ["alltoall", "alltoallv", "alltoallw"]
TURNS = [
    (kind, algorithm, ("openmpi", "mpich")[(row + column) % 2])
    for row, kind in enumerate(KINDS)
    for column, algorithm in enumerate(ALGORITHMS)
]


@pytest.mark.parametrize(("collective", "algorithm", "name"), TURNS)
def test_every_kind_of_argument_on_uneven_nodes(
    programs: Path, collective: str, algorithm: str, name: str
) -> None:
    """Each on one MPI in turn: what is sent is the same on all."""
    mpi = Mpi(name, programs)
    cases = mpi.build("alltoallw_cases.c" if collective == "alltoallw" else "alltoall_cases.c")
    forced = {f"SUIRO_{collective.upper()}": algorithm}
    outcome = mpi.run(cases, ranks=5, SUIRO_NODES="2", **forced)
    assert (outcome.code, outcome.said()) == (0, [])
    assert re.match(r"ok \d+ cases", outcome.out)
