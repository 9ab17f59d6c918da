# SPDX-License-Identifier: BSD-3-Clause
"""From the user's command to the command that is started, or why suiro cannot help it."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from suiro import variables
from suiro.errors import MachineError, UsageError, did_you_mean
from suiro.native import library
from suiro.run import context_file, env_list, launchers, srun, transport, wrappers
from suiro.run.elf import MPI_KINDS, Kind, Program, examine
from suiro.run.handing import Handed, join_preload, with_preload
from suiro.run.worlds import BUT_COLLECTIVES

_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "mpi_abi": "the MPI standard's interface"}
# What a launcher's interpreters may need. Not more: mpi4py calls what names of MPI 4 it finds, and
# Open MPI has none behind the libraries that bring them.
_LIKELY = {"openmpi": ("openmpi",), "mpich": ("mpich", "mpi_abi")}
_ASAN_OPTION = "verify_asan_link_order=0"  # the library sets it where the program does not
_SBATCH = "sbatch returns before its job runs: write `suiro run --` before srun in the job's script"


@dataclass
class Plan:
    """What to start. With an obstacle the words are the user's own."""

    words: list[str]
    variables: dict[str, str] = field(default_factory=dict)
    obstacle: str = ""  # why suiro cannot work, as a sentence without its end
    transport_obstacle: str = ""  # why its transport cannot, though the collectives do
    starts_launchers: bool = False  # a script that may start launchers by itself
    preload: str = ""  # suiro's own part of LD_PRELOAD
    commands: list[list[str]] = field(default_factory=list)  # programs, with their arguments
    files: list[int] = field(default_factory=list)  # which the launcher must find open

    def told(self, strict: bool = False) -> list[str]:
        """What the user must know, and what happens instead, unless that is strict."""
        if self.obstacle:
            return [self.obstacle + ("" if strict else "; the command runs unchanged")]
        if self.transport_obstacle:
            return [self.transport_obstacle + ("" if strict else BUT_COLLECTIVES)]
        return []


def absence(program: str) -> str:
    """How it is told that there is none."""
    near = did_you_mean(program, (*launchers.LAUNCHER_NAMES, "srun", "sbatch", "salloc"))
    where = "no such file" if "/" in program else "no such program on the PATH"
    return f"{program}: {where}{near}"


def prepare(words: Sequence[str], mpi: str | None) -> Plan:
    """Decides by what the first word is: a launcher, an MPI program, or something that starts
    launchers. `mpi` overrides what is found."""
    found = shutil.which(words[0])
    if found is None:
        raise UsageError(absence(words[0]))
    name = Path(words[0]).name
    if name == "srun":
        return _under_srun(words, mpi)
    if name == "sbatch":
        return Plan(list(words), obstacle=_SBATCH)
    if launchers.has_launcher_name(words[0]):
        return _under_launcher(words, mpi)
    program = examine(Path(found).resolve())
    if program.kind in MPI_KINDS or (program.kind is Kind.UNKNOWN and mpi):
        obstacle = _obstacle(words[0], program, "")
        return Plan(list(words), obstacle=obstacle) if obstacle else _alone(words, program, mpi)
    if program.kind is Kind.UNKNOWN:
        return Plan(list(words), starts_launchers=True, commands=[list(words)])
    return Plan(list(words), obstacle=_obstacle(words[0], program, ""))


def _under_launcher(words: Sequence[str], mpi: str | None) -> Plan:
    launcher = launchers.recognise(words[0])
    if launcher is None:
        known = "Open MPI's mpirun, MPICH's mpiexec, Slurm's srun"
        return Plan(
            list(words), obstacle=f"{words[0]} is not a launcher that suiro knows ({known})"
        )
    file = context_file.find(launcher, words[1:], os.environ)
    commands = [*launchers.commands(launcher, words[1:])]
    commands += [
        c for part in (file.parts if file else []) for c in launchers.commands(launcher, part)
    ]
    programs = []
    for name in map(wrappers.program, commands):
        found = shutil.which(name)
        if found is None:
            continue  # it may exist on the hosts where it runs
        programs.append(examine(Path(found).resolve()))
        expected = "" if mpi else f"{words[0]} belongs to {_NAMES[launcher.mpi]}"
        obstacle = _obstacle(name, programs[-1], mpi or launcher.mpi, expected)
        if obstacle:
            return Plan(list(words), obstacle=obstacle)
    listed = env_list.of(launcher, words[1:], os.environ)
    if listed.obstacle(launcher):
        return Plan(list(words), obstacle=listed.obstacle(launcher))
    one = mpi or _mpi_of(programs)
    preload = _preload(one) if one else _preload(*_LIKELY[launcher.mpi])
    without_transport = transport.obstacle(programs, launcher)
    joined = join_preload(preload, os.environ.get("LD_PRELOAD"))
    handed = Handed(joined, _variables_for_ranks(), os.environ)
    arguments, files = with_preload(launcher, words[1:], handed, listed, file)
    # What a job spawns under Open MPI 5 has its launcher's variables, and must choose as the job.
    inherited = {"LD_PRELOAD": joined} if transport.chosen() and launcher.mpi == "openmpi" else {}
    return Plan(
        [words[0], *arguments],
        inherited,
        transport_obstacle=without_transport,
        preload=preload,
        commands=commands,
        files=files,
    )


