# SPDX-License-Identifier: BSD-3-Clause
"""Tunes one collective: what to measure when, and what came out. The job, the model and the store
are given."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from suiro.bench.catalog import Collective
from suiro.tune import search, store
from suiro.tune.candidates import DEFAULT, Candidate, Candidates
from suiro.tune.search import Seconds, Verdict
from suiro.tune.session import Session
from suiro.tune.sizes import coarse_to_fine

Estimates = Callable[[list[Candidate], int], dict[str, float]]  # seconds by name, where known
Tell = Callable[[str], None]
# Of the time of a size that one round may take; strategy B has only one.
_ROUND_SHARE = {"b": 1.0, "c": 0.5}


@dataclass(frozen=True)
class Plan:
    """What is asked for one collective in communicators of one size. `repeat`: of strategy B."""

    collective: Collective
    sizes: list[int]
    strategy: str
    root: int
    repeat: int
    candidates: Candidates
    reach: float = 1.0  # a size stands for those up to so many times as large or small
    wanted_ranks: int = 0  # the first so many of the job; 0: all
    node_of_rank: tuple[int, ...] = ()  # of those; known when a job has started

    @property
    def ranks(self) -> int:
        return len(self.node_of_rank)

    @property
    def call(self) -> "CallKind":
        return self.collective.name, self.ranks


@dataclass
class Tuning:
    """What came out. `left` are the sizes that the budget did not reach."""

    plan: Plan
    verdicts: list[Verdict] = field(default_factory=list)
    samples: list[store.Sample] = field(default_factory=list)
    known_before: list[int] = field(default_factory=list)
    earlier: list[store.Sample] = field(default_factory=list)  # of these, from the store
    left: list[int] = field(default_factory=list)
    measurements: int = 0

    @property
    def choices(self) -> list[tuple[Verdict, str]]:
        return search.merged(self.verdicts)


CallKind = tuple[str, int]  # what rules of MPIs tell apart before sizes: collective and ranks
# Where candidates are told apart by size: the size of each, by name and the size that is tuned.
Placed = dict[int, dict[str, int]]


class Tuner:
    def __init__(
        self, session: Session, plan: Plan, key: store.Key, estimates: Estimates, placed: Placed
    ) -> None:
        self._session = session
        self._plan = plan
        self._key = key
        self._estimates = estimates
        self._placed = placed

    def run(self, budget_s: float, again: bool, tell: Tell, tuning: Tuning) -> float:
        """Fills `tuning`, size by size from coarse to fine, so that it can be used whenever this is
        interrupted. How many seconds it took."""
        begin = time.monotonic()
        end = begin + budget_s
        stored = {} if again else store.samples_of(self._key)
        order = coarse_to_fine(self._plan.sizes)
        for index, size in enumerate(order):
            names = {one.name for one in self._plan.candidates.at(size)}
            known = [sample for sample in stored.get(size, []) if sample.candidate in names]
            before = known_verdict(size, known)
            if before is not None:
                tuning.verdicts.append(before)
                tuning.known_before.append(size)
                tuning.earlier += known
                continue
            left_s = end - time.monotonic()
            if left_s <= 0:
                tuning.left.append(size)
                continue
            tell(f"{self._plan.collective.name} {size} B on {self._plan.ranks} ranks, "
                 f"{index + 1} of {len(order)} sizes, {left_s:.0f} s left")  # fmt: skip
            share_s = left_s / (len(order) - index)
            one = self._tune_size(size, share_s, known, tuning)
            tuning.verdicts.append(one)
        return time.monotonic() - begin

    def _tune_size(
        self, size: int, share_s: float, known: list[store.Sample], tuning: Tuning
    ) -> Verdict:
        candidates = self._plan.candidates.at(size)
        names = [one.name for one in candidates]
        share = _ROUND_SHARE[self._plan.strategy]

        def measure(among: list[str], repeat: int, final: bool) -> Seconds:
            seconds = self._measure(size, among, repeat, share_s * share)
            tuning.measurements += sum(map(len, seconds.values()))
            tuning.samples += [
                store.Sample(bytes=size, candidate=name, seconds=times, final=final)
                for name, times in seconds.items()
            ]
            return seconds

        if self._plan.strategy == "b":
            return search.exhaustive(size, names, measure, self._plan.repeat)
        # Evidence comes before the model.
        expected = self._estimates(candidates, size)
        expected |= {one.candidate: median(one.seconds) for one in known if one.candidate in names}
        return search.halving(size, search.pruned(names, expected), measure)

    def _measure(self, size: int, among: list[str], repeat: int, budget_s: float) -> Seconds:
        """The MPI's own candidates are told apart by size, ours by name."""
        placed = self._placed.get(size)
        if placed is None:
            entries = {("native" if name == DEFAULT else name, size): name for name in among}
        else:
            entries = {("native", placed[name]): name for name in among}
        seconds = self._session.cell(
            self._plan.collective.name,
            self._plan.ranks,
            self._plan.root,
            size,
            repeat,
            [f"{name}@{own}" for name, own in entries],
            max(budget_s, 0.001),
        )
        return {entries[key]: times for key, times in seconds.items()}


def known_verdict(size: int, samples: list[store.Sample]) -> Verdict | None:
    """From the last round that the store has of this size."""
    finals: Seconds = {one.candidate: one.seconds for one in samples if one.final}
    if DEFAULT not in finals or len(finals) < 2:
        return None
    if min(map(len, finals.values())) < search.PAIRS_MIN:
        return None  # time ran out in that round
    return search.verdict(size, finals, 0)
