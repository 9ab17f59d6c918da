# SPDX-License-Identifier: BSD-3-Clause
"""What launchers understand: whose they are, and where the program stands in their command line."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Programs with these names, or these and a suffix (mpirun.openmpi), start MPI jobs.
LAUNCHER_NAMES = ("mpirun", "mpiexec", "orterun", "prterun")
# These start MPI jobs too, but suiro does not know how they hand variables to ranks.
FOREIGN_NAMES = ("aprun", "jsrun", "prun", "ibrun", "mpirun_rsh", "flux")

# Options by how many words follow them; dashes left out. Those of all versions together, since none
# has changed its meaning.
_OPENMPI_ONE = """
    N H add-host add-hostfile am amca app append-env bind-to c cpu-list cpu-set cpus-per-proc
    cpus-per-rank default-hostfile display dvm exec-agent forward-signals gpu-support host hostfile
    initial-errhandler keepalive launch-agent machinefile map-by max-restarts max-vm-size
    memory-alloc-kinds n np npernode npersocket num-connect-retries ompi-server output
    output-directory output-filename path personality ppr prefix preload-files prepend-env pset
    rank-by rankfile report-pid report-uri rf rtos runtime-options server-wait-time set-sid
    singleton slot-list spawn-timeout stdin stream-buffering timeout tmpdir tune unset-env wd wdir
    with-ft x xterm
"""
_OPENMPI_TWO = "mca gmca omca gomca pmixmca gpmixmca prtemca gprtemca"
_HYDRA_ONE = """
    arch bind-to bootstrap bootstrap-exec bootstrap-exec-args branch-count ckpoint-interval
    ckpoint-num ckpoint-prefix ckpointlib configfile cpu-bind demux dir envlist errfile-pattern f
    genvlist gpus-per-proc grr gtool gtoolfile host hostfile hosts hosts-group iface launcher
    launcher-exec localhost machine machinefile map-by membind memory-alloc-kinds n nameserver np
    outfile-pattern path pattern perhost port ppn prepend-pattern rankmap rmk s stdin tmpdir topolib
    tune usize wdir
"""
_FOLLOWING = {
    "openmpi": dict.fromkeys(_OPENMPI_ONE.split(), 1) | dict.fromkeys(_OPENMPI_TWO.split(), 2),
    "mpich": dict.fromkeys(_HYDRA_ONE.split(), 1) | {"genv": 2, "env": 2},
}


@dataclass(frozen=True)
class Launcher:
    """A launcher program and the MPI that it belongs to."""

    path: str
    mpi: str  # openmpi, or mpich, whose launcher Intel MPI has, too
    loads_providers: bool = True  # of libfabric, as far as it tells
    product: str = ""  # Open MPI, MPICH, Intel MPI
    version: str = ""  # as far as it tells

    @property
    def major(self) -> int:
        """Of its version; 0 if that is not known."""
        number = re.match(r"\d+", self.version)
        return int(number[0]) if number else 0

    @property
    def full_name(self) -> str:
        return f"{self.product} {self.version}".rstrip()


def has_launcher_name(program: str) -> bool:
    """By its name alone: nothing is run to find out."""
    name = Path(program).name
    return name.split(".")[0] in LAUNCHER_NAMES or name in FOREIGN_NAMES


def recognise(program: str) -> Launcher | None:
    """The launcher that `program` names, when it is one that suiro knows. It is asked for its
    version, so call this only for a program with a launcher's name."""
    path = shutil.which(program)
    if path is None or Path(program).name in FOREIGN_NAMES:
        return None
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=10, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = answer.stdout + answer.stderr
    if any(name in text for name in ("Open MPI", "OpenRTE", "prterun")):
        version = _number_after(r"\((?:Open MPI|OpenRTE)\)", text)
        return Launcher(path, "openmpi", product="Open MPI", version=version)
    if "HYDRA" in text:
        device = re.search(r"--with-device=([^'\s]+)", text)
        loads = device is None or "ofi" in device[1]
        return Launcher(path, "mpich", loads, "MPICH", _number_after("Version:", text))
    if "Intel(R) MPI" in text:
        version = _number_after("Version", text)
        return Launcher(path, "mpich", product="Intel MPI", version=version)
    return None


def _number_after(words: str, text: str) -> str:
    found = re.search(words + r"\s+(\d[\w.]*)", text)
    return found[1] if found else ""


def contexts(arguments: Sequence[str]) -> list[list[str]]:
    """The parts of a launcher's command line that `:` separates, each with a program."""
    parts: list[list[str]] = [[]]
    for argument in arguments:
        if argument == ":":
            parts.append([])
        else:
            parts[-1].append(argument)
    return parts


def options(mpi: str, part: Sequence[str]) -> Iterator[list[str]]:
    """Each option in front of a part's program, with the words that belong to it."""
    index = 0
    while index < len(part) and part[index].startswith("-"):
        name = part[index].lstrip("-")
        count = 1 + _FOLLOWING[mpi].get(name, 0)
        if mpi == "mpich" and name in ("genv", "env") and "=" in "".join(part[index + 1 :][:1]):
            count = 2
        yield list(part[index : index + count])
        index += count


def program_index(mpi: str, part: Sequence[str]) -> int:
    """Where the options of a part end; len(part) when it names no program."""
    return sum(map(len, options(mpi, part)))


def commands(launcher: Launcher, arguments: Sequence[str]) -> Iterator[list[str]]:
    """What the launcher will start: each program with its arguments."""
    for part in contexts(arguments):
        index = program_index(launcher.mpi, part)
        if index < len(part):
            yield part[index:]
