# SPDX-License-Identifier: BSD-3-Clause
"""What Slurm's srun understands: where the programs stand in its command line, and which variables
it hands to ranks. It belongs to no MPI, so which one a job uses is seen from its programs."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from suiro.run import wrappers
from suiro.run.launchers import contexts

# Options that take the next word; all others stand alone or hold their value (--exclusive=user).
_LONG_ONE = """
    accel-bind account acctg-freq bb bbf bcast-exclude begin chdir cluster cluster-constraint
    clusters comment constraint container container-id context core-spec cores-per-socket cpu-bind
    cpu-freq cpu_bind cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution epilog
    error exclude export extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node
    gpus-per-socket gpus-per-task gres gres-flags het-group hint input job-name jobid licenses
    mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout
    network nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node
    ntasks-per-socket ntasks-per-tres open-mode output pack-group partition power prefer priority
    profile prolog qos relative reservation resources segment signal slurmd-debug sockets-per-node
    switches task-epilog task-prolog tasks-per-node thread-spec threads threads-per-core time
    time-min tmp treewidth tres-bind tres-per-task uid wait wckey
"""
_TAKING_ONE = frozenset(_LONG_ONE.split())
_SHORT_ONE = "ABCDFGJLMNSTWbcdeimnopqrtwx"
_SHORT_OPTIONAL = "IKk"  # what follows in the same word is their value
_TOKEN = re.compile(r"""(?:'[^']*'|"[^"]*"|[^,])+""")


@dataclass(frozen=True)
class _Option:
    """One option of a command line: its long name, or its letters, and the words it takes."""

    name: str
    value: str
    start: int
    end: int


def commands(arguments: Sequence[str]) -> list[list[str]]:
    """What srun will start: each program with its arguments; those of a --multi-prog file, too."""
    found: list[list[str]] = []
    for part in contexts(arguments):
        options, index = _parse(part)
        if index == len(part):
            continue
        if any(option.name == "multi-prog" for option in options):
            found += _programs_in(Path(part[index]))
        else:
            found.append(part[index:])
    return found


def program_index(part: Sequence[str]) -> int:
    """Where the options of a part end; len(part) when it names no program."""
    return _parse(part)[1]


def with_preload(
    arguments: Sequence[str], environment: Mapping[str, str], preload: str, names: Sequence[str]
) -> tuple[list[str], str]:
    """The arguments with which ranks get srun's own values of LD_PRELOAD and of `names`, and the
    LD_PRELOAD for srun: a value in its environment beats one in --export."""
    default = environment.get("SRUN_EXPORT_ENV", environment.get("SLURM_EXPORT_ENV", "ALL"))
    preloads = [preload]
    changed: list[str] = []
    for number, part in enumerate(contexts(arguments)):
        options, index = _parse(part)
        part[index:] = wrappers.with_preload(part[index:], preload)
        exports = [option for option in options if option.name == "export"]
        tokens = _tokens(exports[-1].value if exports else default)
        preloads += _exported_preloads(tokens, environment.get("LD_PRELOAD", ""))
        for option in reversed(exports):
            del part[option.start : option.end]
        changed += ([":"] if number else []) + [f"--export={_completed(tokens, names)}"] + part
    return changed, ":".join(dict.fromkeys(preloads))


def _exported_preloads(tokens: Sequence[str], own: str) -> list[str]:
    """What ranks would preload without suiro; `own` is srun's own LD_PRELOAD."""
    found: list[str] = []
    for token in tokens:
        name, equals, value = token.strip("'\"").partition("=")
        if name == "LD_PRELOAD" or name.upper() == "ALL":
            found += (value if equals else own).replace(" ", ":").split(":")
    return list(filter(None, found))


def _completed(tokens: Sequence[str], names: Sequence[str]) -> str:
    """All variables, or the user's choice of them and ours; NONE and NIL choose none."""
    kept = [token for token in tokens if token.strip("'\"").partition("=")[0] != "LD_PRELOAD"]
    if any(token.upper() == "ALL" for token in kept):
        return ",".join(kept)
    chosen = [token for token in kept if token.upper() not in ("NONE", "NIL")]
    return ",".join([*chosen, "LD_PRELOAD", *names])


def _tokens(text: str) -> list[str]:
    """What srun reads up to NONE, which ends its list."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        found.append(token)
        if token.upper() == "NONE":
            break
    return found


def _parse(part: Sequence[str]) -> tuple[list[_Option], int]:
    """The options of a part, and where its program stands; len(part) when it names none."""
    options: list[_Option] = []
    index = 0
    while index < len(part) and part[index].startswith("-") and part[index] != "-":
        if part[index] == "--":
            index += 1
            break
        option = (_long if part[index].startswith("--") else _short)(part, index)
        options.append(option)
        index = option.end
    return options, min(index, len(part))


def _long(part: Sequence[str], index: int) -> _Option:
    given, equals, value = part[index][2:].partition("=")
    name = _complete(given)
    if equals or name not in _TAKING_ONE:
        return _Option(name, value, index, index + 1)
    return _Option(name, "".join(part[index + 1 : index + 2]), index, index + 2)


def _complete(given: str) -> str:
    """An option may be cut short as long as it is one only, as getopt has it."""
    known = [*_TAKING_ONE, "multi-prog"]
    matching = [name for name in known if name.startswith(given)]
    return given if given in known or len(matching) != 1 else matching[0]


def _short(part: Sequence[str], index: int) -> _Option:
    """Letters in one word: -lv, -n4, -ln 4."""
    word = part[index]
    for place, letter in enumerate(word[1:], 1):
        if letter in _SHORT_OPTIONAL:
            break
        if letter in _SHORT_ONE:
            return _Option(word[1:], "", index, index + (1 if word[place + 1 :] else 2))
    return _Option(word[1:], "", index, index + 1)


def _programs_in(path: Path) -> list[list[str]]:
    """Lines of `TASKS PROGRAM ARGUMENTS`; srun itself complains about a file that is wrong."""
    try:
        lines = path.read_text(errors="replace").replace("\\\n", " ").splitlines()
        words = [shlex.split(line, comments=True) for line in lines]
    except (OSError, ValueError):
        return []
    return [line[1:] for line in words if len(line) > 1]
