# SPDX-License-Identifier: BSD-3-Clause
"""`env` between a launcher and its program: it may replace what the launcher has put into
LD_PRELOAD. Other wrappers cannot be looked through."""

import re
from collections.abc import Sequence
from pathlib import Path


def program_index(words: Sequence[str]) -> int:
    """Where the program stands. 0 if that is the first word, or what `env` does is not known."""
    if not words or Path(words[0]).name != "env":
        return 0
    index = 1
    while index < len(words) and (count := _option(words[index:])):
        index += count
    while index < len(words) and "=" in words[index] and not words[index].startswith("-"):
        index += 1
    if index == len(words) or words[index].startswith("-"):
        return 0
    return index + program_index(words[index:])


def program(words: Sequence[str]) -> str:
    """The program's name."""
    return words[program_index(words)]


def with_preload(words: Sequence[str], preload: str) -> list[str]:
    """The program and its wrapper, which puts `preload` in front of what it has for LD_PRELOAD."""
    name = "LD_PRELOAD="
    end = program_index(words)
    changed = [
        f"{name}{preload}:{word.removeprefix(name)}" if word.startswith(name) else word
        for word in words[:end]
    ]
    return [*changed, *words[end:]]


def _option(words: Sequence[str]) -> int:
    """How many words an option has that does nothing to LD_PRELOAD; 0 if it is not one of these."""
    if words[0] in ("-v", "--debug"):
        return 1
    if words[0] in ("-u", "--unset"):
        return 2 if words[1:2] != ["LD_PRELOAD"] else 0
    unset = re.match(r"(-u|--unset=)(.+)", words[0])
    return 1 if unset and unset[2] != "LD_PRELOAD" else 0
