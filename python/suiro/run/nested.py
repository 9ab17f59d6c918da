# SPDX-License-Identifier: BSD-3-Clause
"""Launchers that a script starts: `suiro run -- sh -c 'mpirun ...'`.

A folder at the front of PATH holds a stand-in for each launcher's name. A stand-in completes the
command line and becomes the real launcher; the script, and whatever else it starts, never sees the
library. A launcher that is called by its full path passes by; then `silence.py` says so.
"""

import contextlib
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from suiro import variables
from suiro.native import module

_MARK = ".suiro-stand-ins"  # in each such folder: one job may have started another
_CALLED = "called"
_NAMES = (
    *("mpirun", "mpirun.openmpi", "mpirun.mpich", "orterun", "prterun"),
    *("mpiexec", "mpiexec.openmpi", "mpiexec.mpich", "mpiexec.hydra", "srun"),
)


def make_stand_ins(folder: Path) -> dict[str, str]:
    """Fills `folder`; returns the variables with which the script must be started."""
    (folder / _MARK).touch()
    for name in _NAMES:
        launcher = shutil.which(name, path=_without_stand_ins(os.environ)["PATH"])
        if launcher is None:
            continue
        stand_in = folder / name
        stand_in.write_text(_text(folder, name, launcher))
        stand_in.chmod(0o755)
    changed = {"PATH": f"{folder}:{os.environ.get('PATH', os.defpath)}"}
    lab = variables.text("SUIRO_LAB_MPIRUN").split()
    if lab and (folder / Path(lab[0]).name).exists():
        changed["SUIRO_LAB_MPIRUN"] = " ".join([str(folder / Path(lab[0]).name), *lab[1:]])
    return changed


def _text(folder: Path, name: str, launcher: str) -> str:
    """The script may have changed what this Python needs: then the launcher runs as it is."""
    python, *words = module("suiro.run.nested")
    start = shlex.join([python, "-E"])
    rest = shlex.join([*words, str(folder), name])
    return (
        f"#!/bin/sh\n{start} -c '' 2>/dev/null && exec {start} {rest} \"$@\"\n"
        f'exec {shlex.quote(launcher)} "$@"\n'
    )


def was_called(folder: Path) -> bool:
    """Whether a stand-in has run."""
    return (folder / _CALLED).exists()


def _without_stand_ins(environment: Mapping[str, str]) -> dict[str, str]:
    """What the real launcher gets."""
    path = environment.get("PATH", os.defpath).split(":")
    kept = [part for part in path if not (Path(part) / _MARK).exists()]
    return dict(environment) | {"PATH": ":".join(kept)}


def main() -> None:
    """A stand-in: FOLDER NAME ARGUMENTS... Whatever goes wrong, the launcher runs."""
    from suiro import output

    output.set_up()
    os.environ.update(_without_stand_ins(os.environ))
    folder, *unchanged = sys.argv[1:]
    name = unchanged[0]
    with contextlib.suppress(OSError):
        (Path(folder) / _CALLED).touch()
    words, variables = _planned(unchanged)
    program = shutil.which(words[0]) or shutil.which(name)
    if program is None or name not in _NAMES:
        raise SystemExit(127)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and programs inherit
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(program, words, os.environ | variables)
    except OSError as error:  # it may have become too long
        output.say(f"{output.told_of(error)}; {name} runs unchanged")
        os.execve(program, unchanged, os.environ)


def _planned(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Where the script has cleaned its environment, ranks would not find `suiro run`."""
    from suiro.output import say, told_of

    if not variables.text("SUIRO_JOB"):
        return words, {}
    try:
        from suiro.run.command import prepare

        plan = prepare(words, None)
    except Exception as error:
        say(told_of(error))
        return words, {}
    for line in plan.told():
        say(line)
    return plan.words, plan.variables


if __name__ == "__main__":
    main()
