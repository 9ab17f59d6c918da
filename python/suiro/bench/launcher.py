# SPDX-License-Identifier: BSD-3-Clause
"""The launcher prefix that starts measuring programs, the MPI that it belongs to, and suiro's own
MPI programs as it starts them."""

import os
import shlex
import shutil
from functools import cache
from pathlib import Path

from suiro import variables
from suiro.errors import UsageError
from suiro.native import module, tool
from suiro.run.launchers import Launcher, has_launcher_name, recognise

# By the binary interface of a program: the library that it looks for.
_LIBRARIES = {
    "openmpi": "libmpi.so.40",
    "mpich": "libmpich.so.12",
    "mpi_abi": "libmpi_abi.so.1",
}
_SEARCHED = "LD_LIBRARY_PATH"


def launcher_prefix(given: list[str]) -> list[str]:
    """The words after `--`, or the lab's launcher."""
    prefix = given or shlex.split(variables.text("SUIRO_LAB_MPIRUN"))
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
    which it finds the launcher's MPI, and not another one that the system has. `mpi`: "openmpi" or
    "mpich", or these with a 5. UsageError if no program of suiro's fits that MPI."""
    launcher = _asked(prefix[0])
    interface = mpi.rstrip("5")
    if mpi == "mpich5" or (launcher and launcher.product == "MPICH" and launcher.major >= 5):
        interface = "mpi_abi"
    program = str(tool(f"suiro-{name}-{interface}"))
    folder = _folder_of(_LIBRARIES[interface], launcher)
    if folder is None:
        if interface == "mpich" and _folder_of("libmpi.so.12", launcher) is not None:
            raise UsageError(
                f"{prefix[0]}: suiro's own programs run under MPICH 5 and Debian's MPICH, and find "
                "no other; `suiro bench-transport --program` compares a program of yours"
            )
        return [*prefix, program], {}
    searched = ":".join(filter(None, [str(folder), os.environ.get(_SEARCHED)]))
    given = any(word.partition("=")[0] == _SEARCHED for word in prefix)
    forwarded = ["-x", _SEARCHED] if interface == "openmpi" and not given else []
    return [prefix[0], *forwarded, *prefix[1:], program], {_SEARCHED: searched}


def suiro_command(*arguments: str) -> list[str]:
    """This very suiro as a child process, whatever is on the PATH."""
    return [*module("suiro"), *arguments]


@cache
def _asked(program: str) -> Launcher | None:
    """A script of the user's may do anything, and is not asked."""
    return recognise(program) if has_launcher_name(program) else None


def _folder_of(library: str, launcher: Launcher | None) -> Path | None:
    """Where the launcher's MPI has its library, if that is beside the launcher's own folder."""
    if launcher is None:
        return None
    root = Path(os.path.realpath(launcher.path)).parents[1]
    folders = (root / "lib", root / "lib64")
    return next((folder for folder in folders if (folder / library).is_file()), None)
