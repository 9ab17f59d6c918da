# SPDX-License-Identifier: BSD-3-Clause
"""What is forced on suiro, one setting after the other: every algorithm of its catalog."""

import json
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from jobs import Setting

from suiro import native
from suiro.errors import UsageError

_DEFAULTS = Setting()
# Cuts also the short messages of tests into many pieces.
_SHORT_SEGMENT = 64


def chosen_settings(collectives: list[str] | None, algorithms: list[str] | None) -> list[Setting]:
    """The defaults first, then all that was not excluded."""
    found = [
        setting
        for setting in _all_settings(algorithms or [])
        if _wanted(setting, collectives, algorithms)
    ]
    if not found:
        raise UsageError(
            "no algorithm fits --collective and --algorithm: `suiro algorithms` lists them"
        )
    return found


def _wanted(setting: Setting, collectives: list[str] | None, algorithms: list[str] | None) -> bool:
    if setting == _DEFAULTS:
        return "defaults" in algorithms if algorithms else not collectives
    if collectives and not setting.collectives & set(collectives):
        return False
    name = setting.algorithm.partition(":")[0]
    return not algorithms or any(
        setting.algorithm == wanted or fnmatchcase(name, wanted) for wanted in algorithms
    )


def _all_settings(algorithms: list[str]) -> Iterator[Setting]:
    extended = defaultdict(set)
    for row in _asked("collectives"):
        extended[row["regular"]].add(row["name"])
    yield _DEFAULTS
    for row in _asked("algorithms"):
        for form in dict.fromkeys([*_forms(row), *_given(row["name"], algorithms)]):
            name = f"{row['collective']}={form}"
            yield Setting(name, form, frozenset(extended[row["collective"]]))


def _forms(row: dict[str, Any]) -> Iterator[str]:
    """As it is, and with short segments where it cuts messages."""
    yield row["name"]
    for parameter in row["parameters"]:
        if parameter["name"] == "segment":
            yield f"{row['name']}:segment={max(_SHORT_SEGMENT, parameter['minimum'])}"


def _given(name: str, algorithms: list[str]) -> list[str]:
    """Parameters that the user wants."""
    return [wanted for wanted in algorithms if wanted.startswith(f"{name}:")]


def _asked(what: str) -> list[dict[str, Any]]:
    words = [str(native.tool("suiro-schedule")), what, "--json"]
    rows: list[dict[str, Any]] = json.loads(subprocess.check_output(words))[what]
    return rows
