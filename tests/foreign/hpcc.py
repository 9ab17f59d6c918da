# SPDX-License-Identifier: BSD-3-Clause
"""hpcc, the HPC Challenge benchmark, which verifies its own results."""

import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from jobs import Job, Outcome
from mpich_tests import mpi_names

sys.path.insert(0, str(Path(__file__).parents[1] / "mpi"))

from test_programs import HERE, judge_hpcc

from suiro.errors import UsageError

SUITE = "hpcc"
_INPUT = HERE / "hpccinf.txt"
_RANKS = 4  # a grid of 2 x 2 processes, says its input


def find(program: str) -> Path:
    """Its file, wherever PATH has it."""
    path = shutil.which(program)
    if not path:
        raise UsageError(
            f"--hpcc {program}: there is no such program; install hpcc, or give a path"
        )
    return Path(path).resolve()


def jobs(program: Path, mpi: str) -> list[Job]:
    """None when it was built for another MPI."""
    needed = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
    libraries = {"openmpi": ("libmpi.so.40",), "mpich": ("libmpich.so.12", "libmpi.so.12")}[mpi]
    if not any(f"{library} " in needed for library in libraries):
        return []
    return [
        Job(
            suite=SUITE,
            name="hpcc",
            mpi=mpi,
            ranks=_RANKS,
            words=(str(program),),
            files=(program, _INPUT),
            judge=_judge,
            calls=mpi_names(program, "--dynamic"),
            inputs=(_INPUT,),
        )
    ]


def _judge(outcome: Outcome, folder: Path) -> str:
    """By the criteria that our own test of hpcc has."""
    try:
        judge_hpcc(folder)
    except OSError:
        return "it left no report"
    except AssertionError as error:
        return f"its report fails {traceback.extract_tb(error.__traceback__)[-1].line}"
    return ""
