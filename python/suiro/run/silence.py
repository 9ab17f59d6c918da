# SPDX-License-Identifier: BSD-3-Clause
"""Why no rank reported: what is known, and what was found by looking at what the user started."""

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from suiro.output import reason_of
from suiro.run import wrappers
from suiro.run.command import Plan
from suiro.run.launchers import LAUNCHER_NAMES

_SCRIPT_BYTES_MAX = 1 << 20
_NAMES = "|".join([*LAUNCHER_NAMES, "srun"])
_PASSING_BY = re.compile(
    rf"""[^\s"'`(=\[,;|&]*/(?:{_NAMES})(?:\.\w+)?(?=[\s"'`)\],;|&]|$)"""
    r"""|\bmodule\s+(?:load|add|swap|switch)\b|(?<![\w-])PATH="""
)
_REPLACING = re.compile(
    r"""(?:\bunset|(?<!\S)-u|--unset[= ])\s*LD_PRELOAD\b"""
    r"""|\bLD_PRELOAD=(?!(?:"[^"]*|'[^']*|[^\s;&|"']*)\$\{?LD_PRELOAD\b)"""
    r"""|\benv\s+(?:-i|--ignore-environment|-)(?=\s)"""
    r"""|\bos\.environ\[["']LD_PRELOAD["']\]\s*="""
)


def told(plan: Plan, called: bool) -> str:
    """One line. `called` is whether a script has called a launcher by its name."""
    missing = _missing(plan.commands)
    if missing:
        return f"no rank reported, and on this machine there is no {' and no '.join(missing)}"
    if plan.starts_launchers and not called:
        what = "no rank reported: the command called none of MPI's launchers by its name"
        found = _found(plan.commands, _PASSING_BY)
        remedy = "write `suiro run --` before the launcher there"
    else:
        name = Path(plan.preload.split(":")[0]).name or "suiro's library"
        what = f"no rank reported: no process called MPI_Init that has {name} and reaches this host"
        found = _found(plan.commands, _REPLACING)
        remedy = "keep there what LD_PRELOAD has"
    return f"{what}; {', '.join(found)}: {remedy}" if found else what


def _missing(commands: Sequence[Sequence[str]]) -> list[str]:
    """Programs; the launcher has told why it could not start them."""
    names = dict.fromkeys(wrappers.program(command) for command in commands if command)
    return [told for name in names if shutil.which(name) is None and (told := _if_missing(name))]


def _if_missing(name: str) -> str:
    try:
        return "" if Path(name).exists() else name
    except OSError as error:  # a folder on the way, as a rule
        return f"{name} ({reason_of(error)})"


def _found(commands: Sequence[Sequence[str]], looked_for: re.Pattern[str]) -> list[str]:
    """The first place in each script."""
    places = []
    for name, text in _texts(commands):
        for number, line in enumerate(text.splitlines(), 1):
            place = looked_for.search("" if line.lstrip().startswith("#") else line)
            if place:
                places.append(f"line {number} of {name} has `{place[0].strip()}`")
                break
    return list(dict.fromkeys(places))


def _texts(commands: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """The user's words, and the scripts among them."""
    for words in commands:
        yield "the command", " ".join(words)
        for word in words:
            path = Path(shutil.which(word) or word)
            try:
                if path.is_file() and path.stat().st_size <= _SCRIPT_BYTES_MAX:
                    yield path.name, path.read_text()
            except (OSError, ValueError):
                continue  # not a text
