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
    """One measured cell and what the model says of it. `of_ranks`: both are means over ranks of
    each rank's own time, and not the time until the last rank is done."""

    cell: Cell
    estimate: Estimate
    of_ranks: bool = False

    @property
    def predicted_s(self) -> float:
        return self.estimate.mean_s if self.of_ranks else self.estimate.seconds

    @property
    def error(self) -> float:
        """How much longer, as a part of what was measured, the model takes; negative: shorter."""
        return self.predicted_s / self.cell.median_s - 1

    @property
    def factor(self) -> float:
        """The longer over the shorter."""
        ratio = self.predicted_s / self.cell.median_s
        return max(ratio, 1 / ratio)


def compare(
    scene: Scene, cells: Iterable[Cell], root: int, of_ranks: bool = False
) -> list[Comparison]:
    """Of the cells that ran a schedule of the catalog, and count."""
    comparisons = []
    for cell in cells:
        algorithm = cell.ran if cell.algorithm == "auto" else cell.algorithm
        if cell.void or algorithm is None or algorithm.startswith("native"):
            continue
        [made] = estimate(scene, cell.collective, [algorithm], [cell.bytes], root)
        comparisons.append(Comparison(cell, made, of_ranks))
    return comparisons


def median_error(comparisons: list[Comparison]) -> float:
    """Of the errors without their signs."""
    return median(abs(one.error) for one in comparisons)


def share_within(comparisons: list[Comparison], factor: float) -> float:
    """Of the cells in which the model is right within that factor."""
    return sum(one.factor <= factor for one in comparisons) / len(comparisons)
