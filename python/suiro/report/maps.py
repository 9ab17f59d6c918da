# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of what was measured: gains as heat maps, their intervals, and the model beside it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any

from suiro.bench.table import size_text
from suiro.report.evidence import AUTO, NATIVE, Choice, Group, Row
from suiro.report.figures import INK, SHADES, legend, svg_of, tick_sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From slower to faster, told apart by whoever sees fewer colours; in between lies "the same".
_COLOURS = ("#b3541e", "#f0c9a8", "#eceff4", "#a9cdf2", "#1464b4")
_DARK, _LIGHT = "#1d2430", "#ffffff"
_EXTREME = log2(3)  # three times as fast, or as slow, has the strongest colour
_INCHES = 7.6
_LINE_INCHES = 0.4
_MARKS = "osD^v<>p*h"
_BARS_MAX = 16
_NAMED_COLUMNS_MAX = 7  # with more, names would run into each other
_LEVEL_COLUMNS_MAX = 12
_TEXT_COLUMNS_MAX = 24  # with more, a number would not fit into its field


@dataclass(frozen=True)
class Field:
    """A gain, whether it is more than chance, and whose it is."""

    gain: float
    sure: bool
    algorithm: str = ""


@dataclass(frozen=True)
class Line:
    """One row of a heat map: its fields by size."""

    label: str
    fields: dict[int, Field]


def gain_map(groups: Sequence[Group]) -> str:
    """Of one collective: a line for each setting, of what is chosen; another where it was measured
    what suiro chooses by itself."""
    lines = []
    for group in groups:
        label = f"{group.setting.where}\n{group.setting.how}"
        fields = {one.bytes: _field_of_choice(one) for one in group.choices}
        by_itself = _fields((row for row in group.rows if row.algorithm == AUTO), named=True)
        others = {row.algorithm for row in group.rows} - {NATIVE, AUTO}
        if by_itself:
            lines.append(Line(f"{label}, auto", by_itself))
        if fields and (others or not by_itself):
            lines.append(Line(label, fields))
    return heat_map(lines)


def _field_of_choice(choice: Choice) -> Field:
    return Field(choice.gain, True, choice.algorithm)


def algorithm_map(group: Group) -> str:
    """Of one setting: a line for each algorithm, with the best of its parameters at each size."""
    best: dict[str, dict[int, Row]] = {}
    for row in group.rows:
        if row.algorithm == NATIVE or row.bytes is None:
            continue
        name = row.algorithm.partition(":")[0] + (" (control)" if row.control else "")
        known = best.setdefault(name, {}).get(row.bytes)
        if known is None or row.median_s < known.median_s:
            best[name][row.bytes] = row
    return heat_map([Line(name, _fields(rows.values())) for name, rows in best.items()])


def _fields(rows: Iterable[Row], named: bool = False) -> dict[int, Field]:
    return {
        row.bytes: Field(row.gain, row.decided, (row.ran or "") if named else "")
        for row in rows
        if row.bytes is not None and row.gain is not None and row.void_reason is None
    }


