# SPDX-License-Identifier: BSD-3-Clause
"""`--transport suiro`: messages go over suiro's libfabric provider, if the job's MPI can load one.

Each MPI is told by variables of its own; they do nothing under the others, so all are set. What the
command line of the launcher says goes over them. The job's secret reaches ranks by its name only.
"""

import ctypes
import os
import secrets
from collections.abc import Sequence

from suiro.errors import MachineError
from suiro.native import library
from suiro.output import say
from suiro.run.elf import Kind, Program
from suiro.run.launchers import Launcher

INSTEAD = "; messages go over the MPI's own transport"
BUT_COLLECTIVES = f"{INSTEAD}, but for those of suiro's collectives"
_CHOSEN = "SUIRO_TRANSPORT"
_COLLECTIVES = "SUIRO_COLLECTIVES"
_OPENMPI = {
    # ob1 is what there is where the provider finds no network.
    "OMPI_MCA_pml": "cm,ob1",
    "OMPI_MCA_mtl": "ofi",
    "OMPI_MCA_mtl_ofi_provider_include": "suiro",
    "OMPI_MCA_opal_common_ofi_provider_include": "suiro",
}
_OTHERS = {
    "FI_PROVIDER": "suiro",
    "MPIR_CVAR_CH4_NETMOD": "ofi",
    "I_MPI_OFI_PROVIDER": "suiro",
}
# MPICH has the receiver confirm each message over 4 KB for the sake of its own one-sided
# communication over libfabric (init_settings.c), which suiro does not offer.
_UNLESS_SET = {
    "I_MPI_FABRICS": "shm:ofi",
    "MPIR_CVAR_CH4_OFI_ENABLE_RMA": "0",
}
_VERSION_1_5 = 1 << 16 | 5


def choose() -> bool:
    """Sets the variables, unless the provider cannot work on this machine, which is told."""
    try:
        provider = library("libsuiro-fi.so")
        offers = _offers(str(provider))
    except (MachineError, OSError) as error:
        say(f"{error}{INSTEAD}")
        return False
    if not offers:  # it has told why
        return False
    old = os.environ.get("FI_PROVIDER_PATH")
    os.environ.update(_UNLESS_SET | os.environ | _OPENMPI | _OTHERS)
    os.environ["FI_PROVIDER_PATH"] = ":".join(filter(None, [str(provider.parent), old]))
    os.environ.setdefault("SUIRO_JOB_SECRET", secrets.token_hex(32))
    os.environ[_CHOSEN] = "suiro"
    return True


def chosen() -> bool:
    """By this command, or by the one that started the script in which this launcher is called."""
    return os.environ.get(_CHOSEN) == "suiro"


def variables_for_ranks() -> set[str]:
    """Their names. Open MPI hands its own on by itself."""
    if not chosen():
        return set()
    settings = {name for name in os.environ if name.startswith(("SUIRO_NET", _COLLECTIVES))}
    ours = {_CHOSEN, "SUIRO_JOB_SECRET", "FI_PROVIDER_PATH"}
    return settings | ours | set(_OTHERS) | set(_UNLESS_SET)


def variables_under_slurm() -> set[str]:
    """Where there is no launcher of Open MPI's."""
    return variables_for_ranks() | set(_OPENMPI) if chosen() else set()


def obstacle(programs: Sequence[Program], launcher: Launcher | None) -> str:
    """Why the job's MPI cannot load the provider, as a sentence without its end. Then suiro's
    collectives use the transport directly."""
    told = _without_libfabric(programs, launcher) if chosen() else ""
    if told:
        os.environ.setdefault(_COLLECTIVES, "net")
    return told


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
