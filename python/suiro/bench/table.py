# SPDX-License-Identifier: BSD-3-Clause
"""Draws a result for a terminal: the fastest of each size in bold, void cells with a reason."""

from rich.console import Console

from suiro.bench.result import Cell, Result
from suiro.lab import cables
from suiro.output import columns
from suiro.quantities import rate_text, size_text, time_text
from suiro.text_table import NOTHING, lay_out

MARK = " *void"
_LEAST = ("/ line", "busiest", "MB/s", "calls", "mean", "x control", "95 %")  # in this order
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
        _print_cells(result, console)
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


def _print_cells(result: Result, console: Console) -> None:
    """Sizes are apart; the fastest of each is bold."""
    best = winners(result.cells)
    rated = result.machine.model not in cables.MODELS
    rows = [_row(cell, rated) for cell in result.cells]
    width = columns(console.file)
    layout = lay_out(rows, width, left=("algorithm",), least=_LEAST)
    console.print(layout.heading, style="bold", soft_wrap=True)
    for before, cell, row in zip([None, *result.cells], result.cells, rows, strict=False):
        if before is not None and before.bytes != cell.bytes:
            console.print()
        style = "dim" if cell.void else "bold" if (cell.bytes, cell.algorithm) in best else ""
        console.print(layout.line(row), style=style, soft_wrap=True, highlight=False, markup=False)
    for line in layout.remarks(width):
        console.print(line, style="dim", soft_wrap=True)


def _row(cell: Cell, rated: bool) -> dict[str, str]:
    """Against the network's limits; where there are none, with what the busiest rank worked."""
    limits = {"busiest": NOTHING if cell.processor_s is None else time_text(cell.processor_s)}
    if rated:
        limits = {"/ line": figure(cell.line_rate_fraction), "/ bound": figure(cell.bound_fraction)}
    name = cell.algorithm + (" (control)" if cell.is_control else "")
    low, high = cell.ci95_s
    return {
        "bytes": size_text(cell.bytes),
        "algorithm": name + (MARK if cell.void else ""),
        "time": time_text(cell.median_s),
        "95 %": f"{low / cell.median_s - 1:+.0%} {high / cell.median_s - 1:+.0%}",
        "mean": time_text(cell.mean_s) if cell.mean_s is not None else NOTHING,
        "MB/s": bandwidth_text(cell),
        **limits,
        "x native": figure(cell.speedup_over_native),
        "x control": figure(cell.speedup_over_control),
        "calls": str(cell.repetitions),
    }


def figure(value: float | None) -> str:
    """A fraction or a ratio."""
    return "-" if value is None else f"{value:.2f}"
