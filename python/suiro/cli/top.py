# SPDX-License-Identifier: BSD-3-Clause
"""`suiro top`: what the transport of running jobs does."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suiro.top.look import Look

_NOBODY = "no process of yours uses suiro's transport"
# Everything from the launcher on belongs to the launcher.
CONTEXT = {"allow_interspersed_args": False}


def top(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- LAUNCHER ARGS...]",
            help="Look at the nodes that this launcher starts processes on.",
        ),
    ] = None,
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

    All nodes of a job:  suiro top -- mpirun -np 4 --map-by node

    The launcher starts something that asks on each node, for every look. A program at its end is
    not run. Of a node that tells nothing there is a line.
    """
    import sys
    from contextlib import suppress

    from suiro.top.look import looks_at

    look = looks_at(command or [])
    with suppress(KeyboardInterrupt):
        if json:
            _print_documents(look, once, interval)
        elif once or not sys.stdout.isatty():
            _print_once(look, bool(command), interval)
        else:
            _watch(look, interval)


def _print_documents(look: "Callable[[], Look]", once: bool, interval: float) -> None:
    import json
    import time

    from suiro.output import say

    while True:
        seen = look()
        processes = [
            {"seconds": reading.seconds, **reading.process.model_dump()}
            for reading in seen.readings
        ]
        print(json.dumps({"processes": processes}), flush=True)
        for remark in seen.remarks:
            say(remark)
        if once:
            return
        time.sleep(interval)


def _print_once(look: "Callable[[], Look]", elsewhere: bool, interval: float) -> None:
    import sys

    from suiro.errors import SuiroError
    from suiro.output import columns, say
    from suiro.top.table import lines_of

    before, now = next(_pairs(look, interval))
    for remark in now.remarks:
        say(remark)
    if not now.readings:
        where = "" if elsewhere else " on this machine"
        raise SuiroError(f"{_NOBODY}{where}; start a job with suiro run --transport suiro")
    print("\n".join(lines_of(before.readings, now.readings, columns(sys.stdout))))


def _watch(look: "Callable[[], Look]", interval: float) -> None:
    import sys

    from rich.live import Live
    from rich.text import Text

    from suiro.output import columns
    from suiro.top.table import lines_of

    with Live("", auto_refresh=False, screen=True) as live:
        for before, now in _pairs(look, interval):
            width = columns(sys.stdout)
            lines = lines_of(before.readings, now.readings, width) if now.readings else [_NOBODY]
            text = Text("\n".join([*lines, *now.remarks]), no_wrap=True)  # may look like markup
            text.stylize("bold", 0, len(lines[0]))
            live.update(text, refresh=True)


def _pairs(look: "Callable[[], Look]", interval: float) -> "Iterator[tuple[Look, Look]]":
    import time

    before = look()
    while True:
        time.sleep(interval)
        now = look()
        yield before, now
        before = now
