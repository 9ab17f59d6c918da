# SPDX-License-Identifier: BSD-3-Clause
"""What a tuner has measured, drawn as the paper on automatic tuning has it (its figure 4): time
over size for each algorithm, what the MPI does by itself, and what is chosen."""

from statistics import median
from typing import TYPE_CHECKING, Any

from suiro.bench.table import size_text
from suiro.report.figures import INK, SHADES, legend, svg_of
from suiro.tune.candidates import DEFAULT
from suiro.tune.tuner import Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Curve = dict[int, float]  # seconds by size


def tuning_figure(tuning: Tuning) -> str:
    """An algorithm is drawn with the best of its segments at each size."""
    curves = _curves(tuning)
    chosen = {one.size: _chosen_s(tuning, one.size, name) for one, name in tuning.choices}

    def draw(axes: "Axes") -> None:
        names = [name for name in curves if name != DEFAULT]
        for index, name in enumerate(names):
            shade = SHADES[(index + 1) % len(SHADES)]
            _plot(axes, curves[name], name, color=shade, linewidth=1.0, marker="o", markersize=2)
        if DEFAULT in curves:
            _plot(axes, curves[DEFAULT], "the MPI's own choice", color=SHADES[0], linewidth=2.2)
        _plot(axes, {size: time for size, time in chosen.items() if time}, "tuned", color=INK,
              linewidth=2.2, linestyle=(0, (4, 2)))  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        ticks = sorted(chosen)[:: max(1, len(chosen) // 8)]
        axes.set_xticks(ticks, [size_text(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_ylabel("milliseconds")
        legend(axes, 3)

    return svg_of(draw, (7.6, 4.6))


def _plot(axes: "Axes", curve: _Curve, label: str, **style: Any) -> None:
    sizes = sorted(curve)
    axes.plot(sizes, [1e3 * curve[size] for size in sizes], label=label, **style)


def _curves(tuning: Tuning) -> dict[str, _Curve]:
    """By algorithm without its parameters."""
    curves: dict[str, _Curve] = {}
    for sample in (*tuning.earlier, *tuning.samples):
        curve = curves.setdefault(sample.candidate.partition(":")[0], {})
        time = median(sample.seconds)
        curve[sample.bytes] = min(time, curve.get(sample.bytes, time))
    return curves


def _chosen_s(tuning: Tuning, size: int, name: str) -> float | None:
    times = [
        second
        for sample in (*tuning.earlier, *tuning.samples)
        if sample.bytes == size and sample.candidate == name
        for second in sample.seconds
    ]
    return median(times) if times else None
