# SPDX-License-Identifier: BSD-3-Clause
"""Commands that measure take --lab SPEC: they run again as they are, inside a lab made for them."""

import shlex
import sys
from pathlib import Path


def run_in_lab(lab: str, mpi: str | None, with_launcher: bool) -> int:
    """The same command again, inside the lab; its exit code."""
    from suiro import lab as labs
    from suiro.bench.launcher import suiro_command
    from suiro.errors import UsageError

    if with_launcher:
        raise UsageError("--lab brings its own launcher: leave out what comes after --")
    try:
        return labs.run(lab, suiro_command(*_without_lab(sys.argv[1:])), mpi=mpi).exit_code
    except KeyboardInterrupt:
        return 130


def _without_lab(arguments: list[str]) -> list[str]:
    kept = []
    words = iter(arguments)
    for word in words:
        if word == "--lab":
            next(words)
        elif not word.startswith("--lab="):
            kept.append(word)
    return kept


def repeat_command() -> str:
    """What to type to repeat this from the same folder; inside a lab, with the lab."""
    from suiro import variables

    lab = variables.text("SUIRO_LAB_SPEC")
    words = ["suiro", *sys.argv[1:], *(["--lab", _as_given(lab)] if lab else [])]
    # Bytes that are no UTF-8 cannot stand in a document.
    return shlex.join(words).encode(errors="surrogateescape").decode(errors="replace")


def _as_given(lab: str) -> str:
    """A name, or a file: its path is short where it is below the current folder."""
    path = Path(lab)
    if not path.is_absolute() or not path.is_relative_to(Path.cwd()):
        return lab
    return f"./{path.relative_to(Path.cwd())}"
