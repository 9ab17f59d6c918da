# SPDX-License-Identifier: BSD-3-Clause
"""Rule 7 of docs/measuring.md, "never slower", over the results of many measurements."""

from math import exp, log
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from suiro.bench.result import Cell, Interval, Result
from suiro.errors import UsageError

NOT_SLOWER = 0.97
DECIDED_WITHIN = 0.03
UNDECIDED_SHARE = 0.05

Verdict = Literal["not slower", "slower", "undecided", "void", "no ratio"]


class Judged(BaseModel):
    """One cell: native's time over the algorithm's, as far as it counts, and what follows."""

    lab: str | None
    mpi: str
    bytes: int
    ran: str
    ratio: float | None
    ci95: Interval | None
    repetitions: int
    verdict: Verdict


class Verdicts(BaseModel):
    """All cells. `never_slower` is null when too few of them say anything."""

    algorithm: str
    cells: list[Judged]
    geometric_mean: float | None
    undecided: int
    void: int
    never_slower: bool | None


def read_result(path: Path) -> Result:
    """What `suiro bench --json` has printed."""
    try:
        return Result.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValidationError, UnicodeDecodeError):
        raise UsageError(f"{path}: not a result of `suiro bench --json`") from None


def judge(results: list[Result], algorithm: str) -> Verdicts:
    """Every cell of `algorithm`, in the order given."""
    cells = [
        _judged(result, cell)
        for result in results
        for cell in result.cells
        if cell.algorithm == algorithm and not cell.is_control
    ]
    if not cells:
        raise UsageError(f'no cell of "{algorithm}" in these results: measure it with --algorithms')
    counted = {name: sum(cell.verdict == name for cell in cells) for name in ("undecided", "void")}
    return Verdicts(
        algorithm=algorithm,
        cells=cells,
        geometric_mean=_geometric_mean(cells),
        undecided=counted["undecided"],
        void=counted["void"],
        never_slower=_never_slower(cells),
    )


def _judged(result: Result, cell: Cell) -> Judged:
    counted = cell.counted_ratio
    return Judged(
        lab=result.machine.lab,
        mpi=result.machine.mpi,
        bytes=cell.bytes,
        ran=cell.ran or cell.algorithm,
        ratio=counted[0] if counted is not None else None,
        ci95=counted[1] if counted is not None else None,
        repetitions=cell.repetitions,
        verdict=_verdict(cell),
    )


def _verdict(cell: Cell) -> Verdict:
    """A wide interval decides nothing, unless all of it is on the good side; nor does that of one
    repetition, which has no width."""
    if cell.void:
        return "void"
    if cell.counted_ratio is None:
        return "no ratio"
    if cell.repetitions < 2:
        return "undecided"
    ratio, (low, high) = cell.counted_ratio
    if low >= NOT_SLOWER:
        return "not slower"
    wide = max(ratio - low, high - ratio) > DECIDED_WITHIN * ratio
    return "undecided" if wide and high >= NOT_SLOWER else "slower"


def _geometric_mean(cells: list[Judged]) -> float | None:
    ratios = [cell.ratio for cell in cells if cell.ratio is not None and cell.verdict != "void"]
    return exp(sum(map(log, ratios)) / len(ratios)) if ratios else None


def _never_slower(cells: list[Judged]) -> bool | None:
    verdicts = [cell.verdict for cell in cells if cell.verdict not in ("void", "no ratio")]
    if "slower" in verdicts:
        return False
    if not verdicts or verdicts.count("undecided") > UNDECIDED_SHARE * len(verdicts):
        return None
    return True
