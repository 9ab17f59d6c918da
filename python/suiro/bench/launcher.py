# SPDX-License-Identifier: BSD-3-Clause
"""The launcher prefix that starts the measuring program, and the MPI that it belongs to."""

import os
import shlex
import subprocess
import sys

from suiro.errors import MachineError, UsageError

_SIGNS = {"openmpi": ("open mpi", "open-mpi", "openrte"), "mpich": ("hydra", "mpich")}


def launcher_prefix(given: list[str]) -> list[str]:
    """The words after `--`, or the lab's launcher."""
    prefix = given or shlex.split(os.environ.get("SUIRO_LAB_MPIRUN", ""))
    if not prefix:
        raise UsageError(
            "no launcher: add --lab SPEC, or your launcher after --, such as -- mpirun -np 16"
        )
    return prefix


def mpi_of(prefix: list[str]) -> str:
    """ "openmpi" or "mpich", as the launcher says of itself."""
    try:
        done = subprocess.run(
            [prefix[0], "--version"], capture_output=True, text=True, check=False, timeout=20
        )
    except FileNotFoundError:
        raise UsageError(f'launcher "{prefix[0]}" is not on the PATH') from None
    except subprocess.TimeoutExpired:
        raise MachineError(f"{prefix[0]} --version did not answer: give --mpi") from None
    said = (done.stdout + done.stderr).lower()
    for mpi, signs in _SIGNS.items():
        if any(sign in said for sign in signs):
            return mpi
    raise UsageError(
        f"cannot tell which MPI {prefix[0]} belongs to: give --mpi openmpi or --mpi mpich"
    )


def suiro_command(*arguments: str) -> list[str]:
    """This very suiro as a child process, whatever is on the PATH."""
    return [sys.executable, "-c", "from suiro.cli.main import main; main()", *arguments]
