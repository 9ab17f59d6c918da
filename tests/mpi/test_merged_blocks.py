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


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_kind_of_argument_on_uneven_nodes(mpi: Mpi, algorithm: str) -> None:
    cases = mpi.build("alltoall_cases.c")
    outcome = mpi.run(cases, ranks=5, SUIRO_ALLTOALL=algorithm, SUIRO_NODES="2")
    assert (outcome.code, outcome.said()) == (0, [])
    assert re.match(r"ok \d+ cases", outcome.out)


@pytest.mark.parametrize(("case", "failing_send", "code"), [("retry", "1", 0), ("spoil", "2", 5)])
def test_a_call_that_cannot_send(mpi: Mpi, case: str, failing_send: str, code: int) -> None:
    failing = mpi.build("failing_send.c", "-shared", "-fPIC", name="failing-send")
    outcome = mpi.run(
        [str(mpi.build("failures.c")), "alltoall", case],
        LD_PRELOAD=str(failing),
        FAILING_SEND=failing_send,
        SUIRO_ALLTOALL="send_side_aggregation",
    )
    assert (outcome.code, outcome.out.strip()) == (code, "ok"), outcome.err
