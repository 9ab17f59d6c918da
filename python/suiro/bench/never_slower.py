# SPDX-License-Identifier: BSD-3-Clause
"""Rule 7 of docs/measuring.md, "never slower", over the results of many measurements."""

from collections import Counter
from math import exp, log
from typing import Literal, get_args

from pydantic import BaseModel

from suiro.bench.cells import SMALL_BYTES
from suiro.bench.result import Cell, Interval, Result
from suiro.errors import UsageError
from suiro.quantities import size_text

NOT_SLOWER = 0.97
DECIDED_WITHIN = 0.03
UNDECIDED_SHARE = 0.05
REPEATED_MAX = 2

GRID_LABS = ("4x4-hol", "4x4-shared", "8x4-shared", "4x4-voq", "two-sites")
GRID_BYTES = (8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20)

Verdict = Literal["not slower", "slower", "undecided", "void", "no ratio"]
Part = Literal["grid", "sizes between", "shapes beside"]
_NOT_COUNTED = ("void", "no ratio")


class Judged(BaseModel):
    """One cell: native's time over the algorithm's, and what follows."""

    part: Part
    collective: str
    lab: str | None
    mpi: str
    bytes: int
    ran: str
    ratio: float | None
    ci95: Interval | None
    repetitions: int
    measured: int  # how often; the last is what is told of
    verdict: Verdict


class Row(BaseModel):
    """All cells of a part. `never_slower` is null when too few of them say anything."""

    part: Part
    cells: int
    not_slower: int
    slower: int
    undecided: int
    undecided_below: int  # of these, how many have all of their interval below the limit
    void: int
    no_ratio: int
    geometric_mean: float | None  # of cells of 4 KiB and more
    cells_in_mean: int
    never_slower: bool | None


class Verdicts(BaseModel):
    """What was fitted on a grid is not judged by it alone: every part must hold."""

    algorithm: str
    cells: list[Judged]
    rows: list[Row]
    never_slower: bool | None


def judge(results: list[Result], algorithm: str) -> Verdicts:
    """Every cell of `algorithm`, in the order in which each was measured first."""
    found: dict[tuple[object, ...], list[Judged]] = {}
    for result in sorted(results, key=lambda result: result.measured_at):
        for cell in result.cells:
            if cell.algorithm == algorithm and not cell.is_control:
                known = found.setdefault(_identity(result, cell), [])
                known.append(_judged(result, cell, len(known) + 1))
    if not found:
        raise UsageError(f'no cell of "{algorithm}" in these results: measure it with --algorithms')
    cells = [measured[-1] for measured in found.values()]
    rows = [_row(part, of_part) for part in get_args(Part) if (of_part := _of_part(cells, part))]
    answers = [row.never_slower for row in rows]
    never_slower = False if False in answers else None if None in answers else True
    return Verdicts(algorithm=algorithm, cells=cells, rows=rows, never_slower=never_slower)


def _identity(result: Result, cell: Cell) -> tuple[object, ...]:
    """A cell that is measured again is the same cell."""
    machine = result.machine
    shape = (cell.nodes, cell.ranks, cell.bytes, cell.spread_percent, cell.root)
    return machine.lab, machine.model, machine.mpi, cell.collective, *shape


def _part(lab: str | None, size: int) -> Part:
    """A call without data has one size, which is of the grid."""
    if lab not in GRID_LABS:
        return "shapes beside"
    return "grid" if size in (0, *GRID_BYTES) else "sizes between"


def _of_part(cells: list[Judged], part: Part) -> list[Judged]:
    return [cell for cell in cells if cell.part == part]


def _judged(result: Result, cell: Cell, measured: int) -> Judged:
    if measured > 1 + REPEATED_MAX:
        raise UsageError(
            f"{cell.collective} ({size_text(cell.bytes)}) in {result.machine.lab or 'one place'} "
            f"was measured {measured} times: a cell is repeated at most twice (docs/measuring.md)"
        )
    ratio, interval = cell.over_native or (None, None)
    return Judged(
        part=_part(result.machine.lab, cell.bytes),
        collective=cell.collective,
        lab=result.machine.lab,
        mpi=result.machine.mpi,
        bytes=cell.bytes,
        ran=cell.ran or cell.algorithm,
        ratio=ratio,
        ci95=interval,
        repetitions=cell.repetitions,
        measured=measured,
        verdict=_verdict(cell, _native(result, cell)),
    )


def _native(result: Result, cell: Cell) -> Cell | None:
    """What it was compared with."""
    what = (cell.collective, cell.bytes, "native")
    same = (one for one in result.cells if (one.collective, one.bytes, one.algorithm) == what)
    return next(same, None)


def _verdict(cell: Cell, native: Cell | None) -> Verdict:
    """One repetition has no interval, so nothing is known of where it would end."""
    if cell.void or (native is not None and native.void):
        return "void"
    if cell.over_native is None:
        return "no ratio"
    if cell.repetitions < 2:
        return "undecided"
    ratio, (low, high) = cell.over_native
    if low >= NOT_SLOWER:
        return "not slower"
    wide = max(ratio - low, high - ratio) > DECIDED_WITHIN * ratio
    return "undecided" if wide else "slower"


def _row(part: Part, cells: list[Judged]) -> Row:
    count = Counter(cell.verdict for cell in cells)
    below = [cell for cell in cells if cell.verdict == "undecided" and _all_below(cell)]
    ratios = [cell.ratio for cell in cells if cell.ratio is not None and _in_mean(cell)]
    return Row(
        part=part,
        cells=len(cells),
        not_slower=count["not slower"],
        slower=count["slower"],
        undecided=count["undecided"],
        undecided_below=len(below),
        void=count["void"],
        no_ratio=count["no ratio"],
        geometric_mean=exp(sum(map(log, ratios)) / len(ratios)) if ratios else None,
        cells_in_mean=len(ratios),
        never_slower=_never_slower(count),
    )


def _all_below(cell: Judged) -> bool:
    return cell.ci95 is not None and cell.ci95[1] < NOT_SLOWER


def _in_mean(cell: Judged) -> bool:
    """Small messages are in no mean, wherever they were measured."""
    return cell.bytes >= SMALL_BYTES and cell.verdict not in _NOT_COUNTED


def _never_slower(count: Counter[Verdict]) -> bool | None:
    if count["slower"]:
        return False
    decided_or_not = count["not slower"] + count["undecided"]
    if decided_or_not == 0 or count["undecided"] > UNDECIDED_SHARE * decided_or_not:
        return None
    return True
