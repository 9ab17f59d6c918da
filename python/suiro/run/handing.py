# SPDX-License-Identifier: BSD-3-Clause
"""How launchers hand variables to ranks. Nothing secret is ever put on a command line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from suiro.run import context_file, env_list, wrappers
from suiro.run.context_file import ContextFile
from suiro.run.env_list import EnvList
from suiro.run.launchers import Launcher, contexts, options, program_index

_NO_LIST = EnvList()
_HYDRA_CHOICE = {"genvlist", "genvnone", "genvall"}


@dataclass(frozen=True)
class Handed:
    """What ranks shall get: LD_PRELOAD, and the launcher's own values of the variables `names`."""

    preload: str
    names: Sequence[str]
    environment: Mapping[str, str]  # the launcher's


_Change = Callable[[list[list[str]]], list[str]]  # of the options of a part


def join_preload(ours: str, theirs: str | None) -> str:
    """suiro's library comes first; what the user preloads stays."""
    return ":".join(filter(None, [ours, (theirs or "").replace(" ", ":")]))


def with_preload(
    launcher: Launcher,
    arguments: Sequence[str],
    handed: Handed,
    listed: EnvList = _NO_LIST,
    file: ContextFile | None = None,
) -> tuple[list[str], list[int]]:
    """The launcher's arguments, and the files that it must find open."""
    parts = contexts(arguments)
    change = _change(launcher, handed, listed)

    def changed(part: Sequence[str]) -> list[str]:
        given = change(list(options(launcher.mpi, part)))
        rest = part[program_index(launcher.mpi, part) :]
        return given + wrappers.with_preload(rest, handed.preload)

    files = []
    first = _first(launcher, handed, listed, [*parts, *(file.parts if file else [])])
    if file is not None:
        lines = [changed(part) for part in file.parts]
        if file.option or lines != file.parts:  # one that was named may be a pipe, now read
            number, name = context_file.in_memory(lines)
            files.append(number)
            parts[0] = _naming(launcher.mpi, parts[0], file.option, name)
    if file is None or not _lines_say_all(launcher, listed, parts[0]):
        parts = [changed(part) for part in parts]
    parts[0] = first + parts[0]
    return [word for part in parts for word in (":", *part)][1:], files


def _change(launcher: Launcher, handed: Handed, listed: EnvList) -> _Change:
    """What happens to the options of each part."""
    if launcher.mpi == "mpich":
        return lambda given: _hydra(given, handed)
    if listed.refuses_others(launcher):
        return lambda given: [
            word for option in given if not env_list.is_part_of(option) for word in option
        ]
    return lambda given: _openmpi(given, handed, listed)


def _first(
    launcher: Launcher, handed: Handed, listed: EnvList, parts: Sequence[Sequence[str]]
) -> list[str]:
    """What stands in front of everything."""
    if launcher.mpi == "openmpi":
        preload = join_preload(handed.preload, listed.preload)
        refuses = listed.refuses_others(launcher)
        return listed.joined(preload, handed.names, handed.environment) if refuses else []
    preload_only = ["-genv", "LD_PRELOAD", handed.preload]
    names = {option[0].lstrip("-") for part in parts for option in options("mpich", part)}
    if handed.environment.get("HYDRA_ENV", "all") == "all" or names & _HYDRA_CHOICE:
        return preload_only
    return [*preload_only, "-genvlist", ",".join(handed.names)]


def _lines_say_all(launcher: Launcher, listed: EnvList, part: Sequence[str]) -> bool:
    """Whether the command line beside an --app file stays: Open MPI 4 takes no `-x` from it, and
    with Open MPI 5 one there would hide that of the file's first line."""
    if launcher.mpi == "mpich" or listed.refuses_others(launcher):
        return False
    return not any(map(_is_preload, options("openmpi", part)))


def _naming(mpi: str, part: Sequence[str], option: str, name: str) -> list[str]:
    """The part with another file; Hydra may not have been told of one."""
    if not option:
        return ["-configfile", name, *part]
    changed = list(part)
    changed[changed.index(option, 0, program_index(mpi, part)) + 1] = name
    return changed


def _openmpi(given: Sequence[list[str]], handed: Handed, listed: EnvList) -> list[str]:
    """Every part has its own `-x`; a user's own LD_PRELOAD among them is joined."""
    kept: list[str] = []
    theirs = listed.preload
    for option in given:
        name, equals, value = option[-1].partition("=")
        if _is_preload(option):
            theirs = value if equals else ""  # without a value, it is the launcher's own
        elif option[0].lstrip("-") != "x" or equals or name not in handed.names:
            kept += option
    forwarded = [word for name in handed.names for word in ("-x", name)]
    return ["-x", f"LD_PRELOAD={join_preload(handed.preload, theirs)}", *forwarded, *kept]


def _is_preload(option: Sequence[str]) -> bool:
    return option[0].lstrip("-") == "x" and option[-1].partition("=")[0] == "LD_PRELOAD"


def _hydra(given: Sequence[list[str]], handed: Handed) -> list[str]:
    """Hydra hands its whole environment on, unless the user lists what it shall hand on."""
    kept: list[str] = []
    for option in given:
        name = option[0].lstrip("-")
        variable, _, value = "=".join(option[1:]).partition("=")
        if name in ("genvlist", "envlist") and len(option) > 1:
            kept += [option[0], ",".join([option[1], *handed.names])]
        elif name in ("genvnone", "envnone"):
            kept += [f"-{name.removesuffix('none')}list", ",".join(handed.names)]
        elif name in ("genv", "env") and variable == "LD_PRELOAD":
            kept += [option[0], variable, join_preload(handed.preload, value)]
        else:
            kept += option
    return kept
