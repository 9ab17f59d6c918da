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
    lab = os.environ.get("SUIRO_LAB_MPIRUN", "").split()
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
    """A stand-in: NAME ARGUMENTS..."""
    from suiro.errors import SuiroError
    from suiro.run.command import prepare
    from suiro.run.service import say

    os.environ.update(without_stand_ins(os.environ))
    (Path(os.environ.pop(FOLDER)) / _CALLED).touch()
    name, *arguments = sys.argv[1:]
    try:
        plan = prepare([name, *arguments], None)
    except SuiroError as error:
        say(str(error))
        plan = None
    for line in plan.told() if plan is not None else ():
        say(line)
    words = plan.words if plan is not None else [name, *arguments]
    program = shutil.which(words[0]) or shutil.which(name)
    if program is None or name not in _NAMES:
        raise SystemExit(127)
    os.execve(program, words, os.environ | (plan.variables if plan is not None else {}))


if __name__ == "__main__":
    main()
