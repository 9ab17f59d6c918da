# SPDX-License-Identifier: BSD-3-Clause
"""Which candidate wins at one size, from noisy times: pure, given how to measure."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import median

from suiro.bench.statistics import Interval, median_with_interval, ratio_with_interval
from suiro.tune.candidates import DEFAULT

Seconds = dict[str, list[float]]
# Measures these, interleaved, so many times each; whether it is the round that decides.
Measure = Callable[[list[str], int, bool], Seconds]

FIRST_REPEAT = 2
SECOND_REPEAT = 4
FINAL_REPEAT = 10
PAIRS_MIN = 5  # with fewer an interval says nothing
_SPLIT_FROM = 4 * PAIRS_MIN
_FINALISTS = 3
_UNSTEADY = 1.5
_PRUNED_ABOVE = 2.0  # times the best estimate: more than the model is ever off where it matters
_KEPT_BY_ESTIMATE = 12


@dataclass(frozen=True)
class Verdict:
    """At one size: the winner, its time, and the default's time over it. `finals` are the times of
    all that came to the last round, from which neighbours may be merged."""

    size: int
    winner: str
    seconds: float
    default_seconds: float
    gain: float
    gain_ci95: Interval
    samples: int
    finals: Seconds = field(default_factory=dict)

    @property
    def significant(self) -> bool:
        return self.winner != DEFAULT

    @property
    def unsteady(self) -> bool:
        """Whether one call of the default in ten took half as long again as its median."""
        times = sorted(self.finals.get(DEFAULT, []))
        return bool(times) and times[len(times) * 9 // 10] > _UNSTEADY * median(times)


def verdict(size: int, finals: Seconds, samples: int) -> Verdict:
    """The fastest, if the default is slower by more than chance; else the default. Where there are
    pairs enough, every other one chooses and the rest judge: of many candidates, the one that was
    luckiest looks faster than it is in the samples that chose it."""
    split = min(map(len, finals.values())) >= _SPLIT_FROM
    choosing = {name: times[::2] if split else times for name, times in finals.items()}
    judging = {name: times[1::2] if split else times for name, times in finals.items()}
    fastest = min(choosing, key=lambda name: median(choosing[name]))
    gain, interval = ratio_with_interval(judging[DEFAULT], judging[fastest])
    pairs = min(len(judging[DEFAULT]), len(judging[fastest]))
    if fastest != DEFAULT and (interval[0] <= 1 or pairs < PAIRS_MIN):
        fastest, gain, interval = DEFAULT, 1.0, (1.0, 1.0)
    return Verdict(
        size=size,
        winner=fastest,
        seconds=median_with_interval(finals[fastest])[0],
        default_seconds=median(finals[DEFAULT]),
        gain=gain,
        gain_ci95=interval,
        samples=samples,
        finals=finals,
    )


def exhaustive(size: int, names: list[str], measure: Measure, repeat: int) -> Verdict:
    """Strategy B: every candidate as often as the paper has it; the mean is theirs, the median
    ours, which a disturbed call does not move."""
    seconds = measure(names, repeat, True)
    return verdict(size, seconds, sum(map(len, seconds.values())))


def pruned(names: list[str], estimates: dict[str, float]) -> list[str]:
    """Without those whose estimate is far above the best. What has no estimate stays, and so does
    the default."""
    known = sorted((estimates[name], name) for name in names if name in estimates)
    limit = _PRUNED_ABOVE * known[0][0] if known else 0.0
    kept = {name for seconds, name in known[:_KEPT_BY_ESTIMATE] if seconds <= limit}
    return [name for name in names if name in kept or name not in estimates or name == DEFAULT]


def halving(size: int, names: list[str], measure: Measure) -> Verdict:
    """Strategy C: successive halving (Jamieson and Talwalkar, 2016). The last round is measured
    afresh, so that a lucky sample does not decide."""
    samples = 0

    def best_of(among: list[str], repeat: int, keep: int) -> list[str]:
        nonlocal samples
        seconds = measure(among, repeat, False)
        samples += sum(map(len, seconds.values()))
        order = sorted(seconds, key=lambda name: median(seconds[name]))
        kept = [name for name in order if name != DEFAULT][:keep]
        return [DEFAULT, *kept]

    left = names
    if len(left) - 1 > 3 * _FINALISTS:
        left = best_of(left, FIRST_REPEAT, max(2 * _FINALISTS, (len(left) - 1) // 3))
    if len(left) - 1 > _FINALISTS:
        left = best_of(left, SECOND_REPEAT, _FINALISTS)
    finals = measure(left, FINAL_REPEAT, True)
    samples += sum(map(len, finals.values()))
    return verdict(size, finals, samples)


def by_model(size: int, estimates: dict[str, float], margin: float) -> Verdict | None:
    """Strategy A: the least estimate, if the default's is larger by more than the model may be off.
    None where the model does not know what the default is."""
    if DEFAULT not in estimates:
        return None
    fastest = min(estimates, key=lambda name: estimates[name])
    gain = estimates[DEFAULT] / estimates[fastest]
    winner = fastest if gain > margin else DEFAULT
    gain = estimates[DEFAULT] / estimates[winner]
    return Verdict(size, winner, estimates[winner], estimates[DEFAULT], gain, (gain, gain), 0)


def merged(verdicts: list[Verdict]) -> list[tuple[Verdict, str]]:
    """The choice at each size, ascending: that of the size before where it is as good as the winner
    but for noise, so that a table has no rows that say nothing."""
    choices: list[tuple[Verdict, str]] = []
    for one in sorted(verdicts, key=lambda one: one.size):
        before = choices[-1][1] if choices else None
        choices.append((one, before if before and _as_good(one, before) else one.winner))
    return choices


def chosen(one: Verdict, name: str) -> Verdict:
    """With the figures of the choice where that is not the winner's."""
    if name == one.winner or name not in one.finals:
        return one
    gain, interval = ratio_with_interval(one.finals[DEFAULT], one.finals[name])
    seconds = median(one.finals[name])
    return replace(one, winner=name, seconds=seconds, gain=gain, gain_ci95=interval)


def _as_good(one: Verdict, name: str) -> bool:
    if name == one.winner:
        return True
    if name not in one.finals or (name == DEFAULT and one.significant):
        return False
    _, interval = ratio_with_interval(one.finals[name], one.finals[one.winner])
    beats, _ = ratio_with_interval(one.finals[DEFAULT], one.finals[name])
    return interval[0] <= 1 and (name == DEFAULT or beats > 1)
