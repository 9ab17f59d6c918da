# SPDX-License-Identifier: BSD-3-Clause
"""The figures, as SVG text. Text takes the page's colour: one drawing serves light and dark."""

import io
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from suiro.bench.result import Cell, Result
from suiro.bench.wide_area import Sites, model_s, throughput_Bps
from suiro.errors import MachineError
from suiro.quantities import size_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# One colour per algorithm, the same in every figure; legible on white and on near-black.
_COLOURS = {
    "native": "#8a8f98",
    "ring": "#e08a1e",
    "two_level_ring": "#1b8ef2",
    "two_level_pairwise": "#0f4fa8",
    "linear": "#a06bd6",
    "pairwise": "#2fa36b",
    "auto": "#d2486a",
}
_FALLBACK = "#6b7a90"
SHADES = ("#8a8f98", "#e08a1e", "#1b8ef2", "#2fa36b", "#a06bd6", "#d2486a", "#0f4fa8", "#7a6a20")
_CONTROL = "#c3c7ce"
_TICKS_MAX = 10
# matplotlib draws text and axes in this colour; it becomes the page's own.
INK = "#123456"
INCHES = 7.6  # how wide a figure is


def colour_of(algorithm: str) -> str:
    return _COLOURS.get(algorithm.split(":")[0], _FALLBACK)


@dataclass(frozen=True)
class Bars:
    """A group of bars that stand together."""

    label: str
    cells: list[Cell]
    unit_Bps: float  # a bandwidth of this much is drawn as 1


def bandwidth_figure(result: Result) -> str:
    """Bandwidth per node over block size, with the line rate as the limit."""
    sizes = sorted({cell.bytes for cell in result.cells})
    groups = [
        Bars(size_text(size), [cell for cell in result.cells if cell.bytes == size], 1e6)
        for size in sizes
    ]
    line_Bps = _line_Bps(result)
    return _bars_figure(groups, "MB/s per node", line_Bps / 1e6 if line_Bps else None)


def wide_area_figure(result: Result, sites: Sites) -> str:
    """Throughput over size as the paper on GridMPI has it, its models as thin lines."""
    algorithms = list(dict.fromkeys(cell.algorithm for cell in result.cells if not cell.is_control))
    shades = {name: SHADES[i % len(SHADES)] for i, name in enumerate(algorithms)}

    def draw(axes: "Axes") -> None:
        for name in algorithms:
            cells = [cell for cell in result.cells if cell.algorithm == name]
            cells.sort(key=lambda cell: cell.bytes)
            sizes = [cell.bytes for cell in cells]
            measured = [throughput_Bps(cell, cell.median_s) / 1e6 for cell in cells]
            axes.plot(sizes, measured, color=shades[name], linewidth=1.6, marker="o",
                      markersize=3, label=name)  # fmt: skip
            models = [model_s(cell, sites) for cell in cells]
            if all(models):
                curve = [
                    throughput_Bps(c, s or 1) / 1e6 for c, s in zip(cells, models, strict=True)
                ]
                axes.plot(sizes, curve, color=shades[name], linewidth=0.8, linestyle=":")
        axes.set_xscale("log", base=2)
        ticks = sorted({cell.bytes for cell in result.cells})
        axes.set_xticks(ticks, [size_text(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_ylabel("MB/s as the paper counts; dotted: its models")
        legend(axes, 2)
        axes.set_ylim(bottom=0)

    return svg_of(draw, (INCHES, 4.2))


def _line_Bps(result: Result) -> float | None:
    if result.line_rate is None:
        return None
    return sum(result.line_rate.goodput_Bps) / len(result.line_rate.goodput_Bps)


def _bars_figure(groups: list[Bars], label: str, limit: float | None) -> str:
    algorithms = list(dict.fromkeys(_label(cell) for group in groups for cell in group.cells))
    width = 0.8 / max(1, len(algorithms))

    def draw(axes: "Axes") -> None:
        for place, group in enumerate(groups):
            for cell in group.cells:
                _bar(axes, place + algorithms.index(_label(cell)) * width, width, cell, group)
        axes.set_xticks(
            [place + 0.4 - width / 2 for place in range(len(groups))],
            [group.label for group in groups],
        )
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel(label)
        if limit is not None:
            axes.axhline(limit, color=INK, linewidth=1, linestyle=(0, (4, 3)))
            axes.annotate("line rate: one TCP stream per port", (1, limit), (0, 3), ha="right",
                          xycoords=("axes fraction", "data"), textcoords="offset points",
                          fontsize=8, color=INK)  # fmt: skip
        legend(axes, 3)
        axes.set_ylim(bottom=0)

    return svg_of(draw, (INCHES, 3.6))


def _label(cell: Cell) -> str:
    """The control is native's own algorithm, which may differ from network to network."""
    return "native's algorithm, run by suiro" if cell.is_control else cell.algorithm


def legend(axes: "Axes", columns: int) -> None:
    """Each label once, below the axes, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    axes.legend(once.values(), once.keys(), frameon=False, fontsize=8, ncols=columns,
                loc="upper left", bbox_to_anchor=(0, -0.14), labelcolor=INK)  # fmt: skip


def size_axis(axes: "Axes", sizes: Collection[int]) -> None:
    """An axis of sizes: even where they are evenly spaced, else of powers of two, on which a call
    without data stands at 1."""
    ordered = sorted(sizes)
    if len({later - size for size, later in pairwise(ordered)}) != 1:
        axes.set_xscale("log", base=2)
    every = -(-len(ordered) // _TICKS_MAX) or 1
    axes.set_xticks([tick or 1 for tick in ordered[::every]], map(size_text, ordered[::every]))
    axes.minorticks_off()


def _bar(axes: "Axes", place: float, width: float, cell: Cell, group: Bars) -> None:
    """One bar with its interval; a void cell is drawn hollow."""
    rate = cell.bandwidth_Bps / group.unit_Bps
    fast, slow = (rate * cell.median_s / bound for bound in cell.ci95_s)
    colour = _CONTROL if cell.is_control else colour_of(cell.algorithm)
    axes.bar(
        place,
        rate,
        width * 0.92,
        color="none" if cell.void else colour,
        edgecolor=colour,
        yerr=[[max(0.0, rate - slow)], [max(0.0, fast - rate)]],
        error_kw={"ecolor": INK, "elinewidth": 1, "capsize": 2},
        label=_label(cell),
        zorder=2,
    )


def check_can_draw(option: str) -> None:
    """Pictures need a library that jobs do not, so it may not be there. Raises MachineError."""
    if find_spec("matplotlib") is None:
        raise MachineError(
            f"{option}: pictures need matplotlib, which {sys.executable} does not have: "
            "pip install matplotlib, or apt install python3-matplotlib"
        )


def svg_of(draw: Callable[["Axes"], None], inches: tuple[float, float]) -> str:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "suiro",
        "text.parse_math": False,  # names are shown as they are
        "font.family": "sans-serif",
        "font.size": 9,
        **{f"axes.{part}": INK for part in ("edgecolor", "labelcolor")},
        **{f"{axis}tick.color": INK for axis in "xy"},
    }
    with rc_context(settings):
        figure = Figure(figsize=inches, layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", linewidth=0.5, alpha=0.25, color=INK)
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return _inline(out.getvalue())


def _inline(svg: str) -> str:
    """Without the XML prologue and fixed size, in the page's colour and fonts, which matplotlib
    names in one property or, lately, in several."""
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;\"]*", "font-family: system-ui, sans-serif", svg)
    return re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px system-ui, sans-serif", svg)
