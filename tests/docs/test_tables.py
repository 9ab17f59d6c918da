# SPDX-License-Identifier: BSD-3-Clause
"""Tables say what results say, and what is void is never a number."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from suiro.bench.result import Cell, Result
from suiro.provenance import Machine

PAGE = "before\n<!-- table: {} -->\nold\n<!-- end -->\nafter\n"


def cell(algorithm: str, seconds: float, ratio: float | None, **more: Any) -> Cell:
    interval = None if ratio is None else (ratio - 0.1, ratio + 0.1)
    return Cell(
        collective="alltoall", algorithm=algorithm, nodes=4, ranks=16, bytes=65536,
        median_s=seconds, ci95_s=(seconds, seconds), bandwidth_Bps=1.0, bound_fraction=0.5,
        speedup_over_native=ratio, speedup_over_native_ci95=interval, repetitions=7,
    ).model_copy(update=more)  # fmt: skip


@pytest.fixture
def tables(generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """With two results: a good one, and one whose second cell is void."""
    module: ModuleType = generate.tables
    monkeypatch.setattr(sys.modules["table_parts"], "RESULTS", tmp_path)
    for name, void in (("good", None), ("poor", "the switch was late")):
        machine = Machine(
            cores=2, processor="p", kernel="k", system="s", suiro="0", mpi="Open MPI v4.1.4",
            lab="4x4-hol", model="hol",
        )  # fmt: skip
        cells = [cell("native", 0.3, None), cell("auto", 0.2, 1.5, ran="ring", void_reason=void)]
        result = Result(
            machine=machine, cells=cells, command=f"suiro bench {name} --json",
            measured_at="2026-01-02T03:04:05+00:00", commit="abc",
        )  # fmt: skip
        (tmp_path / f"{name}.json").write_text(result.model_dump_json())
    return module


def test_what_is_between_the_marks_is_made_anew(tables: ModuleType) -> None:
    text = tables.filled(PAGE.format("gains good@64K"))
    assert "old" not in text
    assert "| `alltoall` | 64 KiB to each |" in text
    assert "| Open MPI 4.1.4 | 1.50 [1.40, 1.60] | `ring` |" in text
    assert tables.filled(text) == text
    assert tables.without(text) == "before\n\nafter\n"


def test_void_is_no_number(tables: ModuleType) -> None:
    text = tables.filled(PAGE.format("cells poor"))
    assert "| void |" in text and "1.50" not in text
    assert "void: the switch was late" in text


def test_cells_are_judged(tables: ModuleType) -> None:
    text = tables.filled(PAGE.format("verdict *"))
    assert "| shapes beside |" in text or "| grid |" in text or "| sizes between |" in text


def test_commands_stand_beside(tables: ModuleType) -> None:
    text = tables.filled(PAGE.format("commands good poor"))
    assert "\n    suiro bench good --json\n    suiro bench poor --json\n" in text
    assert "commit abc, 2026-01-02:" in text


def test_a_name_that_no_result_has(tables: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"docs/results has no nowhere\.json"):
        tables.filled(PAGE.format("gains nowhere"))
