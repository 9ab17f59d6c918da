# SPDX-License-Identifier: BSD-3-Clause
"""The launcher prefix that starts measuring programs, the MPI that it belongs to, and suiro's own
MPI programs as it starts them."""

import os
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

from suiro.errors import UsageError
from suiro.native import tool
from suiro.run.launchers import Launcher, recognise

# By the binary interface of a program: the library that it looks for.
_LIBRARIES = {
    "openmpi": "libmpi.so.40",
    "mpich": "libmpich.so.12",
    "mpi_abi": "libmpi_abi.so.1",
}
_SEARCHED = "LD_LIBRARY_PATH"


def launcher_prefix(given: list[str]) -> list[str]:
    """The words after `--`, or the lab's launcher."""
    prefix = given or shlex.split(os.environ.get("SUIRO_LAB_MPIRUN", ""))
    if not prefix:
        raise UsageError(
            "no launcher: add --lab SPEC, or your launcher after --, such as -- mpirun -np 16"
        )
    return prefix


def launcher_of(prefix: list[str]) -> Launcher:
    """What the launcher says of itself; UsageError if it is not there, or not known."""
    if shutil.which(prefix[0]) is None:
        raise UsageError(f'launcher "{prefix[0]}" is not on the PATH')
    launcher = _asked(prefix[0])
    if launcher is None:
        raise UsageError(f"cannot tell which MPI {prefix[0]} belongs to: give --mpi")
    return launcher


def mpi_of(prefix: list[str]) -> str:
    """ "openmpi" or "mpich", as the launcher says of itself."""
    return launcher_of(prefix).mpi


def started(prefix: list[str], mpi: str, name: str) -> tuple[list[str], dict[str, str]]:
    """The words that start suiro's own program `name` ("bench", "kernels"), and the variables with
    which it finds the launcher's MPI, and not another one that the system has."""
    launcher = _asked(prefix[0])
    interface = mpi
    if launcher is not None and launcher.product == "MPICH" and launcher.major >= 5:
        interface = "mpi_abi"
    program = str(tool(f"suiro-{name}-{interface}"))
    folder = _folder_of(_LIBRARIES[interface], launcher)
    if folder is None:
        return [*prefix, program], {}
    searched = ":".join(filter(None, [str(folder), os.environ.get(_SEARCHED)]))
    forwarded = ["-x", _SEARCHED] if mpi == "openmpi" and _SEARCHED not in prefix else []
    return [*prefix, *forwarded, program], {_SEARCHED: searched}


def suiro_command(*arguments: str) -> list[str]:
    """This very suiro as a child process, whatever is on the PATH."""
    return [sys.executable, "-c", "from suiro.cli.main import main; main()", *arguments]


@cache
def _asked(program: str) -> Launcher | None:
    return recognise(program)


def _folder_of(library: str, launcher: Launcher | None) -> Path | None:
    """Where the launcher's MPI has its library, if that is beside the launcher's own folder."""
    if launcher is None:
        return None
    root = Path(os.path.realpath(launcher.path)).parents[1]
    folders = (root / "lib", root / "lib64")
    return next((folder for folder in folders if (folder / library).is_file()), None)
