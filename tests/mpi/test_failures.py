# SPDX-License-Identifier: BSD-3-Clause
"""Calls in which MPI returns an error to one rank, whose program has asked for errors: the buffers
are the program's own again, and no later call takes what was left."""

import pytest
from mpi_jobs import Mpi

# Open MPI 4.1 itself writes a whole truncated message where it copies from process to process.
NO_SINGLE_COPY = {
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
ALGORITHMS = ["linear", "ring", "pairwise", "two_level_ring", "two_level_pairwise"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("count", [100, 200000])
def test_error_of_a_message_is_one_ranks_only(mpi: Mpi, algorithm: str, count: int) -> None:
    program = [str(mpi.build("failures.c")), "truncate", str(count)]
    outcome = mpi.run(program, SUIRO_ALLTOALL=algorithm, **NO_SINGLE_COPY)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


@pytest.mark.parametrize("algorithm", ["ring", "two_level_pairwise"])
def test_call_of_which_nothing_was_sent_can_be_made_again(mpi: Mpi, algorithm: str) -> None:
    failing = mpi.build("failing_send.c", "-shared", "-fPIC", name="failing-send")
    program = [str(mpi.build("failures.c")), "retry"]
    outcome = mpi.run(program, LD_PRELOAD=str(failing), FAILING_SEND="1", SUIRO_ALLTOALL=algorithm)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


@pytest.mark.parametrize("algorithm", ["ring", "two_level_pairwise"])
def test_nothing_is_written_after_the_call_has_failed(mpi: Mpi, algorithm: str) -> None:
    failing = mpi.build("failing_send.c", "-shared", "-fPIC", name="failing-send")
    program = [str(mpi.build("failures.c")), "spoil"]
    outcome = mpi.run(program, LD_PRELOAD=str(failing), FAILING_SEND="2", SUIRO_ALLTOALL=algorithm)
    assert (outcome.code, outcome.out.strip()) == (5, "ok"), outcome.err
