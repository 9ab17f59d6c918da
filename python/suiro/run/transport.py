# SPDX-License-Identifier: BSD-3-Clause
"""`--transport suiro`: messages go over suiro's libfabric provider, if the job's MPI can load one.

Here stands what can be told before the job starts. The rest is settled by the ranks, all alike
(src/mpi/job/provider.cpp), which then tell their MPI. The job's secret reaches
them by its name only.
"""

import ctypes
import os
import re
import secrets
from collections.abc import Sequence

from suiro import variables
from suiro.errors import MachineError
from suiro.native import library
from suiro.output import say
from suiro.run.elf import Kind, Program
from suiro.run.launchers import Launcher
from suiro.run.worlds import INSTEAD

OTHER_MPI = "for --transport suiro, use Open MPI 4.1.6 or later, or MPICH 5"
_CHOSEN = "SUIRO_TRANSPORT"
_COLLECTIVES = "SUIRO_COLLECTIVES"
_WRONG_OFFSETS = "SUIRO_WRONG_OFFSETS"
_RIGHT_OPENMPI = (4, 1, 6)
_VERSION_1_5 = 1 << 16 | 5


def choose() -> bool:
    """For all that this command starts, unless the provider cannot work on this machine, which is
    told."""
    try:
        provider = library("libsuiro-fi.so")
        offers = _offers(str(provider))
    except (MachineError, OSError) as error:
        say(f"{error}{INSTEAD}")
        return False
    if not offers:  # it has told why
        return False
    os.environ.setdefault("SUIRO_JOB_SECRET", secrets.token_hex(32))
    os.environ[_CHOSEN] = "suiro"
    return True


def chosen() -> bool:
    """By this command, or by the one that started the script in which this launcher is called."""
    return variables.text(_CHOSEN) == "suiro"


def obstacle(programs: Sequence[Program], launcher: Launcher | None) -> str:
    """Why the job's MPI cannot use the provider, as a sentence without its end. Then suiro's
    collectives use the transport directly."""
    if not chosen():
        return ""
    told = _without_libfabric(programs, launcher) or wrong_offsets(launcher)
    if told:
        del os.environ[_CHOSEN]
        os.environ.setdefault(_COLLECTIVES, "net")
    return told


def wrong_offsets(launcher: Launcher | None) -> str:
    """Open MPI's own fault, which the ranks look for as well: theirs may be another Open MPI."""
    if launcher is None or launcher.mpi != "openmpi":
        return ""
    numbers = tuple(map(int, re.findall(r"\d+", launcher.version)[:3]))
    if not numbers or numbers >= _RIGHT_OPENMPI or variables.text(_WRONG_OFFSETS) == "accept":
        return ""
    return (
        f"{launcher.full_name} sends datatypes with an offset from the wrong place over libfabric "
        "(4.1.6 does not)"
    )


def _without_libfabric(programs: Sequence[Program], launcher: Launcher | None) -> str:
    """Programs know best; interpreters leave it to the launcher."""
    known = [program for program in programs if program.kind in (Kind.MPICH, Kind.MPI_ABI)]
    without = [program for program in known if not program.loads_providers]
    if without:
        return f"{without[0].path.name} uses an MPICH without libfabric"
    if launcher is not None and not known and not launcher.loads_providers:
        return f"{launcher.path} starts programs of an MPICH without libfabric"
    return ""


class _Provider(ctypes.Structure):
    """struct fi_provider, the same in all versions of libfabric."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("fi_version", ctypes.c_uint32),
        ("context", ctypes.c_void_p * 4),
        ("name", ctypes.c_char_p),
        (
            "getinfo",
            ctypes.CFUNCTYPE(
                ctypes.c_int,
                ctypes.c_uint32,
                ctypes.c_char_p,
                ctypes.c_char_p,
                ctypes.c_uint64,
                ctypes.c_void_p,
                ctypes.POINTER(ctypes.c_void_p),
            ),
        ),
    )


def _offers(path: str) -> bool:
    """Asks the provider, as libfabric would, whether it can work here; it says why it cannot."""
    enter = ctypes.CDLL(path).fi_prov_ini
    enter.restype = ctypes.POINTER(_Provider)
    info = ctypes.c_void_p()
    answer = enter().contents.getinfo(_VERSION_1_5, None, None, 0, None, ctypes.byref(info))
    return bool(answer == 0)


if __name__ == "__main__":  # `suiro doctor` asks so, and takes what the provider says
    raise SystemExit(0 if _offers(str(library("libsuiro-fi.so"))) else 1)
