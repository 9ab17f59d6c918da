# SPDX-License-Identifier: BSD-3-Clause
"""Calls in which MPI returns an error to one rank, whose program has asked for errors: the buffers
are the program's own again, and no later call takes what was left."""

from pathlib import Path

import pytest
from mpi_jobs import Mpi

# Open MPI 4.1 itself writes a whole truncated message where it copies from process to process.
NO_SINGLE_COPY = {
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
ALGORITHMS = ["linear", "ring", "pairwise", "two_level_ring", "two_level_pairwise"]


@pytest.mark.parametrize(
    ("collective", "algorithm", "count"),
    [("alltoall", name, 200000) for name in ALGORITHMS]
    + [("alltoall", name, 100) for name in ("linear", "node_leader", "send_side_aggregation")]
    + [("alltoallv", "two_level_pairwise", 100), ("alltoallw", "two_level_pairwise", 200000)]
    + [("alltoallv", "node_leader", 200000), ("alltoallw", "send_side_aggregation", 100)],
)
def test_error_of_a_message_is_one_ranks_only(
    an_mpi: Mpi, collective: str, algorithm: str, count: int
) -> None:
    program = [str(an_mpi.build("failures.c")), collective, "truncate", str(count)]
    outcome = an_mpi.run(program, **{f"SUIRO_{collective.upper()}": algorithm}, **NO_SINGLE_COPY)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


@pytest.mark.parametrize("collective", ["alltoall", "alltoallv", "alltoallw"])
@pytest.mark.parametrize("algorithm", ["ring", "node_leader", "send_side_aggregation", "bruck"])
def test_a_receiver_may_have_more_room(an_mpi: Mpi, collective: str, algorithm: str) -> None:
    program = [str(an_mpi.build("failures.c")), collective, "roomy", "100"]
    outcome = an_mpi.run(program, **{f"SUIRO_{collective.upper()}": algorithm})
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


@pytest.mark.parametrize(
    ("collective", "algorithm", "count"),
    [
        ("alltoall", "ring", "20000"),
        ("alltoall", "send_side_aggregation", "20000"),
        ("alltoall", "two_level_pairwise", "20000"),
        ("alltoallv", "ring", "20000"),
        ("alltoallv", "send_side_aggregation", "100"),  # small enough to be joined
        ("alltoallw", "ring", "20000"),
    ],
)
@pytest.mark.parametrize(
    ("name", "case", "code", "printed"),
    [
        ("openmpi", "retry", 0, "ok"),  # nothing was sent: the call can be made again
        # Something was: nothing is written after the call has failed.
        ("mpich", "spoil", 42, ""),
    ],
)
def test_a_call_that_cannot_send(
    programs: Path,
    collective: str,
    algorithm: str,
    count: str,
    name: str,
    case: str,
    code: int,
    printed: str,
) -> None:
    mpi = Mpi(name, programs)
    failing = mpi.build("failing_send.c", "-shared", "-fPIC", name="failing-send")
    program = [str(mpi.build("failures.c")), collective, case, count]
    more = {f"SUIRO_{collective.upper()}": algorithm, "LD_PRELOAD": str(failing)}
    outcome = mpi.run(program, **more)
    assert (outcome.code, outcome.out.strip()) == (code, printed), outcome.err


def test_a_call_that_cannot_send_by_the_agreed_size(mpi: Mpi, tmp_path: Path) -> None:
    """Ranks know a size from the fourth call on, the one that fails."""
    rule = '{"collective": "alltoallv", "bytes": [1, null], "algorithm": "ring"}'
    rules = tmp_path / "rules.json"
    rules.write_text(f'{{"suiro_rules": 1, "rules": [{rule}]}}')
    failing = mpi.build("failing_send.c", "-shared", "-fPIC", name="failing-send")
    program = [str(mpi.build("failures.c")), "alltoallv", "spoil", "20000"]
    outcome = mpi.run(program, "--rules", str(rules), LD_PRELOAD=str(failing))
    assert (outcome.code, outcome.out.strip()) == (42, ""), outcome.err
