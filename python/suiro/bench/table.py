# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result for a terminal: the fastest of each size in bold, void cells with a reason."""

from rich.console import Console
from rich.table import Table

from suiro.bench.result import Cell, Result
from suiro.lab import cables
from suiro.quantities import rate_text, size_text, time_text

MARK = " *void"
NOTE_STYLES = {"void": "yellow", "note": "dim"}


def bandwidth_text(cell: Cell) -> str:
    """In MB/s; "-" where nothing crosses the network."""
    return f"{cell.bandwidth_Bps / 1e6:.3g}" if cell.bandwidth_Bps else "-"


def winners(cells: list[Cell]) -> set[tuple[int, str]]:
    """The fastest algorithm of each size, among cells that are not void."""
    best: dict[int, Cell] = {}
    for cell in cells:
        known = best.get(cell.bytes)
        if not cell.void and (known is None or cell.median_s < known.median_s):
            best[cell.bytes] = cell
    return {(cell.bytes, cell.algorithm) for cell in best.values()}


def print_result(result: Result, console: Console) -> None:
    """The table, then what its marks mean, then the machine and the command to repeat it."""
    if result.cells:
        console.print(cells_table(result))
    notes = {cell.void_reason: "void" for cell in result.cells if cell.void_reason}
    notes |= {text: "note" for cell in result.cells for text in _notes(cell)}
    for text, kind in notes.items():
        console.print(f"{kind}: {text}", style=NOTE_STYLES[kind])
    for steps in result.steps:
        worst = max(steps.relative, default=1.0)
        console.print(
            f"steps of {steps.algorithm}, {size_text(steps.bytes)}: slowest {worst:.2f} times "
            f"a step with one target (model: {max(steps.predicted, default=1.0):.2f})"
        )
    print_origin(result, console)


def print_origin(result: Result, console: Console) -> None:
    """What was measured where, and the command to repeat it."""
    roots = {cell.root for cell in result.cells if cell.root is not None}
    for root in sorted(roots):
        console.print(f"root: rank {root}", style="dim")
    machine = result.machine
    network = f", lab {machine.lab} ({machine.model})" if machine.lab else ""
    rate = f", {rate_text(machine.rate_bps)} per host" if machine.rate_bps else ""
    console.print(
        f"{machine.cores} cores, {machine.kernel}, {machine.mpi}{network}{rate}", style="dim"
    )
    console.print(f"repeat: {result.command}", style="dim", soft_wrap=True)


def _notes(cell: Cell) -> list[str]:
    at = f" at {cell.bytes} bytes" if cell.bytes else ""
    ran = f"{cell.algorithm} ran {cell.ran}{at}" if cell.ran else None
    return [note for note in (cell.note, ran) if note]


def cells_table(result: Result) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    rated = result.machine.model not in cables.MODELS
    limits = ("/ line", "/ bound") if rated else ("busiest",)
    for name in ("bytes", "algorithm", "time", "95 %", "mean", "MB/s", *limits):
        is_name = name == "algorithm"  # only a name with parameters is ever too long
        table.add_column(
            name, justify="left" if is_name else "right", no_wrap=not is_name, overflow="fold"
        )
    for name in ("x native", "x control", "calls"):
        table.add_column(name, justify="right", no_wrap=True)
    best = winners(result.cells)
    previous = None
    for cell in result.cells:
        if previous is not None and previous != cell.bytes:
            table.add_section()
        previous = cell.bytes
        style = "dim" if cell.void else "bold" if (cell.bytes, cell.algorithm) in best else ""
        table.add_row(*_row(cell, rated), style=style)
    return table


def _row(cell: Cell, rated: bool) -> list[str]:
    """Against the network's limits; where there are none, with what the busiest rank worked."""
    busiest = "-" if cell.processor_s is None else time_text(cell.processor_s)
    limits = [figure(cell.line_rate_fraction), figure(cell.bound_fraction)] if rated else [busiest]
    name = cell.algorithm + (" (control)" if cell.is_control else "")
    low, high = cell.ci95_s
    return [
        size_text(cell.bytes),
        name + (MARK if cell.void else ""),
        time_text(cell.median_s),
        f"{low / cell.median_s - 1:+.0%} {high / cell.median_s - 1:+.0%}",
        time_text(cell.mean_s) if cell.mean_s is not None else "-",
        bandwidth_text(cell),
        *limits,
        figure(cell.speedup_over_native),
        figure(cell.speedup_over_control),
        str(cell.repetitions),
    ]


def figure(value: float | None) -> str:
    """A fraction or a ratio."""
    return "-" if value is None else f"{value:.2f}"
