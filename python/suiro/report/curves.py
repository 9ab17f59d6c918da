# SPDX-License-Identifier: BSD-3-Clause
"""Pictures beside the heat maps: intervals of gains, the model beside what was measured, and where
a program's time went."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from suiro.quantities import size_text
from suiro.report.evidence import Group, Row
from suiro.report.figures import INCHES, INK, SHADES, legend, size_axis, svg_of
from suiro.report.heat_maps import Field, gain_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS = "osD^v<>p*h"
_BARS_MAX = 16


def interval_figure(groups: Sequence[Group]) -> str:
    """Of one collective: the gains of its heat map with their 95 % intervals, over size."""
    lines = [line for line in gain_lines(groups) if len(line.fields) > 1]

    def draw(axes: "Axes") -> None:
        for index, line in enumerate(lines):
            sizes = sorted(line.fields)
            axes.errorbar(
                [size or 1 for size in sizes],
                [line.fields[size].gain for size in sizes],
                yerr=_whiskers([line.fields[size] for size in sizes]),
                color=SHADES[(index + 1) % len(SHADES)], label=line.label.replace("\n", "; "),
                linewidth=1.0, marker="o", markersize=3, elinewidth=1, capsize=3,
            )  # fmt: skip
        axes.axhline(1, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        size_axis(axes, {size for line in lines for size in line.fields})
        axes.set_ylabel("times as fast as the MPI's own choice")
        legend(axes, 1)

    return svg_of(draw, (INCHES, 3.0 + 0.2 * len(lines)))


def _whiskers(fields: Sequence[Field]) -> tuple[list[float], list[float]]:
    """How far an interval reaches below and above."""
    ends = [(field.gain, *(field.ci95 or (field.gain, field.gain))) for field in fields]
    below = [max(0.0, gain - low) for gain, low, _ in ends]
    return below, [max(0.0, high - gain) for gain, _, high in ends]


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

    return svg_of(draw, (INCHES, 6.4))


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

    return svg_of(draw, (INCHES, 1.2 + 0.24 * len(bars)))


def bytes_text(row: Row) -> str:
    """A size, or the class of sizes that a program called with; "-" where none is known."""
    if row.bytes is None or row.bytes_to is None:
        return "-"
    same = row.bytes == row.bytes_to
    return (
        size_text(row.bytes) if same else f"{size_text(row.bytes)} to {size_text(row.bytes_to + 1)}"
    )
