# SPDX-License-Identifier: BSD-3-Clause
"""What strategy c of `suiro tune` costs and loses against measuring everything, done twice:
how well the second time repeats the first is the yardstick. Takes some 15 minutes for each lab.

    python tests/tune/strategies.py 4x4-hol 8x4-shared --folder OUT
    python tests/tune/strategies.py 4x4-hol 8x4-shared --folder OUT --only-print
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

from suiro.json_lines import parse
from suiro.tune.candidates import DEFAULT
from suiro.tune.search import verdict
from suiro.tune.store import Record

SIZES = {
    "bcast": "4K,64K,256K",
    "allreduce": "4K,64K,256K",
    "allgather": "1K,8K,32K",
    "alltoall": "2K,16K",
}
REPEAT = 8
SEARCH, FIRST, SECOND = "search", "first", "second"

Times = dict[str, list[float]]  # seconds by candidate


@dataclass(frozen=True)
class Cell:
    """One collective at one size: what each way measured, and what it chose."""

    lab: str
    collective: str
    size: int
    calls: dict[str, int]
    chosen: dict[str, str]
    medians: dict[str, dict[str, float]]  # of the two that measured everything

    def loss(self, chosen_by: str, judge: str) -> float:
        """How much slower a choice is than the judge's, by the judge's own times."""
        known = self.medians[judge]
        return known[self.chosen[chosen_by]] / known[self.chosen[judge]]


def measure(lab: str, folder: Path) -> None:
    for collective, sizes in SIZES.items():
        for way in (SEARCH, FIRST, SECOND):
            strategy = ["c"] if way == SEARCH else ["b", "--repeat", str(REPEAT)]
            command = ["tune", collective, "--lab", lab, "--mpi", "openmpi", "--sizes", sizes]
            command += ["--strategy", *strategy, "--budget", "30m"]
            environment = os.environ | {"SUIRO_STORE": str(folder / way)}
            words = [sys.executable, "-c", "from suiro.cli.main import main; main()", *command]
            subprocess.run(words, env=environment, check=True)


def records(folder: Path, lab: str) -> dict[str, Record]:
    """By collective, the latest."""
    paths = sorted((folder / f"lab-{lab}").glob("*.json"))
    found = [parse(Record, path.read_bytes()) for path in paths]
    return {one.key.collective: one for one in found}


def cells(lab: str, folder: Path) -> Iterator[Cell]:
    by_way = {way: records(folder / way, lab) for way in (SEARCH, FIRST, SECOND)}
    for collective, record in sorted(by_way[SEARCH].items()):
        for size in sorted({one.bytes for one in record.samples}):
            yield cell(lab, collective, size, by_way)


def cell(lab: str, collective: str, size: int, by_way: dict[str, dict[str, Record]]) -> Cell:
    calls, chosen, medians = {}, {}, {}
    for way, found in by_way.items():
        samples = [one for one in found[collective].samples if one.bytes == size]
        calls[way] = sum(len(one.seconds) for one in samples)
        finals: Times = {one.candidate: one.seconds for one in samples if one.final}
        chosen[way] = verdict(size, finals, 0).winner
        medians[way] = {name: median(times) for name, times in finals.items()}
    return Cell(lab, collective, size, calls, chosen, medians)


def show(found: list[Cell]) -> None:
    print("| lab | collective | bytes | calls: c / all | of c | loss | of all | again |")
    print("|---|---|---|---|---|---|---|---|")
    for one in found:
        loss = geometric_mean([one.loss(SEARCH, FIRST), one.loss(SEARCH, SECOND)]) - 1
        again = geometric_mean([one.loss(FIRST, SECOND), one.loss(SECOND, FIRST)]) - 1
        gain = one.medians[FIRST][DEFAULT] / one.medians[FIRST][one.chosen[FIRST]]
        share = one.calls[SEARCH] / one.calls[FIRST]
        print(
            f"| {one.lab} | {one.collective} | {one.size} | {one.calls[SEARCH]} / "
            f"{one.calls[FIRST]} = {share:.0%} | {one.chosen[SEARCH]} | {loss:+.1%} | "
            f"{one.chosen[FIRST]} ({gain:.2f} x default) | {again:+.1%} |"
        )
    losses = [one.loss(SEARCH, judge) for one in found for judge in (FIRST, SECOND)]
    repeats = [one.loss(*pair) for one in found for pair in ((FIRST, SECOND), (SECOND, FIRST))]
    share = sum(one.calls[SEARCH] for one in found) / sum(one.calls[FIRST] for one in found)
    print(f"\ncalls: {share:.1%} of all; loss: mean {geometric_mean(losses) - 1:+.1%}, median "
          f"{median(losses) - 1:+.1%}, largest {max(losses) - 1:+.1%}; all against all again: mean "
          f"{geometric_mean(repeats) - 1:+.1%}, largest {max(repeats) - 1:+.1%}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labs", nargs="+")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--only-print", action="store_true")
    options = parser.parse_args()
    if not options.only_print:
        for lab in options.labs:
            measure(lab, options.folder)
    show([one for lab in options.labs for one in cells(lab, options.folder)])


if __name__ == "__main__":
    main()
