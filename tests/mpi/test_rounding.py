# SPDX-License-Identifier: BSD-3-Clause
"""--check tells rounding from wrong results."""

import re

from mpi_jobs import Mpi

LANES = {"SUIRO_ALLREDUCE": "lanes", "SUIRO_REDUCE": "node_pipeline"}


def test_rounding_of_mpis_own_operations_is_no_difference(every_mpi: Mpi) -> None:
    program = [str(every_mpi.build("rounding.c")), "predefined"]
    outcome = every_mpi.run(program, "--check", ranks=6, **LANES)
    assert outcome.code == 0
    (line,) = outcome.said()
    told = r"check: \d+ calls \((\d+ of \w+, )*\d+ of \w+\) were compared with native's: alike"
    assert re.fullmatch(f"suiro: {told}", line), line
    assert outcome.out.startswith("ok ")


def test_more_than_rounding_is_a_difference(mpi: Mpi) -> None:
    wrong = mpi.build("wrong_native.c", "-shared", "-fPIC", name="wrong-native")
    program = [str(mpi.build("rounding.c")), "predefined"]
    outcome = mpi.run(program, "--check", ranks=6, LD_PRELOAD=str(wrong), **LANES)
    assert outcome.code == 1
    (line,) = outcome.said()
    assert "check: reduce by node_pipeline on" in line
    assert "rank 0, block 0, byte 16 is not what native delivers" in line


def test_operations_of_the_programs_own(mpi: Mpi) -> None:
    """Without a limit, one line tells that they differ; a limit makes it a failure, or nothing."""
    program = [str(mpi.build("rounding.c")), "own"]
    outcome = mpi.run(program, "--check", ranks=6, **LANES)
    assert (outcome.code, len(outcome.said())) == (0, 2)
    assert "no failure, as an operation of the program's own may round" in outcome.said()[0]
    assert outcome.said()[1].endswith("alike, but for what may be rounding")
    outcome = mpi.run(program, "--check-tolerance", "1e-12", ranks=6, **LANES)
    assert (outcome.code, len(outcome.said())) == (0, 1)
    outcome = mpi.run(program, "--check", ranks=6, SUIRO_CHECK_TOLERANCE="1e-25", **LANES)
    assert outcome.code == 1
    assert outcome.said()[0].endswith("is not what native delivers")
