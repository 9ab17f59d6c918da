# SPDX-License-Identifier: BSD-3-Clause
"""Half a minute of random faults in the middle of collectives (tests/soak/faults.py runs for
longer), and some that are not left to chance."""

import subprocess
import sys
from pathlib import Path

import pytest
from mpi_jobs import Mpi

FAULTS = Path(__file__).parents[1] / "soak" / "faults.py"


@pytest.mark.parametrize("half", [1, 2])
def test_no_fault_gives_wrong_data_or_a_hang(half: int) -> None:
    # Without those after which the MPI itself may wait for ever.
    kinds = ["--kind", "lose", "--kind", "kill", "--kind", "revoke"]
    command = [sys.executable, str(FAULTS), "--minutes", "0.25", *kinds]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_all_ranks_run_native_where_one_lacks_the_memory(mpi: Mpi) -> None:
    program = [str(mpi.build("faults.c")), "alltoallv", "200000", "0", "4"]
    forced = {"SUIRO_ALLTOALLV": "node_leader", "FAULT": "memory:1:3000"}
    outcome = mpi.run(program, "--explain=json", **forced)
    assert (outcome.code, outcome.out.strip()) == (0, "ok, 0 errors"), outcome.err
    reasons = [row["reason"] for row in outcome.explained("alltoallv")]
    assert "a rank has not the memory that it takes" in reasons, reasons


def test_what_a_rank_lost_is_an_error_on_every_rank(mpi: Mpi) -> None:
    program = [str(mpi.build("faults.c")), "allreduce", "5000", "0", "3"]
    layer = str(mpi.build("fault_layer.c", "-shared", "-fPIC", name="fault-layer"))
    forced = {"SUIRO_ALLREDUCE": "lanes", "FAULT": "lose:1:1", "LD_PRELOAD": layer}
    outcome = mpi.run(program, **forced)
    assert (outcome.code, outcome.out.strip()) == (0, "ok, 1 errors"), outcome.err
    assert any("rank 0: allreduce by lanes got nothing" in line for line in outcome.said())
