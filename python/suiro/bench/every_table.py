# SPDX-License-Identifier: BSD-3-Clause
"""Draws what `suiro bench all` has measured: a line for each collective and size."""

from collections.abc import Iterator

from rich.console import Console

from suiro.bench.result import Cell, Result
from suiro.bench.table import MARK, NOTE_STYLES, figure, print_origin
from suiro.output import columns
from suiro.quantities import size_text, time_text
from suiro.text_table import NOTHING, lay_out

_LEAST = ("link", "x control", "calls", "/ bound", "its / bound", "95 %")  # left out in this order


def print_every(result: Result, console: Console) -> None:
    """The table, then what is to be said of which collectives, then the machine."""
    _print_table(result, console)
    for kind, text, names in _remarks(result.cells):
        console.print(f"{kind}: {', '.join(names)}: {text}", style=NOTE_STYLES[kind])
    print_origin(result, console)


def _print_table(result: Result, console: Console) -> None:
    """Apart by what goes through the busiest link; a barrier has none and comes last."""
    pairs = sorted(_pairs(result.cells), key=_link_bytes)
    rows = [_row(native, auto) for native, auto in pairs]
    width = columns(console.file)
    layout = lay_out(rows, width, left=("collective", "auto runs"), least=_LEAST)
    console.print(layout.heading, style="bold", soft_wrap=True)
    previous = None
    for (native, auto), row in zip(pairs, rows, strict=True):
        if previous not in (None, auto.port_bytes):
            console.print()
        previous = auto.port_bytes
        style = "dim" if native.void or auto.void else ""
        console.print(layout.line(row), style=style, soft_wrap=True, highlight=False, markup=False)
    for line in layout.remarks(width):
        console.print(line, style="dim", soft_wrap=True)


def _pairs(cells: list[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Native's cell and that of what suiro chose."""
    found = {(cell.collective, cell.bytes, cell.algorithm): cell for cell in cells}
    for (collective, size, algorithm), auto in found.items():
        if algorithm == "auto":
            yield found[collective, size, "native"], auto


def _link_bytes(pair: tuple[Cell, Cell]) -> float:
    port_bytes = pair[1].port_bytes
    return float("inf") if port_bytes is None else port_bytes


def _row(native: Cell, auto: Cell) -> dict[str, str]:
    interval = auto.speedup_over_native_ci95
    return {
        "link": size_text(auto.port_bytes or 0),
        "collective": auto.collective,
        "bytes": size_text(auto.bytes),
        "native": time_text(native.median_s),
        "/ bound": figure(native.bound_fraction),
        "auto": time_text(auto.median_s),
        "its / bound": figure(auto.bound_fraction),
        "x native": figure(auto.speedup_over_native),
        "95 %": NOTHING if interval is None else f"{interval[0]:.2f} {interval[1]:.2f}",
        "x control": figure(auto.speedup_over_control),
        "calls": str(auto.repetitions),
        "auto runs": (auto.ran or NOTHING) + (MARK if native.void or auto.void else ""),
    }


def _remarks(cells: list[Cell]) -> Iterator[tuple[str, str, list[str]]]:
    """Each text once, with what it is said of."""
    names: dict[tuple[str, str], dict[str, None]] = {}
    for cell in cells:
        name = cell.collective + (" (control)" if cell.is_control and cell.void else "")
        said = [("void", cell.void_reason)] if cell.void_reason else []
        said += [("note", text) for text in (cell.note or "").split("; ") if text]
        for kind_and_text in said:
            names.setdefault(kind_and_text, {})[name] = None
    for (kind, text), said_of in names.items():
        yield kind, text, list(said_of)
