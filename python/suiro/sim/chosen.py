# SPDX-License-Identifier: BSD-3-Clause
"""Rows beside those of algorithms: what the MPI runs by itself, and what suiro would run, decided
by the one function that decides (suiro.advise.answer)."""

import math
import time
from typing import TYPE_CHECKING

from suiro.bench.catalog import Collective
from suiro.output import say
from suiro.quantities import size_text
from suiro.sim.estimate import Estimate, estimate
from suiro.sim.network import Scene

if TYPE_CHECKING:
    from suiro.advise.answer import Cell
    from suiro.advise.question import Mpi

NAMES = ("native", "auto")
_SECONDS_MAX = 60.0  # what takes longer has no row


def chosen(
    scene: Scene, row: Collective, names: list[str], sizes: list[int], root: int, mpi: "Mpi"
) -> list[Estimate]:
    """Of `names`, which are among NAMES. Native is played from rank 0."""
    from suiro.advise.answer import ask
    from suiro.advise.question import Question

    if not names:
        return []
    question = Question(mpi, scene.ranks_of_node, dict(scene.network), known=True)
    until = time.monotonic() + _SECONDS_MAX
    answer = ask(question, [(row, size) for size in sizes], until)
    found = []
    for cell in answer.cells:
        natives = _native(cell, scene.ranks)
        found += natives if "native" in names else []
        if "auto" in names:
            found += _auto(cell, scene, row, root) if not cell.is_native else [
                one.model_copy(update={"algorithm": "auto", "ran": "native"})
                for one in natives]  # fmt: skip
    for name in names:
        told = {one.bytes for one in found if one.algorithm == name}
        left = ", ".join(size_text(size) for size in sizes if size not in told)
        if left:
            say(f"{name} has no row at {left}: too many messages to be foretold within calls")
    return found


def _native(cell: "Cell", ranks: int) -> list[Estimate]:
    """None where it takes too long to foretell."""
    on = cell.on[0] if cell.on else None
    if on is None or on.native_s is None or cell.choice.outlook is None:
        return []
    said = cell.choice.outlook.native.removeprefix("native's ")
    return [Estimate(
        collective=cell.collective, algorithm="native", ran=said, parameters={},
        bytes=cell.choice.bytes, seconds=on.native_s,
        mean_s=on.native_mean_s if on.native_mean_s is not None else math.nan,
        bound_s=0.0, spent=None, messages=0, played_ranks=ranks, estimated_in_s=0.0,
    )]  # fmt: skip


def _auto(cell: "Cell", scene: Scene, row: Collective, root: int) -> list[Estimate]:
    made = estimate(scene, row.regular, [cell.choice.algorithm], [cell.choice.bytes], root)
    return [one.model_copy(update={"algorithm": "auto", "ran": one.name, "parameters": {}})
            for one in made]  # fmt: skip
