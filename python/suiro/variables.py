# SPDX-License-Identifier: BSD-3-Clause
"""The environment variables of suiro, as variables.json describes each once: what it takes, what
holds without it, who reads it. C++ has them from the same file (src/base/generate_variables.py)."""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import CalledProcessError

from suiro.errors import SuiroError, UsageError, did_you_mean
from suiro.quantities import byte_count

PREFIX = "SUIRO_"
FAMILY = "SUIRO_<COLLECTIVE>"  # one for each collective
_TOLD = "SUIRO_TOLD"
_SWITCH = {"on": True, "1": True, "yes": True, "true": True}
_SWITCH |= {"off": False, "0": False, "no": False, "false": False}
COUNT_MAX = 2**31 - 1  # where no other is said
_NUMBERS: dict[str, Callable[[str], float]] = {
    "share": float,
    "bytes": lambda value: byte_count(_digits(value, "[KMG]?")),
    "count": lambda value: int(_digits(value)),
    "seconds": lambda value: int(_digits(value)),
}
_SHOWN_MAX = 60  # letters of a value


def _digits(value: str, end: str = "") -> str:
    """As C++ reads them, and nothing else."""
    if not re.fullmatch(rf"[0-9]+{end}", value):
        raise ValueError
    return value


class WrongValueError(SuiroError):
    """The variable, its value, and what was expected. It was not given for this command, so that
    what can run without it does."""

    exit_code = UsageError.exit_code


@dataclass(frozen=True)
class Variable:
    """One of them. Where it is not set, `default` holds, or what `unset` says."""

    name: str
    kind: str  # switch, choice, count, bytes, seconds, share or text
    meaning: str
    default: str | int | None = None
    unset: str = ""
    lowest: str | int | None = None
    highest: str | int | None = None
    choices: tuple[str, ...] = ()
    words: str = ""  # what a text is
    ranks: bool = False  # read it
    secret: bool = False
    set_by: str = ""  # none: users

    @property
    def expected(self) -> str:
        """What values it takes, in words."""
        if self.kind == "switch":
            return "on or off"
        if self.kind == "choice":
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        if self.kind == "share":
            return f"a number from {self.lowest}, such as 1e-9"
        if self.kind in ("count", "bytes", "seconds"):
            what = {"count": "a number", "bytes": "a size", "seconds": "seconds"}[self.kind]
            end = f" to {self.highest}" if self.highest is not None else ""
            return f"{what} from {self.lowest}{end}"
        return self.words

    def parse(self, value: str) -> bool | float | str:
        """WrongValueError if it takes no such value. What a text means is left to who reads it."""
        try:
            return self._parse(value)
        except ValueError:
            shown = self.shown(value)
            raise WrongValueError(f"{self.name}={shown}: expected {self.expected}") from None

    def shown(self, value: str) -> str:
        """On one line; a secret is not repeated."""
        if self.secret:
            return "(hidden)"
        line = re.sub(r"[\0-\x1f\x7f]", "?", value)
        return line if len(line) <= _SHOWN_MAX else f"{line[:_SHOWN_MAX]}..."

    def _parse(self, value: str) -> bool | float | str:
        if self.kind == "switch":
            if value not in _SWITCH:
                raise ValueError
            return _SWITCH[value]
        if self.kind == "choice" and value not in self.choices:
            raise ValueError
        if self.kind in _NUMBERS:
            number = _NUMBERS[self.kind](value)
            if not byte_count(self.lowest) <= number <= byte_count(self.highest or COUNT_MAX):
                raise ValueError
            return number
        return value


@dataclass(frozen=True)
class Section:
    """What belongs together, for those who read of it."""

    title: str
    about: str
    variables: tuple[Variable, ...]


@cache
def sections() -> tuple[Section, ...]:
    """All that there are, in the order of the file."""
    rows = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return tuple(
        Section(
            title=row["title"],
            about=row.get("about", ""),
            variables=tuple(
                _variable({"set_by": row.get("set_by", "")} | each) for each in row["variables"]
            ),
        )
        for row in rows
    )


def _variable(row: dict[str, object]) -> Variable:
    choices = row.pop("choices", ())
    words = row.pop("expected", "")
    return Variable(choices=tuple(choices), words=words, **row)  # type: ignore[arg-type]


@cache
def table() -> dict[str, Variable]:
    """By name."""
    return {each.name: each for section in sections() for each in section.variables}


def text(name: str, environment: Mapping[str, str] | None = None) -> str:
    """What is set; empty where nothing is."""
    return (os.environ if environment is None else environment).get(table()[name].name, "")


def is_on(name: str, environment: Mapping[str, str] | None = None) -> bool:
    """Of a switch. WrongValueError if it is neither on nor off."""
    variable = table()[name]
    return bool(variable.parse(text(name, environment) or str(variable.default)))


def choice(name: str) -> str:
    """WrongValueError if there is no such choice."""
    variable = table()[name]
    return str(variable.parse(text(name) or str(variable.default)))


def number(name: str) -> int | None:
    """None where it is not set. WrongValueError if it is not in its range."""
    value = text(name)
    return int(table()[name].parse(value)) if value else None


def given_to_ranks(environment: Iterable[str]) -> set[str]:
    """Which of these names a launcher must hand on. There is one for each collective, and what is
    not known here may be known there."""
    ours = {name for name in environment if name == "SUIRO" or name.startswith(PREFIX)}
    return {name for name in ours if name not in table() or table()[name].ranks}


def forcing() -> list[str]:
    """Those that force algorithms; none where the native tool, which knows the collectives, is
    missing: what needs it will say so."""
    from suiro.native import collectives

    try:
        return [PREFIX + name.upper() for name in collectives()]
    except (SuiroError, OSError, CalledProcessError):
        return []


def in_use(environment: Mapping[str, str]) -> dict[str, Variable]:
    """Those that users set, in the order of the table."""
    found: dict[str, Variable] = {}
    for name, variable in table().items():
        names = forcing() if name == FAMILY else [name]
        found |= {each: variable for each in names if environment.get(each)}
    return {name: variable for name, variable in found.items() if not variable.set_by}


def check(environment: Mapping[str, str]) -> None:
    """WrongValueError if one that users set does not take what it is set to."""
    for name, variable in in_use(environment).items():
        variable.parse(environment[name])


def unknown(environment: Iterable[str]) -> dict[str, str]:
    """A line for each name that looks like a variable of suiro's, and is none."""
    names = sorted(n for n in environment if n.startswith(PREFIX) and n not in table())
    forced = forcing() if names else []
    known = [*table(), *forced]
    return {name: _told(name, known) for name in names if forced and name not in forced}


def newly_unknown() -> list[str]:
    """The lines of those that no suiro above this one has told; this one is to."""
    found = unknown(os.environ)
    before = text(_TOLD).split()
    if found:
        os.environ[_TOLD] = " ".join(found)
    return [line for name, line in found.items() if name not in before]


def _told(name: str, known: Iterable[str]) -> str:
    """What all names begin with says nothing of how near they are."""
    meant = did_you_mean(name.removeprefix(PREFIX), (each.removeprefix(PREFIX) for each in known))
    return f"there is no variable {name}" + meant.replace('"', f'"{PREFIX}', 1)
