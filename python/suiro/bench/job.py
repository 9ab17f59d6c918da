# SPDX-License-Identifier: BSD-3-Clause
"""Runs the measuring program under a launcher and collects its JSON lines while they come."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from suiro.bench.launcher import started, suiro_command
from suiro.errors import SuiroError, UsageError
from suiro.output import Lines, reason_of

Event = dict[str, Any]
Watch = AbstractContextManager[Callable[[Event], None]]
_SIGN = '{"bench":'


@dataclass
class Events:
    """What one job wrote, by kind."""

    start: Event = field(default_factory=dict)
    line_rate: Event | None = None
    samples: list[Event] = field(default_factory=list)
    # What the busiest node moves, by collective and size, if counted.
    busiest_bytes: dict[tuple[str, int], int] = field(default_factory=dict)
    steps: list[Event] = field(default_factory=list)
    probe: list[Event] = field(default_factory=list)
    finished: bool = False
    explained: list[Event] | None = None  # by `suiro run --explain=json`

    def add(self, event: Event) -> None:
        kind = event["bench"]
        if kind == "start":
            self.start = event
        elif kind == "line_rate":
            self.line_rate = event
        elif kind == "cell" and event["busiest"] >= 0:
            self.busiest_bytes[event["collective"], event["bytes"]] = event["busiest"]
        elif kind == "sample":
            self.samples.append(event)
        elif kind == "step":
            self.steps.append(event)
        elif kind.startswith("probe_"):
            self.probe.append(event)
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
    record: Lines | None = None,
    total: int = 0,
    watch: Watch | None = None,
    variables: Mapping[str, str] | None = None,
    quiet: bool = False,
) -> Events:
    """One MPI job, with `variables` added to its environment. Lines that are not the program's are
    passed on to standard error, unless it is a `quiet` one. `watch` takes the place of the bar that
    counts to `total` samples."""
    words, found = started(prefix, mpi, "bench")
    command = [*words, *arguments]
    if with_suiro:
        command = suiro_command("run", "--no-store", "--explain=json", "--", *command)
    events = Events()
    environment = os.environ | found | dict(variables or {})
    process = _start(command, prefix[0], environment, keep_errors=with_suiro or quiet)
    assert process.stdout is not None
    others = None if quiet else sys.stderr
    with ExitStack() as stack:
        stack.enter_context(process)
        document = stack.enter_context(_explanation(process.stderr, others))
        advance = stack.enter_context(watch or _progress(total))
        for event in _parse(process.stdout, record, others):
            events.add(event)
            advance(event)
    if process.returncode != 0 or not events.finished:
        raise SuiroError(
            f"the measuring job ended with exit code {process.returncode} after "
            f"{len(events.samples) + len(events.probe)} measurements: its messages are above"
        )
    if with_suiro:
        events.explained = _explained(document)
    return events


def _start(
    command: list[str], launcher: str, environment: dict[str, str], keep_errors: bool
) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keep_errors else None,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
    except FileNotFoundError:
        raise UsageError(f'launcher "{launcher}" is not on the PATH') from None


@contextmanager
def _explanation(stream: IO[str] | None, others: IO[str] | None) -> Iterator[list[str]]:
    """Passes standard error on while it comes, but keeps the document that ends it."""
    document: list[str] = []

    def pass_on() -> None:
        for line in stream or ():
            if document or line == "{\n":
                document.append(line)
            elif others is not None:
                others.write(line)

    reader = threading.Thread(target=pass_on)
    reader.start()
    try:
        yield document
    finally:
        reader.join()


def _explained(document: list[str]) -> list[Event]:
    """Without suiro in the job, everything measured would be native."""
    rows: list[Event] = json.loads("".join(document))["collectives"] if document else []
    if not rows:
        raise SuiroError(
            "suiro was not at work in the measuring job: see the messages above, "
            "or try `suiro run --explain --strict` with the same launcher"
        )
    return rows


def _parse(lines: IO[str], record: Lines | None, others: IO[str] | None) -> Iterator[Event]:
    for line in lines:
        if not line.startswith(_SIGN):
            if others is not None:
                others.write(line)
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
                description = f"{event.get('collective', '')} {event['bytes']} B {name}".strip()
                bar.update(task, advance=counted, description=description)

        yield advance


def raw_record(folder: Path) -> Lines:
    """Where `--save` keeps every line that the program wrote."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuiroError(f"cannot write into {folder}: {reason_of(error)}") from None
    return Lines(folder / "samples.jsonl", "--save")
