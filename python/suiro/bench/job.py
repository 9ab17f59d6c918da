# SPDX-License-Identifier: BSD-3-Clause
"""Runs the measuring program under a launcher and collects its JSON lines while they come."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from suiro.bench.launcher import suiro_command
from suiro.errors import SuiroError
from suiro.native import tool

Event = dict[str, Any]
_SIGN = '{"bench":'


@dataclass
class Events:
    """What one job wrote, by kind."""

    start: Event = field(default_factory=dict)
    line_rate: Event | None = None
    samples: list[Event] = field(default_factory=list)
    steps: list[Event] = field(default_factory=list)
    finished: bool = False

    def add(self, event: Event) -> None:
        kind = event["bench"]
        if kind == "start":
            self.start = event
        elif kind == "line_rate":
            self.line_rate = event
        elif kind == "sample":
            self.samples.append(event)
        elif kind == "step":
            self.steps.append(event)
        elif kind == "end":
            self.finished = True

    @property
    def node_of_rank(self) -> list[int]:
        return list(self.start["node_of_rank"])


def run_job(
    prefix: list[str],
    mpi: str,
    arguments: list[str],
    *,
    with_suiro: bool,
    record: IO[str] | None = None,
    total: int = 0,
) -> Events:
    """One MPI job. Lines that are not the program's are passed on to standard error."""
    command = [*prefix, str(tool(f"suiro-bench-{mpi}")), *arguments]
    if with_suiro:
        command = suiro_command("run", "--", *command)
    events = Events()
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
    except FileNotFoundError:
        raise SuiroError(f'launcher "{prefix[0]}" is not on the PATH') from None
    assert process.stdout is not None
    with process, _progress(total) as advance:
        for event in _parse(process.stdout, record):
            events.add(event)
            advance(event)
    if process.returncode != 0 or not events.finished:
        raise SuiroError(
            f"the measuring job ended with exit code {process.returncode} after "
            f"{len(events.samples)} samples: its messages are above"
        )
    return events


def _parse(lines: IO[str], record: IO[str] | None) -> Iterator[Event]:
    for line in lines:
        if not line.startswith(_SIGN):
            sys.stderr.write(line)
            continue
        if record is not None:
            record.write(line)
        try:
            event = json.loads(line)
        except ValueError:
            raise SuiroError(
                f"the measuring program wrote a broken line: {line.strip()[:80]}"
            ) from None
        yield event


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Event], None]]:
    """A bar on standard error, if that is a terminal and there is anything to count."""
    if total == 0 or not sys.stderr.isatty():
        yield lambda event: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=total)

        def advance(event: Event) -> None:
            if event["bench"] in ("sample", "warm_up", "step"):
                name = event.get("candidate") or f"rounds of {event['schedule']}"
                counted = int(event["bench"] == "sample")
                bar.update(task, advance=counted, description=f"{event['bytes']} B {name}")

        yield advance


@contextmanager
def raw_record(folder: Path | None) -> Iterator[IO[str] | None]:
    """Where `--save` keeps every line that the program wrote."""
    if folder is None:
        yield None
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "samples.jsonl").open("w") as file:
            yield file
    except OSError as error:
        raise SuiroError(f"cannot write into {folder}: {os.strerror(error.errno or 0)}") from None
