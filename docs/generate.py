# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reference from what the commands say of themselves, the tables of the pages from the
results, and pictures of terminals; `./dev docs` calls it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import tables
import terminal
import typer

from suiro import native, variables
from suiro.cli.main import app

FOLDER = Path(__file__).parent / "reference"
FIGURES = Path(__file__).parent / "figures"
WITH_TABLES = [
    FOLDER.parent.parent / "README.md",
    *FOLDER.parent.glob("*.md"),
    *FOLDER.parent.glob("results/*.md"),
]
SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]
# Help depends on the terminal; the pages must not.
TERMINAL = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
INTRODUCTION = """\
# Commands

Written by `./dev docs` from the commands' own `--help`; a test compares the two.
"""
VARIABLES = """\
# Variables

Written by `./dev docs` from `python/suiro/variables.json`; a test compares the two.

A wrong value is told in one line, and the job runs natively or by the MPI's own transport. A name
that is no variable is told, too, and has no effect. `suiro doctor` prints what is set, and by whom.
For `on` also `1`, `yes` and `true` are taken, for `off` also `0`, `no` and `false`. Sizes may end
in K, M or G, which count in 1024s.
"""


def commands() -> Iterator[str]:
    """Every command with its groups' names before it; first the empty one, `suiro` itself."""
    return _below(typer.main.get_command(app), "")


def pages() -> dict[str, str]:
    """The reference pages by file name."""
    algorithms = _say([str(native.tool("suiro-schedule")), "algorithms", "--markdown"])
    return {
        "algorithms.md": algorithms,
        "commands.md": _commands_page(),
        "variables.md": _variables_page(),
    }


def _below(command: object, name: str) -> Iterator[str]:
    yield name
    for word, child in getattr(command, "commands", {}).items():
        yield from _below(child, f"{name} {word}".strip())


def _commands_page() -> str:
    sections = [INTRODUCTION]
    for name in commands():
        help_text = _say([*SUIRO, *name.split(), "--help"])
        sections.append(_section(f"suiro {name}".strip(), help_text.replace("Usage: -c", "suiro")))
    schedule = _say([str(native.tool("suiro-schedule")), "--help"])
    return "\n".join([*sections, _section("suiro-schedule", schedule)])


def _variables_page() -> str:
    page = [VARIABLES]
    for section in variables.sections():
        page += [f"## {section.title}", ""] + ([section.about, ""] if section.about else [])
        page += ["| variable | value | where it is not set | meaning |", "|---|---|---|---|"]
        page += [_row(each) for each in section.variables] + [""]
    return "\n".join(page)


def _row(variable: variables.Variable) -> str:
    without = variable.unset or ("" if variable.default is None else f"`{variable.default}`")
    cells = [f"`{variable.name}`", variable.expected, without, variable.meaning]
    return f"| {' | '.join(cells)} |"


def _section(title: str, text: str) -> str:
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return "\n".join([f"## {title}", "", "```text", *lines, "```", ""])


def _say(command: list[str]) -> str:
    environment = {**os.environ, **TERMINAL}
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
    for page in WITH_TABLES:
        page.write_text(tables.filled(page.read_text()))
    for name, picture in terminal.pictures().items():
        (FIGURES / name).write_text(picture)


if __name__ == "__main__":
    main()
