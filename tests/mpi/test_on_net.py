# SPDX-License-Identifier: BSD-3-Clause
"""Collectives over suiro's own transport, beside an MPI that knows nothing of it."""

import re

import pytest
from mpi_jobs import Mpi

ON_NET = {"SUIRO_COLLECTIVES": "net", "SUIRO_NODES": "2"}


@pytest.mark.parametrize("algorithm", ["two_level_ring", "send_side_aggregation"])
def test_every_kind_of_argument(mpi: Mpi, algorithm: str) -> None:
    cases = mpi.build("alltoall_cases.c")
    outcome = mpi.run(cases, ranks=5, SUIRO_ALLTOALL=algorithm, SUIRO_NET_EXPLAIN="on", **ON_NET)
    assert outcome.code == 0, outcome.err
    assert re.match(r"ok \d+ cases", outcome.out)
    assert "transport of rank 0" in outcome.err  # what it tells at its end


def test_types_per_block(mpi: Mpi) -> None:
    outcome = mpi.run(mpi.build("alltoallw_cases.c"), ranks=4, SUIRO_ALLTOALLW="ring", **ON_NET)
    assert (outcome.code, outcome.said()) == (0, [])
    assert re.match(r"ok \d+ cases", outcome.out)


def test_the_programs_own_messages_go_on(mpi: Mpi) -> None:
    outcome = mpi.run(mpi.build("pending_send.c"), ranks=4, SUIRO_ALLTOALL="ring", **ON_NET)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])


def test_a_transport_that_cannot_start_is_told_of_once(mpi: Mpi) -> None:
    """And the MPI's messages do."""
    cases = mpi.build("alltoall_cases.c")
    outcome = mpi.run(cases, ranks=4, SUIRO_ALLTOALL="ring", SUIRO_NETS="10.255.0.0/24", **ON_NET)
    assert outcome.code == 0
    lines = [line for line in outcome.said() if "SUIRO_NETS" in line]
    assert len(lines) == 1
    assert lines[0].endswith("suiro's collectives use the MPI's own messages")


def test_a_wrong_word_is_told(mpi: Mpi) -> None:
    outcome = mpi.run(mpi.build("alltoall_cases.c"), ranks=2, SUIRO_COLLECTIVES="pigeon")
    assert outcome.code == 0
    assert "SUIRO_COLLECTIVES=pigeon: expected mpi or net" in "".join(outcome.said())
