# SPDX-License-Identifier: BSD-3-Clause
"""The figures, as SVG text. Text takes the page's colour: one drawing serves light and dark."""

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from suiro.bench.result import Cell, Result, Steps
from suiro.bench.table import size_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# One colour per algorithm, the same in every figure; legible on white and on near-black.
_COLOURS = {
    "native": "#8a8f98",
    "ring": "#e08a1e",
    "two_level_ring": "#1b8ef2",
    "linear": "#a06bd6",
    "pairwise": "#2fa36b",
    "auto": "#d2486a",
}
_FALLBACK = "#6b7a90"
# matplotlib draws text and axes in this colour; it becomes the page's own.
_INK = "#123456"


def colour_of(algorithm: str) -> str:
    return _COLOURS.get(algorithm.split(":")[0], _FALLBACK)


def bandwidth_figure(result: Result) -> str:
    """Bandwidth per node over block size, with the line rate as the limit."""

    def draw(axes: "Axes") -> None:
        sizes = sorted({cell.bytes for cell in result.cells})
        width = 0.8 / max(1, len(_algorithms(result.cells)))
        for index, algorithm in enumerate(_algorithms(result.cells)):
            cells = {cell.bytes: cell for cell in result.cells if cell.algorithm == algorithm}
            for place, size in enumerate(sizes):
                if size in cells:
                    _bar(axes, place + index * width, width, cells[size], place == 0)
        axes.set_xticks([place + 0.4 - width / 2 for place in range(len(sizes))])
        axes.set_xticklabels([size_text(size) for size in sizes])
        axes.set_xlabel("bytes per block")
        axes.set_ylabel("MB/s per node")
        if result.line_rate is not None:
            mean_Bps = sum(result.line_rate.goodput_Bps) / len(result.line_rate.goodput_Bps)
            axes.axhline(mean_Bps / 1e6, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
            axes.annotate("one TCP stream per port", (0, mean_Bps / 1e6), (0, 3),
                          xycoords=("axes fraction", "data"), textcoords="offset points",
                          fontsize=8, color=_INK)  # fmt: skip
        axes.legend(frameon=False, fontsize=8, ncols=2, loc="upper left", bbox_to_anchor=(0, -0.16),
                    labelcolor=_INK)  # fmt: skip
        axes.set_ylim(bottom=0)

    return _svg(draw, (6.4, 3.6))


def _bar(axes: "Axes", place: float, width: float, cell: Cell, labelled: bool) -> None:
    """One bar with its interval; a void cell is drawn hollow."""
    rate = cell.bandwidth_Bps / 1e6
    fast, slow = (rate * cell.median_s / bound for bound in cell.ci95_s)
    colour = colour_of(cell.algorithm)
    axes.bar(
        place,
        rate,
        width * 0.92,
        color="none" if cell.void else colour,
        edgecolor=colour,
        yerr=[[max(0.0, rate - slow)], [max(0.0, fast - rate)]],
        error_kw={"ecolor": _INK, "elinewidth": 1},
        label=cell.algorithm + (" (control)" if cell.is_control else "") if labelled else None,
    )


def steps_figure(steps: list[Steps]) -> str:
    """Time of each step relative to steps with one target node; dotted: what the model predicts."""

    def draw(axes: "Axes") -> None:
        for one in steps:
            colour = colour_of(one.algorithm)
            axes.plot(one.steps, one.relative, color=colour, linewidth=1.6, marker="o",
                      markersize=3.5, label=one.algorithm)  # fmt: skip
            axes.plot(one.steps, one.predicted, color=colour, linewidth=1.2, linestyle=":",
                      label=f"{one.algorithm}, model")  # fmt: skip
        axes.set_xlabel("step")
        axes.set_ylabel("relative time")
        axes.legend(frameon=False, fontsize=8, ncols=2, loc="upper left", bbox_to_anchor=(0, -0.16),
                    labelcolor=_INK)  # fmt: skip
        axes.set_ylim(bottom=0)

    return _svg(draw, (6.4, 3.2))


def _algorithms(cells: list[Cell]) -> list[str]:
    return list(dict.fromkeys(cell.algorithm for cell in cells))


def _svg(draw: Callable[["Axes"], None], inches: tuple[float, float]) -> str:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "suiro",
        "font.family": "sans-serif",
        "font.size": 9,
        **{f"axes.{part}": _INK for part in ("edgecolor", "labelcolor")},
        **{f"{axis}tick.color": _INK for axis in "xy"},
    }
    with rc_context(settings):
        figure = Figure(figsize=inches, layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", linewidth=0.5, alpha=0.25, color=_INK)
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return _inline(out.getvalue())


def _inline(svg: str) -> str:
    """Without the XML prologue and fixed size, in the page's colour and fonts."""
    svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1, flags=re.DOTALL)
    return re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px system-ui, sans-serif", svg)