def heat_map(lines: Sequence[Line]) -> str:
    """A field for each line and size; numbers that may be chance stand in brackets. Where nothing
    was measured, or nothing counts, there is none."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    sizes = sorted({size for line in lines for size in line.fields})
    colours = LinearSegmentedColormap.from_list("gain", _COLOURS)
    scale = Normalize(-_EXTREME, _EXTREME, clip=True)

    def draw(axes: "Axes") -> None:
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        for y, line in enumerate(lines):
            for x, size in enumerate(sizes):
                if size in line.fields:
                    shade = scale(log2(line.fields[size].gain))
                    _draw_field(axes, (x, y), line.fields[size], colours(shade), len(sizes))
        axes.set_xlim(0, len(sizes))
        axes.set_ylim(len(lines), 0)
        turned = 90 if len(sizes) > _LEVEL_COLUMNS_MAX else 0
        axes.set_xticks([x + 0.5 for x in range(len(sizes))], map(size_text, sizes),
                        rotation=turned)  # fmt: skip
        axes.set_yticks([y + 0.5 for y in range(len(lines))], [line.label for line in lines],
                        fontsize=7)  # fmt: skip
        axes.xaxis.tick_top()

    return svg_of(draw, (_INCHES, 0.5 + _LINE_INCHES * max(1, len(lines))))


def _draw_field(
    axes: "Axes", place: tuple[int, int], field: Field, colour: Any, columns: int
) -> None:
    from matplotlib.patches import Rectangle

    x, y = place
    axes.add_patch(Rectangle((x + 0.02, y + 0.04), 0.96, 0.92, facecolor=colour, linewidth=0))
    if columns > _TEXT_COLUMNS_MAX:
        return
    number = f"{field.gain:.2f}" if field.gain < 10 else f"{field.gain:.0f}"
    text = number if field.sure else f"({number})"
    name = field.algorithm.partition(":")[0]
    if name == NATIVE and field.sure:
        text, name = "=", ""
    if name and columns <= _NAMED_COLUMNS_MAX:
        axes.text(x + 0.5, y + 0.7, name, color=_ink(field), ha="center", va="center", fontsize=6)
    else:
        name = ""
    axes.text(x + 0.5, y + (0.38 if name else 0.5), text, color=_ink(field), ha="center",
              va="center", fontsize=7 if columns > _LEVEL_COLUMNS_MAX else 8)  # fmt: skip


def _ink(field: Field) -> str:
    return _LIGHT if abs(log2(field.gain)) > 0.75 * _EXTREME else _DARK


def interval_figure(groups: Sequence[Group]) -> str:
    """Of one collective: the gain of each choice with its 95 % interval, over size."""

    def draw(axes: "Axes") -> None:
        for index, group in enumerate(groups):
            choices = group.choices
            label = f"{group.setting.where}; {group.setting.how}"
            axes.errorbar(
                [one.bytes or 1 for one in choices],
                [one.gain for one in choices],
                yerr=_whiskers(choices),
                color=SHADES[(index + 1) % len(SHADES)],
                linewidth=1.0, marker="o", markersize=3, elinewidth=1, capsize=3, label=label,
            )  # fmt: skip
        axes.axhline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_xscale("log", base=2)
        tick_sizes(axes, {one.bytes for group in groups for one in group.choices})
        axes.set_ylabel("times as fast as the MPI's own choice")
        legend(axes, 1)

    return svg_of(draw, (_INCHES, 3.0 + 0.2 * len(groups)))


def _whiskers(choices: Sequence[Choice]) -> tuple[list[float], list[float]]:
    """How far an interval reaches below and above."""
    below = [max(0.0, one.gain - one.gain_ci95[0]) for one in choices]
    above = [max(0.0, one.gain_ci95[1] - one.gain) for one in choices]
    return below, above


def predicted_figure(groups: Sequence[Group]) -> str:
    """Every time that was measured, and what the model says of it; on the line both are one."""
    pairs = {
        group.setting.collective: [
            (row.median_s, row.predicted_s)
            for other in groups
            if other.setting.collective == group.setting.collective
            for row in other.rows
            if row.predicted_s
        ]
        for group in groups
    }

    def draw(axes: "Axes") -> None:
        for index, (collective, points) in enumerate(pairs.items()):
            if points:
                axes.plot(*zip(*points, strict=True), color=SHADES[(index + 1) % len(SHADES)],
                          linestyle="", marker=_MARKS[index % len(_MARKS)], markersize=4,
                          alpha=0.75, label=collective)  # fmt: skip
        every = [second for points in pairs.values() for point in points for second in point]
        ends = [min(every) / 1.5, max(every) * 1.5]
        axes.plot(ends, ends, color=INK, linewidth=1)
        for factor in (2.0, 0.5):
            axes.plot(ends, [factor * end for end in ends], color=INK, linewidth=0.6,
                      linestyle=":")  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(*ends)
        axes.set_ylim(*ends)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
        axes.set_title("seconds: across, measured; up, predicted", fontsize=9, color=INK)
        axes.set_aspect("equal")
        legend(axes, 5)

    return svg_of(draw, (_INCHES, 6.4))


def spent_figure(groups: Sequence[Group]) -> str:
    """Of a traced program: in which calls each rank spent most, a bar for each kind of call."""
    bars = [(group, row) for group in groups for row in group.rows if row.spent_s]
    bars = sorted(bars, key=lambda bar: bar[1].spent_s or 0, reverse=True)[:_BARS_MAX]
    names = list(dict.fromkeys(row.algorithm.partition(":")[0] for _, row in bars))

    def draw(axes: "Axes") -> None:
        axes.grid(visible=False)
        for place, (_, row) in enumerate(bars):
            name = row.algorithm.partition(":")[0]
            axes.barh(place, row.spent_s or 0, 0.7, label=name,
                      color=SHADES[names.index(name) % len(SHADES)])  # fmt: skip
        axes.set_ylim(len(bars) - 0.5, -0.5)
        labels = [f"{group.setting.collective}, {bytes_text(row)}" for group, row in bars]
        axes.set_yticks(range(len(bars)), labels, fontsize=7)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.tick_top()
        axes.spines[:].set_visible(False)
        axes.set_title("seconds on each rank", fontsize=9, color=INK)
        legend(axes, 4)

    return svg_of(draw, (_INCHES, 1.2 + 0.24 * len(bars)))


def bytes_text(row: Row) -> str:
    """A size, or the class of sizes that a program called with; "-" where none is known."""
    if row.bytes is None or row.bytes_to is None:
        return "-"
    same = row.bytes == row.bytes_to
    return (
        size_text(row.bytes) if same else f"{size_text(row.bytes)} to {size_text(row.bytes_to + 1)}"
    )
