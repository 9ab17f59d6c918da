# SPDX-License-Identifier: BSD-3-Clause
"""Who wins, from times that are made up: no machine is needed to decide."""

import random
from statistics import median

import pytest

from suiro.tune import search
from suiro.tune.candidates import DEFAULT
from suiro.tune.search import Seconds, Verdict


class Machine:
    """Each candidate has a true time, every call some noise."""

    def __init__(self, times: dict[str, float], noise: float = 0.05, seed: int = 1) -> None:
        self._times = times
        self._noise = noise
        self._random = random.Random(seed)
        self.rounds: list[list[str]] = []

    def measure(self, names: list[str], repeat: int, final: bool) -> Seconds:
        self.rounds.append(names)
        return {
            name: [self._times[name] * self._random.gauss(1, self._noise) for _ in range(repeat)]
            for name in names
        }


MANY = {DEFAULT: 1.0} | {f"a{number}": 1.0 + number / 10 for number in range(30)} | {"best": 0.7}


def test_halving_finds_the_fastest_with_few_calls() -> None:
    machine = Machine(MANY)
    one = search.halving(4096, list(MANY), machine.measure)
    assert one.winner == "best"
    assert one.gain == pytest.approx(1 / 0.7, rel=0.1)
    assert one.samples < 0.15 * 100 * len(MANY)
    sizes = [len(names) for names in machine.rounds]
    assert sizes == sorted(sizes, reverse=True)
    assert all(DEFAULT in names for names in machine.rounds)


def test_the_default_stays_where_nothing_is_faster_but_for_noise() -> None:
    same = {DEFAULT: 1.0} | {f"a{number}": 1.0 for number in range(20)}
    stayed = sum(
        search.halving(8, list(same), Machine(same, 0.1, seed).measure).winner == DEFAULT
        for seed in range(20)
    )
    assert stayed >= 17


class Disturbed(Machine):
    """Now and then something else takes the machine, for some calls in a row."""

    def measure(self, names: list[str], repeat: int, final: bool) -> Seconds:
        seconds = super().measure(names, repeat, final)
        for call in range(repeat):
            if self._random.random() < 0.3:
                for name in names:
                    seconds[name][call] *= self._random.uniform(1, 8)
        return seconds


@pytest.mark.parametrize("strategy", ["b", "c"])
def test_a_machine_that_others_use_decides_nothing_wrong(strategy: str) -> None:
    true = {DEFAULT: 1.0} | {f"a{number}": 1.0 + number / 20 for number in range(20)}
    wrong = unsteady = 0
    for seed in range(40):
        machine = Disturbed(true, 0.1, seed)
        one = (
            search.exhaustive(8, list(true), machine.measure, 40)
            if strategy == "b"
            else search.halving(8, list(true), machine.measure)
        )
        wrong += true[one.winner] > 1.06
        unsteady += one.unsteady
    assert wrong == 0
    assert unsteady >= 30


def test_what_chose_does_not_judge() -> None:
    """Of many equal candidates one is always the luckiest."""
    same = {DEFAULT: 1.0} | {f"a{number}": 1.0 for number in range(60)}
    chosen = sum(
        search.exhaustive(8, list(same), Machine(same, 0.1, seed).measure, 20).winner != DEFAULT
        for seed in range(40)
    )
    assert chosen <= 4


def test_few_pairs_decide_nothing() -> None:
    finals = {DEFAULT: [2.0, 2.0, 2.0], "other": [1.0, 1.0, 1.0]}
    assert search.verdict(1, finals, 6).winner == DEFAULT
    finals = {DEFAULT: [2.0] * 8, "other": [1.0] * 8}
    assert search.verdict(1, finals, 16).winner == "other"


def test_the_model_prunes_but_never_the_default_nor_what_it_does_not_know() -> None:
    names = [DEFAULT, "fast", "near", "slow", "unknown"]
    estimates = {DEFAULT: 9.0, "fast": 1.0, "near": 1.9, "slow": 2.5}
    assert search.pruned(names, estimates) == [DEFAULT, "fast", "near", "unknown"]
    assert search.pruned(names, {}) == names


def test_the_model_alone_needs_a_margin() -> None:
    one = search.by_model(1, {DEFAULT: 2.0, "a": 1.0}, 1.3)
    assert one is not None and one.winner == "a" and one.gain == 2
    one = search.by_model(1, {DEFAULT: 1.2, "a": 1.0}, 1.3)
    assert one is not None and one.winner == DEFAULT and one.gain == 1
    assert search.by_model(1, {"a": 1.0}, 1.3) is None


def _of(size: int, finals: dict[str, float]) -> Verdict:
    spread = (0.98, 0.99, 1.0, 1.01, 1.02, 1.0, 0.99, 1.01)
    times = {
        name: [time * spread[(index + shift) % len(spread)] for index in range(len(spread))]
        for shift, (name, time) in enumerate(finals.items())
    }
    return search.verdict(size, times, 0)


def test_neighbours_that_differ_by_noise_only_are_merged() -> None:
    verdicts = [
        _of(4000, {DEFAULT: 2.0, "a": 1.0, "b": 1.5}),
        _of(1000, {DEFAULT: 2.0, "a": 1.5, "b": 1.0}),
        _of(2000, {DEFAULT: 2.0, "a": 1.0, "b": 1.004}),
    ]
    assert [(one.size, name) for one, name in search.merged(verdicts)] == [
        (1000, "b"),
        (2000, "b"),
        (4000, "a"),
    ]
    # What is printed beside the choice is of the choice.
    winner, name = search.merged(verdicts)[1]
    shown = search.chosen(winner, name)
    assert shown.winner == name and shown.seconds == median(winner.finals[name])


def test_a_significant_winner_is_not_merged_into_the_default() -> None:
    verdicts = [
        _of(1000, {DEFAULT: 1.0, "a": 1.5}),
        _of(2000, {DEFAULT: 1.2, "a": 1.0}),
    ]
    assert [name for _, name in search.merged(verdicts)] == [DEFAULT, "a"]
