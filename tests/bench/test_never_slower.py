# SPDX-License-Identifier: BSD-3-Clause
"""Never slower: what counts as slower, as undecided, and as nothing."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from suiro.bench.never_slower import judge
from suiro.bench.result import Cell, Interval, Machine, Result
from suiro.cli.main import app
from suiro.errors import UsageError


def result(*ratios: tuple[float, Interval] | None, void: str | None = None) -> Result:
    machine = Machine(cores=2, processor="", kernel="", system="", suiro="", mpi="M", lab="L")
    cells = [
        Cell(
            collective="alltoall",
            algorithm="auto",
            nodes=2,
            ranks=4,
            bytes=1024,
            median_s=1,
            ci95_s=(1, 1),
            bandwidth_Bps=1,
            speedup_over_native=pair and pair[0],
            speedup_over_native_ci95=pair and pair[1],
            repetitions=5,
            void_reason=void,
            ran="ring",
        )
        for pair in ratios
    ]
    return Result(machine=machine, cells=cells, command="")


@pytest.mark.parametrize(
    ("ratio", "low", "high", "verdict"),
    [
        (1.0, 0.98, 1.02, "not slower"),
        (1.5, 1.2, 1.9, "not slower"),
        (0.96, 0.95, 0.968, "slower"),
        (0.98, 0.96, 1.0, "slower"),
        (1.0, 0.9, 1.1, "undecided"),
        (0.8, 0.7, 0.9, "slower"),
    ],
)
def test_a_cell(ratio: float, low: float, high: float, verdict: str) -> None:
    verdicts = judge([result((ratio, (low, high)))], "auto")
    assert (verdicts.cells[0].verdict, verdicts.cells[0].ran) == (verdict, "ring")


def test_one_repetition_decides_nothing() -> None:
    for ratio in (1.5, 0.5):
        once = result((ratio, (ratio, ratio)))
        once.cells[0].repetitions = 1
        assert judge([once], "auto").cells[0].verdict == "undecided"


def test_all_cells() -> None:
    good, poor, wide = (2.0, (1.9, 2.1)), (0.5, (0.5, 0.5)), (1.0, (0.9, 1.1))
    assert judge([result(good, good)], "auto").geometric_mean == pytest.approx(2.0)
    assert judge([result(good), result(poor)], "auto").geometric_mean == pytest.approx(1.0)
    assert judge([result(good)], "auto").never_slower is True
    assert judge([result(good, poor)], "auto").never_slower is False
    assert judge([result(*[good] * 19, wide)], "auto").never_slower is True
    assert judge([result(*[good] * 18, wide)], "auto").never_slower is None
    assert judge([result(None)], "auto").never_slower is None
    void = judge([result(poor, void="late")], "auto")
    assert (void.never_slower, void.void, void.geometric_mean) == (None, 1, None)
    with pytest.raises(UsageError, match='no cell of "ring"'):
        judge([result(good)], "ring")


def test_command(tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    good.write_text(result((2.0, (1.9, 2.1))).model_dump_json())
    answer = CliRunner().invoke(app, ["verdict", str(good)])
    assert answer.exit_code == 0
    assert "never slower: yes; 0 undecided and 0 void of 1 cells; geometric mean 2.000" in (
        answer.output
    )
    poor = tmp_path / "poor.json"
    poor.write_text(result((0.5, (0.5, 0.5))).model_dump_json())
    assert CliRunner().invoke(app, ["verdict", "--json", str(good), str(poor)]).exit_code == 1
    (tmp_path / "x").write_text("{}")
    for name, message in (("x", "not a result of"), ("y", "cannot be read: No such file")):
        answer = CliRunner().invoke(app, ["verdict", str(tmp_path / name)])
        assert message in str(answer.exception)
