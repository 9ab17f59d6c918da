# SPDX-License-Identifier: BSD-3-Clause
"""`suiro top`: what the transport of running jobs does."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suiro.top.process import Reading

_NOBODY = "no process of yours uses suiro's transport on this machine"


def top(
    once: Annotated[
        bool,
        typer.Option(
            "--once", help="Look for one interval, print, and end; so too without a terminal."
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document of all counters each time.")
    ] = False,
    interval: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="The time between two looks.")
    ] = 1.0,
) -> None:
    """Show what the transport of your running jobs does, process by process.

    For each link the rates out and in, in MB/s; messages received per second, and which share came
    before their receive was posted; receives and messages that wait for each other, and the
    memory that those messages take; copies; how often the helper thread woke; frames and
    grants that were given again, since a link failed; connections that were refused, since they
    did not belong to the job. Of processes that began since the last look there are no rates.

    Other nodes have to be asked there:  ssh node suiro top --once
    """
    import sys
    from contextlib import suppress

    with suppress(KeyboardInterrupt):
        if json:
            _print_documents(once, interval)
        elif once or not sys.stdout.isatty():
            _print_once(interval)
        else:
            _watch(interval)


def _print_documents(once: bool, interval: float) -> None:
    import json
    import time

    from suiro.top.process import read_all

    while True:
        processes = [
            {"seconds": reading.seconds, **reading.process.model_dump()} for reading in read_all()
        ]
        print(json.dumps({"processes": processes}), flush=True)
        if once:
            return
        time.sleep(interval)


def _print_once(interval: float) -> None:
    import sys

    from suiro.errors import SuiroError
    from suiro.output import columns
    from suiro.top.table import lines_of

    before, now = next(_pairs(interval))
    if not now:
        raise SuiroError(f"{_NOBODY}; start a job with suiro run --transport suiro")
    print("\n".join(lines_of(before, now, columns(sys.stdout))))


def _watch(interval: float) -> None:
    import sys

    from rich.live import Live
    from rich.text import Text

    from suiro.output import columns
    from suiro.top.table import lines_of

    with Live("", auto_refresh=False, screen=True) as live:
        for before, now in _pairs(interval):
            lines = lines_of(before, now, columns(sys.stdout)) if now else [_NOBODY]
            text = Text("\n".join(lines), no_wrap=True)  # names may look like markup
            text.stylize("bold", 0, len(lines[0]))
            live.update(text, refresh=True)


def _pairs(interval: float) -> "Iterator[tuple[list[Reading], list[Reading]]]":
    import time

    from suiro.top.process import read_all

    before = read_all()
    while True:
        time.sleep(interval)
        now = read_all()
        yield before, now
        before = now
