# SPDX-License-Identifier: BSD-3-Clause
"""Time over size for each algorithm, what the MPI does by itself, and what is chosen: as the paper
on automatic tuning draws it (its figure 4)."""

from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING, Any

from suiro.report.figures import INCHES, INK, SHADES, legend, size_axis, svg_of
from suiro.tune.candidates import DEFAULT
from suiro.tune.tuner import Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = dict[int, float]  # seconds by size
Point = tuple[str, int, float]  # algorithm, bytes, seconds


def tuning_figure(tuning: Tuning) -> str:
    """What a tuner has measured."""
    samples = (*tuning.earlier, *tuning.samples)
    chosen = {one.size: _chosen_s(tuning, one.size, name) for one, name in tuning.choices}
    return times_figure(
        ((sample.candidate, sample.bytes, median(sample.seconds)) for sample in samples),
        DEFAULT,
        {size: time for size, time in chosen.items() if time},
    )


def times_figure(points: Iterable[Point], default: str, chosen: Curve) -> str:
    """An algorithm is drawn with the best of its parameters at each size. `default`: the name of
    the MPI's own choice."""
    from matplotlib.ticker import LogLocator

    curves = _curves(points)

    def draw(axes: "Axes") -> None:
        names = [name for name in curves if name != default]
        for index, name in enumerate(names):
            shade = SHADES[1 + index % (len(SHADES) - 1)]
            line = "-" if index < len(SHADES) - 1 else "--"
            _plot(axes, curves[name], name, color=shade, linewidth=1.0, marker="o", markersize=2,
                  linestyle=line)  # fmt: skip
        if default in curves:
            _plot(axes, curves[default], "the MPI's own choice", color=SHADES[0], linewidth=2.2)
        _plot(axes, chosen, "tuned", color=INK, linewidth=2.2, linestyle=(0, (4, 2)))
        axes.set_yscale("log")
        size_axis(axes, {size for curve in curves.values() for size in curve})
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_ylabel("milliseconds")
        legend(axes, 3)

    return svg_of(draw, (INCHES, 4.6))


def _plot(axes: "Axes", curve: Curve, label: str, **style: Any) -> None:
    sizes = sorted(curve)
    axes.plot(sizes, [1e3 * curve[size] for size in sizes], label=label, **style)


def _curves(points: Iterable[Point]) -> dict[str, Curve]:
    """By algorithm without its parameters."""
    curves: dict[str, Curve] = {}
    for name, size, time in points:
        curve = curves.setdefault(name.partition(":")[0], {})
        curve[size] = min(time, curve.get(size, time))
    return curves


def _chosen_s(tuning: Tuning, size: int, name: str) -> float | None:
    times = [
        second
        for sample in (*tuning.earlier, *tuning.samples)
        if sample.bytes == size and sample.candidate == name
        for second in sample.seconds
    ]
    return median(times) if times else None
