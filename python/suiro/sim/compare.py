# SPDX-License-Identifier: BSD-3-Clause
"""The model's times beside measured ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from suiro.bench.result import Cell
from suiro.sim.estimate import Estimate, estimate
from suiro.sim.network import Scene


@dataclass(frozen=True)
class Comparison:
    """One measured cell and what the model says of it."""

    cell: Cell
    estimate: Estimate

    @property
    def error(self) -> float:
        """How much longer, as a part of what was measured, the model takes; negative: shorter."""
        return self.estimate.seconds / self.cell.median_s - 1


def compare(scene: Scene, cells: Iterable[Cell], root: int) -> list[Comparison]:
    """Of the cells that ran a schedule of the catalog, and count."""
    comparisons = []
    for cell in cells:
        algorithm = cell.ran if cell.algorithm == "auto" else cell.algorithm
        if cell.void or algorithm is None or algorithm.startswith("native"):
            continue
        [made] = estimate(scene, cell.collective, [algorithm], [cell.bytes], root)
        comparisons.append(Comparison(cell, made))
    return comparisons


def median_error(comparisons: list[Comparison]) -> float:
    """Of the errors without their signs."""
    return median(abs(one.error) for one in comparisons)
