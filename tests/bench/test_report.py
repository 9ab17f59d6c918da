# SPDX-License-Identifier: BSD-3-Clause
"""The page: complete, without outside resources, and honest about void cells."""

import re

import pytest
from samples import events, setting

from suiro.bench.catalog import phases, schedule_text
from suiro.bench.cells import line_rate_of, make_cells
from suiro.bench.result import Result, Steps
from suiro.bench.steps import predicted_relative
from suiro.provenance import Machine
from suiro.report.page import ProgramRun, Section, render
from suiro.report.verdict import conclusion, verdict


def result(late_us: float = 10) -> Result:
    machine = Machine(cores=2, processor="p", kernel="k", system="s", suiro="0", mpi="m <1>")
    made = events(late_us=late_us)
    for sample in made.samples:
        if sample["candidate"] == "linear":
            sample["candidate"] = "two_level_ring"
    steps = Steps(algorithm="ring", bytes=65536, ppn=2, steps=[2, 3], seconds=[1, 1.3],
                  relative=[1, 1.3], predicted=[1, 1.33])  # fmt: skip
    return Result(
        machine=machine,
        cells=make_cells(made, setting()),
        steps=[steps],
        line_rate=line_rate_of(made, 50_000_000),
        command="suiro bench alltoall",
    )


def test_page_is_complete_and_offline() -> None:
    page = render("A <title>", [Section(result(), ProgramRun("./a & b", 2.0, 1.0))])
    assert "A &lt;title&gt;" in page
    assert "./a &amp; b" in page
    assert page.count("<svg") == 2
    assert not re.search(r'(src|href)="https?:', page)
    assert "@import" not in page
    assert "What the switch saw" in page


def test_void_cells_get_no_verdict() -> None:
    assert "no verdict" in verdict(result(late_us=999))[0]
    assert conclusion([result(late_us=999)]) == [
        "There is no verdict: in your network (64 KiB blocks)."
    ]
    assert "2-Level Ring reaches" in verdict(result())[0]


def test_conclusion_is_computed() -> None:
    assert conclusion([result()]) == [
        "2-Level algorithms help over native, but not clearly over Ring: "
        "in your network (64 KiB blocks)."
    ]


def test_model_of_steps_is_the_native_tools() -> None:
    ring = predicted_relative(phases("alltoall", "ring", 4, 4))
    assert ring[4] == 1.0
    assert ring[6] == pytest.approx(4 / 3)
    for name in ("two_level_ring", "two_level_ring:window=2"):
        assert set(predicted_relative(phases("alltoall", name, 4, 4)).values()) == {0.0, 1.0}


def test_a_schedule_is_named_as_it_was_asked_for() -> None:
    text = schedule_text("alltoall", "two_level_ring:window=2", 2, 2)
    assert "\nalgorithm two_level_ring:window=2\n" in text
    assert "\nwindow 2\n" in text
