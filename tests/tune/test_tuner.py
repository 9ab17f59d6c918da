# SPDX-License-Identifier: BSD-3-Clause
"""What the store has decides, but for what this tuning leaves out."""

from pathlib import Path
from typing import Any

import pytest

from suiro.bench.catalog import find_collective
from suiro.tune import search, store
from suiro.tune.candidates import DEFAULT, Candidates
from suiro.tune.tuner import Plan, Tuner, Tuning

KEY = store.Key(
    cluster="lab-x", mpi="Open MPI v4.1.4", family="suiro", node_of_rank=[0, 1],
    collective="bcast", root=0,
)  # fmt: skip


def tuned(without: frozenset[str]) -> Tuning:
    """With no time to measure anything."""
    bcast = find_collective("bcast")
    candidates = Candidates(bcast, native=False, without=without)
    plan = Plan(bcast, [1024], "b", 0, 3, candidates, node_of_rank=(0, 1))
    tuning = Tuning(plan)
    nothing: Any = None
    Tuner(nothing, plan, KEY, nothing, {}).run(0, again=False, tell=lambda _: None, tuning=tuning)
    return tuning


def test_what_is_left_out_is_not_taken_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUIRO_STORE", str(tmp_path))
    seconds = {DEFAULT: 3.0, "linear": 1.0, "chain": 2.0}
    samples = [
        store.Sample(bytes=1024, candidate=name, seconds=[time] * search.PAIRS_MIN, final=True)
        for name, time in seconds.items()
    ]
    store.write(KEY, samples)
    assert [one.winner for one in tuned(frozenset()).verdicts] == ["linear"]
    assert [one.winner for one in tuned(frozenset({"linear"})).verdicts] == ["chain"]
    assert tuned(frozenset({"linear", "chain"})).left == [1024]
