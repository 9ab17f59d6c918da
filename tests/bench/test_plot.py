# SPDX-License-Identifier: BSD-3-Clause
"""The picture of `suiro bench --plot`: what was measured, and void cells hollow."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from samples import events, setting

from suiro.bench.cells import line_rate_of, make_cells
from suiro.bench.plot import check_plot_target, save_plot
from suiro.bench.result import Result
from suiro.errors import UsageError
from suiro.provenance import Machine


def drawn(folder: Path, late_us: float) -> str:
    made = events(late_us=late_us)
    machine = Machine(cores=2, processor="p", kernel="k", system="s", suiro="0", mpi="m")
    result = Result(
        machine=machine,
        cells=make_cells(made, setting()),
        line_rate=line_rate_of(made, 50_000_000),
        command="suiro bench alltoall",
    )
    save_plot(result, folder / "p.svg")
    assert ElementTree.parse(folder / "p.svg").getroot().tag.endswith("svg")
    return (folder / "p.svg").read_text()


def test_void_bars_are_hollow(tmp_path: Path) -> None:
    sound = drawn(tmp_path, late_us=10)
    assert all(text in sound for text in ("64 KiB", "ring", "line rate: one TCP stream per port"))
    assert drawn(tmp_path, late_us=999).count("fill: none") > sound.count("fill: none")


def test_only_svg_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only SVG"):
        check_plot_target(tmp_path / "p.png")
