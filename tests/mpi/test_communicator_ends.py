# SPDX-License-Identifier: BSD-3-Clause
"""What suiro knows of a communicator ends with it, whoever frees it and how; private communicators
are few, and given back."""

from mpi_jobs import Mpi

FORCED = {"SUIRO_BCAST": "node_pipeline"}


def test_a_handle_that_is_used_again(every_mpi: Mpi) -> None:
    program = [str(every_mpi.build("communicator_ends.c")), "ends", "36"]
    outcome = every_mpi.run(program, **FORCED)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


def test_mpi_ends_by_a_call_that_nobody_intercepts(mpi: Mpi) -> None:
    program = [str(mpi.build("communicator_ends.c")), "finalize"]
    outcome = mpi.run(program, "--explain=json", **FORCED)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err
    ran = [row["algorithm"] for row in outcome.explained("bcast")]  # the first: MPI_COMM_SELF
    assert ran == ["native", "node_pipeline"]


def test_more_communicators_than_private_ones(mpi: Mpi) -> None:
    """MPICH has 2048 contexts; what suiro takes of them is bounded, then native runs. The world
    has one from the beginning."""
    count = "1100" if mpi.name.startswith("mpich") else "200"
    program = [str(mpi.build("communicator_ends.c")), "many", count]
    outcome = mpi.run(program, "--explain=json", **FORCED)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err
    assert outcome.said() == []
    rows = {row["algorithm"]: row for row in outcome.explained("bcast")}
    assert rows["node_pipeline"]["calls"] == 127 + 1  # the last when these were given back
    assert "128 communicators" in rows["native"]["reason"]
