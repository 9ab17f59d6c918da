# SPDX-License-Identifier: BSD-3-Clause
"""The numbers on a terminal: first one for each program, then how each was obtained."""

from textwrap import wrap

from rich.console import Console

from suiro.demo.result import SHARE_LEAST, Demo, Ran, Shown, factor
from suiro.quantities import size_range_text

DOUBTFUL = "in doubt, as told below: run it again when the machine is idle"

LEFT_OUT = f"calls that took less than {SHARE_LEAST:.0%} of the time are left out"


def print_demo(demo: Demo, console: Console) -> None:
    """Words are broken where a line is full, commands are not: they are to be copied."""
    for one in demo.shown:
        mark = "?" if one.doubts else " "
        console.print(f"{factor(one.speedup):>5}{mark} times as fast", style="bold", end="  ")
        console.print(f"{one.title} ({one.lab})", highlight=False)
    if any(one.doubts for one in demo.shown):
        console.print(f"?: {DOUBTFUL}", style="yellow", highlight=False)
    for one in demo.shown:
        _print_one(one, console)
    machine = demo.machine
    console.print(
        f"\n{machine.mpi}; {machine.cores} cores, {machine.processor}; suiro {machine.suiro}",
        style="dim", highlight=False,
    )  # fmt: skip


def _print_one(one: Shown, console: Console) -> None:
    console.print(f"\n{one.title}", style="bold", highlight=False)
    doubts = [f"In doubt: {doubt}." for doubt in one.doubts]
    probe = f"{one.probe.capitalize()}." if one.probe else ""
    for text in filter(None, [one.network, one.about, probe, one.times, *doubts]):
        _print(text, 2, console)
    _print(f"What ran with suiro ({LEFT_OUT}):", 2, console)
    for ran in one.ran:
        _print(_ran_text(ran), 4, console)
    _print("To see it again:", 2, console)
    for line in "\n".join(one.commands).splitlines():
        console.print(f"    {line}", highlight=False, markup=False, soft_wrap=True)


def _print(text: str, indent: int, console: Console) -> None:
    margin = indent * " "
    for line in wrap(text, console.width, initial_indent=margin, subsequent_indent=margin):
        console.print(line, highlight=False, markup=False)


def _ran_text(ran: Ran) -> str:
    return f"{ran.collective} of {bytes_text(ran)}: {ran.algorithm} ({ran.reason})"


def bytes_text(ran: Ran) -> str:
    """--explain knows sizes by powers of two."""
    if ran.bytes is None:
        return "unknown size"
    low, high = ran.bytes
    if high == 0:
        return "no data"
    return size_range_text(low, high + 1)