def _under_srun(words: Sequence[str], mpi: str | None) -> Plan:
    """srun starts programs of any MPI: the programs tell which, or `mpi` does."""
    commands = srun.commands(words[1:])
    if not commands:
        return Plan(list(words), obstacle=f"{words[0]} names no program here")
    names = [wrappers.program(command) for command in commands]
    programs = [examine(Path(shutil.which(name) or name).resolve()) for name in names]
    obstacles = [
        _obstacle(name, program, mpi or "") for name, program in zip(names, programs, strict=True)
    ]
    one = mpi or _mpi_of(programs)
    unknown = (
        f"it cannot be told which MPI {names[0]} will use: give --mpi openmpi, mpich or mpi_abi"
    )
    obstacle = next(filter(None, obstacles), "" if one else unknown)
    if obstacle:
        return Plan(list(words), obstacle=obstacle)
    without_transport = transport.obstacle(programs, None)
    arguments, joined = srun.with_preload(
        words[1:], os.environ, _preload(one), _variables_for_ranks()
    )
    return Plan(
        [words[0], *arguments],
        {"LD_PRELOAD": joined},
        transport_obstacle=without_transport,
        preload=_preload(one),
        commands=commands,
    )


def _alone(words: Sequence[str], program: Program, mpi: str | None) -> Plan:
    """A program that starts without a launcher is a job of one rank."""
    preload = _preload(mpi or program.kind.value)
    return Plan(
        list(words),
        {"LD_PRELOAD": join_preload(preload, os.environ.get("LD_PRELOAD"))},
        transport_obstacle=transport.obstacle([program], None),
        preload=preload,
        commands=[list(words)],
    )


def _mpi_of(programs: Sequence[Program]) -> str:
    """Empty where they do not tell, as interpreters."""
    kinds = {program.kind.value for program in programs if program.kind in MPI_KINDS}
    return kinds.pop() if len(kinds) == 1 else ""


def _preload(*names: str) -> str:
    """Each library passes on the calls of MPIs that are not its own."""
    paths = [str(library(f"libsuiro-{name}.so")) for name in names]
    if any(letter in path for path in paths for letter in " :"):
        raise MachineError(
            f"LD_PRELOAD cannot name {paths[0]}, which has a blank or a colon: "
            "install suiro elsewhere"
        )
    return ":".join(paths)


def _variables_for_ranks() -> list[str]:
    """What `suiro run` tells them, and suiro's settings as far as they are set."""
    return sorted({"SUIRO_JOB", "SUIRO_TOKEN"} | variables.given_to_ranks(os.environ))


def _obstacle(name: str, program: Program, mpi: str, expected: str = "") -> str:
    """Empty when suiro can work with the program. `mpi` is what it should use, for the reason
    `expected`; the standard's interface may be any MPI's."""
    if program.kind is Kind.STATIC_MPI:
        return f"{name} has its MPI linked in statically, so nothing can be put in between"
    if program.kind is Kind.OTHER_MPI:
        return f"{name} uses {program.detail}, an MPI that suiro does not know"
    if program.kind is Kind.NOT_MPI:
        return f"{name} is not an MPI program"
    if program.sets_asan_options and _ASAN_OPTION not in os.environ.get("ASAN_OPTIONS", ""):
        return (
            f"{name} has an __asan_default_options of its own, without which its AddressSanitizer "
            f"would let suiro's library be first: add {_ASAN_OPTION} there, or to ASAN_OPTIONS"
        )
    if not mpi or program.kind.value in (mpi, "unknown"):
        return ""
    if expected and program.kind is Kind.MPI_ABI:
        return ""
    return f"{name} uses {_NAMES[program.kind.value]}, but {expected or f'--mpi says {mpi}'}"
