# SPDX-License-Identifier: BSD-3-Clause
"""Rows beside those of algorithms: what the MPI runs by itself, and what suiro would run, decided
by the one function that decides (suiro.advise.answer), from what a job would know."""

import math
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suiro.bench.catalog import Collective
from suiro.quantities import size_text
from suiro.sim.estimate import Estimate, estimate
from suiro.sim.network import Scene

if TYPE_CHECKING:
    from suiro.advise.answer import Answer, Cell
    from suiro.advise.question import Question

NATIVE, AUTO = NAMES = ("native", "auto")
_SECONDS_MAX = 60.0  # what takes longer has no row
_BY_THE_BOOKS = re.compile(r"the best in the books \(native: (.+)\)")


@dataclass
class Chosen:
    """`remarks`: which rows are not there, or not what they seem, and why."""

    rows: list[Estimate] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def chosen(
    question: "Question", row: Collective, names: list[str], sizes: list[int], root: int
) -> Chosen:
    """Of `names`, which are among NAMES. Native is played from rank 0."""
    from suiro.advise.answer import ask

    found = Chosen()
    calls = [(row, size) for size in sizes] if names and not question.left_alone else []
    answer = ask(question, calls, time.monotonic() + _SECONDS_MAX)
    scene = question.scene
    for cell in answer.cells:
        natives = _native(cell, scene.ranks)
        found.rows += natives if NATIVE in names else []
        found.rows += _auto(cell, natives, scene, row, root) if AUTO in names else []
    found.remarks += _stand_ins(found.rows, answer)
    for name in names:
        told = {one.bytes for one in found.rows if one.algorithm == name}
        found.remarks += _missing(name, [size for size in sizes if size not in told], answer)
    return found


def _native(cell: "Cell", ranks: int) -> list[Estimate]:
    """On the first network that this may be; none where it takes too long to foretell."""
    on = cell.on[0] if cell.on else None
    if on is None or on.native_s is None or cell.choice.outlook is None:
        return []
    said = cell.choice.outlook.native.removeprefix("native's ")
    return [Estimate(
        collective=cell.collective, algorithm=NATIVE, ran=_BY_THE_BOOKS.sub(r"\1", said),
        parameters={}, bytes=cell.choice.bytes, seconds=on.native_s,
        mean_s=on.native_mean_s if on.native_mean_s is not None else math.nan,
        bound_s=0.0, spent=None, messages=0, played_ranks=ranks, estimated_in_s=0.0,
    )]  # fmt: skip


def _auto(
    cell: "Cell", natives: list[Estimate], scene: Scene, row: Collective, root: int
) -> list[Estimate]:
    name = cell.choice.algorithm
    made = natives
    if not cell.is_native:
        made = estimate(scene, row.regular, [name], [cell.choice.bytes], root)
    return [one.model_copy(update={"algorithm": AUTO, "ran": name, "parameters": {}})
            for one in made]  # fmt: skip


def _stand_ins(rows: list[Estimate], answer: "Answer") -> list[str]:
    """What native runs in these rows, and the catalog does not have."""
    sizes = {one.bytes for one in rows if NATIVE in (one.algorithm, one.ran)}
    said = [cell.choice.outlook.native for cell in answer.cells
            if cell.choice.bytes in sizes and cell.choice.outlook]  # fmt: skip
    names = dict.fromkeys(match[1] for match in map(_BY_THE_BOOKS.fullmatch, said) if match)
    return [f"native's {name} is not played: it is taken to be as fast as the best in the books"
            for name in names]  # fmt: skip


def _missing(name: str, sizes: list[int], answer: "Answer") -> list[str]:
    """A line for each reason."""
    cells = {one.choice.bytes: one for one in answer.cells}
    by_reason: dict[str, list[str]] = {}
    for size in sizes:
        where = by_reason.setdefault(_why_not(cells.get(size), answer), [])
        where += [size_text(size)] if size else []
    return [f"{name} has no row{' at ' if where else ''}{', '.join(where)}: {reason}"
            for reason, where in by_reason.items()]  # fmt: skip


def _why_not(cell: "Cell | None", answer: "Answer") -> str:
    if answer.question.left_alone:
        return answer.question.left_alone
    if cell is None:
        return f"it is not told within {_SECONDS_MAX:.0f} s"
    return cell.doubt if cell.is_native and not cell.on else "too many messages to be foretold"
