# SPDX-License-Identifier: BSD-3-Clause
"""The verb: three labs, one after the other, then the numbers and the page."""

import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from suiro.cli.in_lab import repeat_command
from suiro.demo.chapters import CHAPTERS
from suiro.demo.measure import compile_program, show
from suiro.demo.page import render
from suiro.demo.result import Demo
from suiro.demo.table import print_demo
from suiro.errors import SuiroError
from suiro.output import check_place, console, reason_of, say, write_file
from suiro.provenance import describe_machine, now, provenance
from suiro.run.launchers import recognise


def run_demo(folder: Path, pairs: int, as_json: bool) -> None:
    """SuiroError if it cannot be shown here. What was made for it goes, however it ends."""
    page = folder / "index.html"
    _make_folder(folder)  # before measuring
    check_place(page)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the scratch folder goes, too
    with TemporaryDirectory(prefix="suiro-demo-") as scratch:
        demo = _measure(Path(scratch), pairs)
    try:
        if as_json:
            print(demo.model_dump_json(indent=1))
        else:
            print_demo(demo, console(100))
    finally:  # where nobody can read what was measured, too
        write_file(page, render(demo))
    say(f"the same as a page: {page}")


def _measure(scratch: Path, pairs: int) -> Demo:
    measured_at = now()
    folders = {chapter: scratch / chapter.program for chapter in CHAPTERS}
    for chapter, folder in folders.items():
        folder.mkdir()
        compile_program(chapter, folder)
    launcher = recognise("mpirun.openmpi") or recognise("mpirun")
    machine = describe_machine(launcher.full_name if launcher else "", None)
    say("three programs in three labs take some two minutes")
    shown = []
    for chapter, folder in folders.items():
        say(f"lab {chapter.lab}: {chapter.title}")
        shown.append(show(chapter, folder, pairs))
    origin = provenance(repeat_command(), machine, measured_at)
    return Demo(**origin.model_dump(), shown=shown)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = reason_of(error)
        raise SuiroError(f"cannot make {folder}: {reason}; try --report FOLDER") from None
