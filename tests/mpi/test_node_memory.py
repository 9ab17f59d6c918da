# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms in memory that the ranks of a node share: right on every MPI and placement, native
where it cannot be had, and nothing of it is left."""

import pytest
from mpi_jobs import Mpi

FORCED = {
    "SUIRO_BARRIER": "shared_leader",
    "SUIRO_BCAST": "shared_tree:segment=20000",
    "SUIRO_REDUCE": "shared_tree:radix=1,segment=30000",
}


@pytest.mark.parametrize(
    ("allreduce", "nodes"), [("shared_leader", "2"), ("shared_lanes:segment=65536", "3+1")]
)
def test_every_mpi_gets_what_it_is_to(every_mpi: Mpi, allreduce: str, nodes: str) -> None:
    program = [str(every_mpi.build("node_memory.c")), "3", "3"]
    forced = FORCED | {"SUIRO_ALLREDUCE": allreduce}
    outcome = every_mpi.run(program, "--explain=json", ranks=6, SUIRO_NODES=nodes, **forced)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    ran = {row["algorithm"] for row in outcome.explained()}
    assert {allreduce, *FORCED.values()} <= ran, ran


def test_many_communicators_leave_nothing(openmpi: Mpi) -> None:
    """The program looks at what it has mapped."""
    outcome = openmpi.run([str(openmpi.build("node_memory.c")), "1", "60"], **FORCED)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


def test_what_does_not_fit_is_native(openmpi: Mpi) -> None:
    program = [str(openmpi.build("faults.c")), "allreduce", "400000", "0", "2"]
    forced = {"SUIRO_ALLREDUCE": "shared_leader"}
    outcome = openmpi.run(program, "--explain=json", **forced)
    assert (outcome.code, outcome.out.strip()) == (0, "ok, 0 errors"), outcome.err
    assert {row["algorithm"] for row in outcome.explained("allreduce")} >= {"native"}
