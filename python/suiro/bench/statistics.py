# SPDX-License-Identifier: BSD-3-Clause
"""Medians with 95 % bootstrap intervals. Seeded: the same samples always give the same figures."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]
_RESAMPLES = 4000
_SEED = 2010


@lru_cache(maxsize=64)  # what all others are compared with comes again and again
def _resampled_medians(samples: tuple[float, ...]) -> NDArray[np.float64]:
    """As many samples, the same picks: so ratios are resampled in pairs."""
    count = len(samples)
    picks = np.random.default_rng(_SEED).integers(0, count, size=(_RESAMPLES, count))
    medians: NDArray[np.float64] = np.median(np.asarray(samples, np.float64)[picks], axis=1)
    return medians


def _interval(values: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def median_with_interval(samples: list[float]) -> tuple[float, Interval]:
    """One sample has no interval worth the name: it is returned as an interval of no width."""
    return float(np.median(samples)), _interval(_resampled_medians(tuple(samples)))


def ratio_with_interval(numerator: list[float], denominator: list[float]) -> tuple[float, Interval]:
    """The ratio of medians, resampled in pairs: a repetition shares the machine's mood."""
    count = min(len(numerator), len(denominator))
    top, bottom = tuple(numerator[:count]), tuple(denominator[:count])
    ratios = _resampled_medians(top) / _resampled_medians(bottom)
    return float(np.median(top) / np.median(bottom)), _interval(ratios)
