# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that merge blocks or keep them on the way: whatever the arguments, they deliver what
native delivers."""

import re

import pytest
from mpi_jobs import Mpi

ALGORITHMS = [
    "bruck",
    "multi_leader:window=4",
    "send_side_aggregation",
]


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "node_leader:window=64"])
@pytest.mark.parametrize("collective", ["alltoall", "alltoallv", "alltoallw"])
def test_every_kind_of_argument_on_uneven_nodes(mpi: Mpi, collective: str, algorithm: str) -> None:
    cases = mpi.build("alltoallw_cases.c" if collective == "alltoallw" else "alltoall_cases.c")
    forced = {f"SUIRO_{collective.upper()}": algorithm}
    outcome = mpi.run(cases, ranks=5, SUIRO_NODES="2", **forced)
    assert (outcome.code, outcome.said()) == (0, [])
    assert re.match(r"ok \d+ cases", outcome.out)
