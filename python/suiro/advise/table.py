# SPDX-License-Identifier: BSD-3-Clause
"""The answer on a terminal: a heat map of numbers, then what runs, and what is not known."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import log2

from rich.console import Console
from rich.table import Table
from rich.text import Text

from suiro.advise.answer import Answer, Cell
from suiro.advise.program import Program, program_lines
from suiro.advise.unknown import Unknown
from suiro.output import wrapped
from suiro.quantities import size_text

_WIDEST = 200  # columns of a table where there is no terminal
OPEN = "\N{WHITE CIRCLE}"
NOT_TOLD = "-"
_SWITCHES_MAX = 8
_LABEL_MAX = 16
# From so many times as fast on; what is slower comes first.
_STYLES = (
    (0.0, "black on #f0c9a8"),
    (0.95, "black on #eceff4"),
    (1.05, "black on #cfe3f7"),
    (1.5, "black on #a9cdf2"),
    (3.0, "white on #1464b4"),
)


def print_answer(
    width: int | None, answer: Answer, unknown: Sequence[Unknown], program: Program | None
) -> None:
    """All of it, in so many columns; None: lines may be as long as they get. Without a colour,
    marks alone tell."""
    console = Console(width=width or _WIDEST, highlight=False)

    def line(text: str, style: str = "") -> None:
        for part in wrapped(text, width, "  "):
            console.print(Text(part, style=style), soft_wrap=True)

    line(headline(answer), "bold")
    if program is None:
        console.print(heat_map(answer))
        line(legend(answer), "dim")
        for name, cells in _rows(answer):
            if cells:
                line(f"{name}: {runs(cells)}")
    else:
        for said in program_lines(program, answer):
            line(said)
    by_switch = switch_table(answer)
    if by_switch is not None:
        console.print(by_switch)
    for said in doubt_lines(answer):
        line(said)
    for one in unknown:
        line(f"not known: {one.said}:")
        console.print(Text(f"  {one.command}"), soft_wrap=True)  # whole, to be copied
    line(origin(answer), "dim")


def headline(answer: Answer) -> str:
    """Where, and how much is not there."""
    missing, told = len(answer.missing), len(answer.cells)
    left = f"; {missing} of {missing + told} answers not told in time" if missing else ""
    return answer.question.describe() + left


def _rows(answer: Answer) -> list[tuple[str, dict[int, Cell]]]:
    """By name."""
    names = {one.collective for one in answer.cells} | {name for name, _ in answer.missing}
    return [(name, answer.of(name)) for name in sorted(names)]


def heat_map(answer: Answer) -> Table:
    """A row for each collective, a column for each size. A call without data stands alone."""
    told = {one.choice.bytes for one in answer.cells} | {size for _, size in answer.missing}
    sizes = sorted(told - {0})
    table = Table(box=None, padding=(0, 0, 0, 1), pad_edge=False, header_style="bold")
    table.add_column("times as fast")
    for size in sizes:
        table.add_column(size_text(size), justify="right", min_width=7)
    for name, cells in _rows(answer):
        if 0 in cells:
            table.add_row(name, _field(cells[0]))
        else:
            table.add_row(_label(name), *(_field(cells.get(size)) for size in sizes))
    return table


def _label(name: str) -> str:
    """A long one in two lines."""
    first, _, last = name.rpartition("_")
    return f"{first}\n  _{last}" if len(name) > _LABEL_MAX else name


def _field(cell: Cell | None) -> Text:
    if cell is None:
        return Text(NOT_TOLD, style="dim")
    style = "dim" if cell.doubt else _style(1.0 if cell.is_native else cell.gain)
    return Text(f"{OPEN if cell.doubt else ''}{number(cell)}", style=style)


def _style(gain: float | None) -> str:
    return next((style for least, style in reversed(_STYLES) if (gain or 0) >= least), "")


def number(cell: Cell) -> str:
    """ "=" where the MPI's own runs; both ends where the switch matters."""
    if cell.is_native:
        return "="
    if cell.gain is None:
        return "?"
    if cell.switch_matters:
        return _span(cell.gains)
    return _digits(cell.gain)


