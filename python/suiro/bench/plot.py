# SPDX-License-Identifier: BSD-3-Clause
"""Bandwidth over size by algorithm, as an SVG file; between two sites as the paper on GridMPI
plots it."""

from pathlib import Path

from suiro.bench.result import Result
from suiro.errors import UsageError
from suiro.output import check_place, write_file


def save_plot(result: Result, target: Path) -> None:
    """Checked late, after measuring; check_plot_target() is for before."""
    from suiro.bench.wide_area import sites_of_lab
    from suiro.report.figures import bandwidth_figure, wide_area_figure

    sites = sites_of_lab(result.machine.lab)
    figure = wide_area_figure(result, sites) if sites else bandwidth_figure(result)
    write_file(target, figure, "--plot")


def check_plot_target(target: Path) -> None:
    """A long measurement must not end in a refused file name, or without what draws."""
    from suiro.report.figures import check_can_draw

    if target.suffix != ".svg":
        raise UsageError(f"--plot {target}: only SVG is drawn; give a name that ends in .svg")
    check_can_draw("--plot")
    check_place(target, "--plot")
