# SPDX-License-Identifier: BSD-3-Clause
"""Never slower: what counts as slower, as undecided, and as nothing."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from suiro.bench.never_slower import Row, Verdicts, judge
from suiro.bench.result import Cell, Interval, Result
from suiro.cli.main import app
from suiro.errors import UsageError
from suiro.provenance import Machine


def result(
    *ratios: tuple[float, Interval] | None,
    void: str | None = None,
    lab: str = "4x4-hol",
    first_bytes: int = 4096,
    measured_at: str = "",
) -> Result:
    """Cells of sizes that differ, of which only the first is one of the grid."""
    machine = Machine(cores=2, processor="", kernel="", system="", suiro="", mpi="M", lab=lab)
    cells = [
        Cell(
            collective="alltoall",
            algorithm="auto",
            nodes=2,
            ranks=4,
            bytes=first_bytes + index,
            median_s=1,
            ci95_s=(1, 1),
            bandwidth_Bps=1,
            speedup_over_native=pair and pair[0],
            speedup_over_native_ci95=pair and pair[1],
            repetitions=5,
            void_reason=void,
            ran="ring",
        )
        for index, pair in enumerate(ratios)
    ]
    return Result(machine=machine, cells=cells, command="", measured_at=measured_at)


def row(verdicts: Verdicts) -> Row:
    (only,) = verdicts.rows
    return only


def beside(*ratios: tuple[float, Interval] | None, void: str | None = None) -> Row:
    """All of them in one row."""
    return row(judge([result(*ratios, void=void, lab="6x5")], "auto"))


@pytest.mark.parametrize(
    ("ratio", "low", "high", "verdict"),
    [
        (1.0, 0.98, 1.02, "not slower"),
        (1.5, 1.2, 1.9, "not slower"),
        (0.96, 0.95, 0.968, "slower"),
        (0.98, 0.96, 1.0, "slower"),
        (1.0, 0.9, 1.1, "undecided"),
        (0.8, 0.7, 0.9, "undecided"),
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


GOOD, POOR, WIDE = (2.0, (1.9, 2.1)), (0.5, (0.5, 0.5)), (1.0, (0.9, 1.1))


def test_all_cells() -> None:
    assert beside(GOOD, GOOD).geometric_mean == pytest.approx(2.0)
    assert beside(GOOD, POOR).geometric_mean == pytest.approx(1.0)
    assert beside(GOOD).never_slower is True
    assert beside(GOOD, POOR).never_slower is False
    assert beside(*[GOOD] * 19, WIDE).never_slower is True
    assert beside(*[GOOD] * 18, WIDE).never_slower is None
    assert beside(None).never_slower is None
    void = beside(POOR, void="late")
    assert (void.never_slower, void.void, void.geometric_mean) == (None, 1, None)
    low = beside(WIDE, (0.8, (0.7, 0.9)))
    assert (low.undecided, low.undecided_below) == (2, 1)
    with pytest.raises(UsageError, match='no cell of "ring"'):
        judge([result(GOOD)], "ring")


def test_what_was_fitted_is_not_judged_by_itself() -> None:
    """The second size of the second result is between those of the grid."""
    verdicts = judge([result(GOOD), result(GOOD, POOR), result(WIDE, lab="6x5")], "auto")
    answers = [(row.part, row.cells, row.never_slower) for row in verdicts.rows]
    assert answers == [("grid", 1, True), ("sizes between", 1, False), ("shapes beside", 1, None)]
    assert verdicts.never_slower is False


def test_small_messages_are_in_no_mean() -> None:
    """Also where they may be compared."""
    small = row(judge([result(POOR, first_bytes=512), result(GOOD)], "auto"))
    assert (small.slower, small.geometric_mean, small.cells_in_mean) == (1, pytest.approx(2.0), 1)


def test_a_cell_is_repeated_at_most_twice() -> None:
    days = [result(ratio, measured_at=day) for ratio, day in ((GOOD, "2"), (WIDE, "1"))]
    verdicts = judge(days, "auto")
    assert (row(verdicts).cells, row(verdicts).not_slower) == (1, 1)
    assert verdicts.cells[0].measured == 2
    judge([*days, result(GOOD)], "auto")
    with pytest.raises(UsageError, match=r"alltoall \(4 KiB\) in 4x4-hol was measured 4 times"):
        judge(days * 2, "auto")


def test_command(tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    good.write_text(result((2.0, (1.9, 2.1))).model_dump_json())
    answer = CliRunner().invoke(app, ["verdict", str(good)])
    assert answer.exit_code == 0
    assert (
        "grid: never slower: yes; of 1 cells 0 slower, 0 undecided, 0 void, 0 without a ratio; "
        "geometric mean of 1 from 4 KiB up 2.000\n"
    ) in answer.output
    poor = tmp_path / "poor.json"
    poor.write_text(result((0.5, (0.5, 0.5))).model_dump_json())
    assert CliRunner().invoke(app, ["verdict", "--json", str(good), str(poor)]).exit_code == 1
    (tmp_path / "x").write_text("{}")
    for name, message in (("x", "not a result of"), ("y", "cannot be read: No such file")):
        answer = CliRunner().invoke(app, ["verdict", str(tmp_path / name)])
        assert message in str(answer.exception)


def test_a_native_cell_that_is_void_makes_both_void() -> None:
    measured = result(GOOD, lab="6x5")
    [auto] = measured.cells
    native = auto.model_copy(update={"algorithm": "native", "void_reason": "the switch was late"})
    measured.cells.insert(0, native)
    assert row(judge([measured], "auto")).void == 1
