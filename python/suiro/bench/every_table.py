# SPDX-License-Identifier: BSD-3-Clause
"""Draws what `suiro bench all` has measured: a line for each collective and size."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from suiro.bench.result import Cell, Result
from suiro.bench.table import MARK, NOTE_STYLES, figure, print_origin
from suiro.quantities import size_text, time_text


def print_every(result: Result, console: Console) -> None:
    """The table, then what is to be said of which collectives, then the machine."""
    console.print(every_table(result))
    for kind, text, names in _remarks(result.cells):
        console.print(f"{kind}: {', '.join(names)}: {text}", style=NOTE_STYLES[kind])
    print_origin(result, console)


def every_table(result: Result) -> Table:
    """Sections by what goes through the busiest link; a barrier has none and comes last."""
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    for name in ("link", "collective", "bytes", "native", "/ bound", "auto", "/ bound"):
        _add_column(table, name)
    for name in ("x native", "95 %", "x control", "calls", "auto runs"):
        _add_column(table, name)
    previous = None
    for native, auto in sorted(_pairs(result.cells), key=_link_bytes):
        if previous not in (None, auto.port_bytes):
            table.add_section()
        previous = auto.port_bytes
        table.add_row(*_row(native, auto), style="dim" if native.void or auto.void else "")
    return table


def _add_column(table: Table, name: str) -> None:
    is_text, is_last = name in ("collective", "auto runs"), name == "auto runs"
    table.add_column(
        name, justify="left" if is_text else "right", no_wrap=not is_last, overflow="fold"
    )


def _pairs(cells: list[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Native's cell and that of what suiro chose."""
    found = {(cell.collective, cell.bytes, cell.algorithm): cell for cell in cells}
    for (collective, size, algorithm), auto in found.items():
        if algorithm == "auto":
            yield found[collective, size, "native"], auto


def _link_bytes(pair: tuple[Cell, Cell]) -> float:
    port_bytes = pair[1].port_bytes
    return float("inf") if port_bytes is None else port_bytes


def _row(native: Cell, auto: Cell) -> list[str]:
    interval = auto.speedup_over_native_ci95
    return [
        size_text(auto.port_bytes or 0),
        auto.collective,
        size_text(auto.bytes),
        time_text(native.median_s),
        figure(native.bound_fraction),
        time_text(auto.median_s),
        figure(auto.bound_fraction),
        figure(auto.speedup_over_native),
        "-" if interval is None else f"{interval[0]:.2f} {interval[1]:.2f}",
        figure(auto.speedup_over_control),
        str(auto.repetitions),
        (auto.ran or "-") + (MARK if native.void or auto.void else ""),
    ]


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