def _digits(gain: float) -> str:
    return (
        f"{gain:.0f}" if gain >= 10 else f"{gain:.1f}" if abs(log2(gain)) > 0.2 else f"{gain:.2f}"
    )


def legend(answer: Answer) -> str:
    """What marks mean, as far as there are any."""
    said = ["numbers: times as fast as the MPI's own", "= the MPI's own runs"]
    if any(one.switch_matters for one in answer.cells):
        said.append("a-b by the kind of switch")
    if any(one.doubt for one in answer.cells):
        said.append(f"{OPEN} may be otherwise, see below")
    if answer.missing:
        said.append(f"{NOT_TOLD} not told in time: --within 60s")
    return "; ".join(said)


def runs(cells: dict[int, Cell]) -> str:
    """From which size on what runs."""
    named = [(size, cells[size].choice.algorithm.partition(":")[0]) for size in sorted(cells)]
    firsts = [next(group) for _, group in groupby(named, key=lambda one: one[1])]
    if len(cells) == 1 and 0 in cells:
        return firsts[0][1]
    return ", ".join(f"from {size_text(size)} {name}" for size, name in firsts)


def switch_table(answer: Answer) -> Table | None:
    """Where the kind of switch makes the most of a difference; None where it makes none."""
    cells = [one for one in answer.cells if one.switch_matters]
    if not cells:
        return None
    cells.sort(key=lambda one: min(one.gains) / max(one.gains))
    networks = [kind for kind, _ in by_kind(cells[0])]
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    told = answer.question.rate_bps is not None
    table.add_column("by kind of switch" if told else "by rate, and kind")
    for kind in networks:
        table.add_column(kind, justify="right")
    table.add_column("by", overflow="fold")
    for one in cells[:_SWITCHES_MAX]:
        name = f"{one.collective} {size_text(one.choice.bytes)}"
        algorithm = one.choice.algorithm.partition(":")[0]
        table.add_row(name, *(gain for _, gain in by_kind(one)), algorithm)
    left = len(cells) - _SWITCHES_MAX
    if left > 0:
        table.add_row(f"{left} more: --json")
    return table


def by_kind(cell: Cell) -> list[tuple[str, str]]:
    """Each kind with its gain; where the rate is not known, either, each rate with its gains."""
    several = len({on.link_Bps for on in cell.on}) > 1
    gains: dict[str, list[float]] = {}
    for on in cell.on:
        name = f"at {8e-9 * on.link_Bps:.3g}G" if several else on.kind
        gains.setdefault(name, []).extend([] if on.gain is None else [on.gain])
    return [(name, _span(its)) for name, its in gains.items()]


def _span(gains: list[float]) -> str:
    """One number, or both ends."""
    if not gains:
        return "?"
    ends = dict.fromkeys([_digits(min(gains)), _digits(max(gains))])
    return "-".join(ends)


def doubt_lines(answer: Answer) -> list[str]:
    """Each doubt once, with its cells."""
    by_doubt: dict[str, list[Cell]] = {}
    for one in sorted(answer.cells, key=lambda one: (one.collective, one.choice.bytes)):
        if one.doubt:
            by_doubt.setdefault(one.doubt, []).append(one)
    return [f"{OPEN} {doubt}: {cell_names(cells)}" for doubt, cells in by_doubt.items()]


def cell_names(cells: Iterable[Cell]) -> str:
    """ "bcast 1K 8K; barrier"."""
    parts = []
    for name, group in groupby(cells, key=lambda one: one.collective):
        sizes = [size_text(one.choice.bytes) for one in group if one.choice.bytes]
        parts.append(" ".join([name, *sizes]))
    return "; ".join(parts)


def origin(answer: Answer) -> str:
    """What it stands on."""
    measured = sum(one.measured_gain is not None for one in answer.cells)
    said = "nothing was measured for this: it is what the model foretells"
    if measured:
        said = f"{measured} of {len(answer.cells)} from what was measured here before, the rest " \
               "by the model"  # fmt: skip
    return f"{said}; {len(answer.cells)} answers in {answer.took_s:.1f} s"
