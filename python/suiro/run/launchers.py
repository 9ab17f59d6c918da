# SPDX-License-Identifier: BSD-3-Clause
"""What launchers understand: whose they are, where the program stands in their command line, and
how they hand variables to ranks. Nothing secret is ever put on a command line."""

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


def program_index(mpi: str, part: Sequence[str]) -> int:
    """Where the options of a part end; len(part) when it names no program."""
    following = _FOLLOWING[mpi]
    index = 0
    while index < len(part) and part[index].startswith("-"):
        index += 1 + following.get(part[index].lstrip("-"), 0)
    return min(index, len(part))


def programs(launcher: Launcher, arguments: Sequence[str]) -> Iterator[str]:
    """The programs that the launcher will start."""
    for part in contexts(arguments):
        index = program_index(launcher.mpi, part)
        if index < len(part):
            yield part[index]


def with_preload(
    launcher: Launcher, arguments: Sequence[str], preload: str, names: Sequence[str]
) -> list[str]:
    """The launcher's arguments, so that ranks get LD_PRELOAD=`preload` and the launcher's own
    values of the variables `names`."""
    change = _openmpi_part if launcher.mpi == "openmpi" else _hydra_part
    changed: list[str] = []
    for number, part in enumerate(contexts(arguments)):
        split = program_index(launcher.mpi, part)
        options = change(part[:split], preload, names, number == 0)
        changed += ([":"] if number else []) + options + part[split:]
    return changed


def join_preload(ours: str, theirs: str | None) -> str:
    """suiro's library comes first; what the user preloads stays."""
    return ":".join(filter(None, [ours, (theirs or "").replace(" ", ":")]))


def _openmpi_part(
    options: Sequence[str], preload: str, names: Sequence[str], _first: bool
) -> list[str]:
    """Every part has its own `-x`; a user's own LD_PRELOAD among them is joined."""
    kept: list[str] = []
    theirs = None
    index = 0
    while index < len(options):
        value = options[index + 1] if index + 1 < len(options) else ""
        if options[index].lstrip("-") == "x" and value.startswith("LD_PRELOAD="):
            theirs = value.removeprefix("LD_PRELOAD=")
            index += 2
        elif options[index].lstrip("-") == "x" and (value == "LD_PRELOAD" or value in names):
            index += 2
        else:
            kept.append(options[index])
            index += 1
    forwarded = [word for name in names for word in ("-x", name)]
    return ["-x", f"LD_PRELOAD={join_preload(preload, theirs)}", *forwarded, *kept]


def _hydra_part(
    options: Sequence[str], preload: str, names: Sequence[str], first: bool
) -> list[str]:
    """Hydra hands its whole environment on, unless the user lists what it shall hand on."""
    kept: list[str] = []
    index = 0
    while index < len(options):
        option = options[index].lstrip("-")
        if option in ("genvlist", "envlist") and index + 1 < len(options):
            kept += [options[index], ",".join([options[index + 1], *names])]
            index += 2
        elif option in ("genvnone", "envnone"):
            kept += [f"-{option.removesuffix('none')}list", ",".join(names)]
            index += 1
        elif option in ("genv", "env") and options[index + 1 : index + 2] == ["LD_PRELOAD"]:
            joined = join_preload(preload, "".join(options[index + 2 : index + 3]))
            kept += [options[index], "LD_PRELOAD", joined]
            index += 3
        else:
            kept.append(options[index])
            index += 1
    return (["-genv", "LD_PRELOAD", preload] if first else []) + kept
