# SPDX-License-Identifier: BSD-3-Clause
"""Medians with 95 % bootstrap intervals. Seeded: the same samples always give the same figures."""

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]
_RESAMPLES = 4000
_SEED = 2010


def _resampled_medians(
    samples: NDArray[np.float64], picks: NDArray[np.int64]
) -> NDArray[np.float64]:
    medians: NDArray[np.float64] = np.median(samples[picks], axis=1)
    return medians


def _picks(count: int) -> NDArray[np.int64]:
    return np.random.default_rng(_SEED).integers(0, count, size=(_RESAMPLES, count))


def _interval(values: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def median_with_interval(samples: list[float]) -> tuple[float, Interval]:
    """One sample has no interval worth the name: it is returned as an interval of no width."""
    values = np.asarray(samples, dtype=np.float64)
    return float(np.median(values)), _interval(_resampled_medians(values, _picks(len(values))))


def ratio_with_interval(numerator: list[float], denominator: list[float]) -> tuple[float, Interval]:
    """The ratio of medians, resampled in pairs: a repetition shares the machine's mood."""
    count = min(len(numerator), len(denominator))
    top = np.asarray(numerator[:count], dtype=np.float64)
    bottom = np.asarray(denominator[:count], dtype=np.float64)
    picks = _picks(count)
    ratios = _resampled_medians(top, picks) / _resampled_medians(bottom, picks)
    return float(np.median(top) / np.median(bottom)), _interval(ratios)
