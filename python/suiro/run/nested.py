# SPDX-License-Identifier: BSD-3-Clause
"""Launchers that a script starts: `suiro run -- sh -c 'mpirun ...'`.

A folder at the front of PATH holds a stand-in for each launcher's name. A stand-in completes the
command line and becomes the real launcher; the script, and whatever else it starts, never sees the
library. A launcher that is called by its full path passes by; then `silence.py` says so.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from suiro import variables
from suiro.native import module

FOLDER = "SUIRO_STAND_INS"
_CALLED = "called"
_NAMES = (
    *("mpirun", "mpirun.openmpi", "mpirun.mpich", "orterun", "prterun"),
    *("mpiexec", "mpiexec.openmpi", "mpiexec.mpich", "mpiexec.hydra", "srun"),
)


def make_stand_ins(folder: Path) -> dict[str, str]:
    """Fills `folder`; returns the variables with which the script must be started."""
    for name in _NAMES:
        if shutil.which(name) is None:
            continue
        suiro = shlex.join(module("suiro.run.nested"))
        stand_in = folder / name
        stand_in.write_text(f'#!/bin/sh\nexec {suiro} {name} "$@"\n')
        stand_in.chmod(0o755)
    changed = {FOLDER: str(folder), "PATH": f"{folder}:{os.environ.get('PATH', os.defpath)}"}
    lab = variables.text("SUIRO_LAB_MPIRUN").split()
    if lab and (folder / Path(lab[0]).name).exists():
        changed["SUIRO_LAB_MPIRUN"] = " ".join([str(folder / Path(lab[0]).name), *lab[1:]])
    return changed


def was_called(folder: Path) -> bool:
    """Whether a stand-in has run."""
    return (folder / _CALLED).exists()


def without_stand_ins(environment: Mapping[str, str]) -> dict[str, str]:
    """What the real launcher gets."""
    kept = dict(environment)
    folder = kept.pop(FOLDER, None)
    path = kept.get("PATH", os.defpath).split(":")
    return kept | {"PATH": ":".join(part for part in path if part != folder)}


def main() -> None:
    """A stand-in: NAME ARGUMENTS... Whatever goes wrong, the launcher runs."""
    from suiro import output

    output.set_up()
    os.environ.update(without_stand_ins(os.environ))
    (Path(os.environ.pop(FOLDER)) / _CALLED).touch()
    name, *arguments = sys.argv[1:]
    unchanged = [name, *arguments]
    words, variables = _planned(unchanged)
    program = shutil.which(words[0]) or shutil.which(name)
    if program is None or name not in _NAMES:
        raise SystemExit(127)
    try:
        os.execve(program, words, os.environ | variables)
    except OSError as error:  # it may have become too long
        output.say(f"{output.told_of(error)}; {name} runs unchanged")
        os.execve(program, unchanged, os.environ)


def _planned(words: list[str]) -> tuple[list[str], dict[str, str]]:
    from suiro.output import say, told_of
    from suiro.run.command import prepare

    try:
        plan = prepare(words, None)
    except Exception as error:
        say(told_of(error))
        return words, {}
    for line in plan.told():
        say(line)
    return plan.words, plan.variables


if __name__ == "__main__":
    main()
