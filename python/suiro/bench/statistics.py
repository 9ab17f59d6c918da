# SPDX-License-Identifier: BSD-3-Clause
"""Medians with 95 % bootstrap intervals. Seeded: the same samples always give the same figures."""

import random
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter, truediv
from statistics import median

Interval = tuple[float, float]
_RESAMPLES = 2000
_SEED = 2010


@lru_cache(maxsize=4)
def _picks(count: int) -> list[Callable[[tuple[float, ...]], tuple[float, ...]]]:
    """What takes as many samples out of so many, each time others."""
    chance = random.Random(_SEED)
    return [itemgetter(*chance.choices(range(count), k=count)) for _ in range(_RESAMPLES)]


@lru_cache(maxsize=64)  # what all others are compared with comes again and again
def _resampled_medians(samples: tuple[float, ...]) -> list[float]:
    """As many samples, the same picks: so ratios are resampled in pairs."""
    if len(samples) == 1:
        return list(samples)
    return [median(pick(samples)) for pick in _picks(len(samples))]


def _interval(values: list[float]) -> Interval:
    """Without the 2.5 % of either end."""
    values.sort()
    outside = len(values) // 40
    return values[outside], values[-1 - outside]


def median_with_interval(samples: list[float]) -> tuple[float, Interval]:
    """One sample has no interval worth the name: it is returned as an interval of no width."""
    return median(samples), _interval(_resampled_medians(tuple(samples)).copy())


def ratio_with_interval(numerator: list[float], denominator: list[float]) -> tuple[float, Interval]:
    """The ratio of medians, resampled in pairs: a repetition shares the machine's mood."""
    count = min(len(numerator), len(denominator))
    top, bottom = tuple(numerator[:count]), tuple(denominator[:count])
    ratios = map(truediv, _resampled_medians(top), _resampled_medians(bottom))
    return median(top) / median(bottom), _interval(list(ratios))
