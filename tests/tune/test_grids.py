# SPDX-License-Identifier: BSD-3-Clause
"""Sizes, budgets and orders."""

import pytest

from suiro.errors import UsageError
from suiro.tune.sizes import coarse_to_fine, parse_grid, parse_time, whole_units


def test_a_grid_has_ranges_and_sizes() -> None:
    assert parse_grid("1000-4000:1000,64K,2000") == [1000, 2000, 3000, 4000, 65536]


@pytest.mark.parametrize("text", ["", "0", "5-1:1", "1-1000000:1", "1-5", "1-5:0", "x", "1K:2"])
def test_a_wrong_grid_is_named(text: str) -> None:
    with pytest.raises(UsageError):
        parse_grid(text)


def test_times() -> None:
    assert [parse_time(text) for text in ("90", "90s", "5m", "1.5h")] == [90, 90, 300, 5400]
    for text in ("", "0", "m", "5d", "-1"):
        with pytest.raises(UsageError):
            parse_time(text)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 10, 33])
def test_the_order_goes_from_coarse_to_fine_and_forgets_none(count: int) -> None:
    sizes = list(range(100, 100 + count))
    order = coarse_to_fine(sizes)
    assert sorted(order) == sizes
    if count > 2:
        assert set(order[:2]) == {sizes[0], sizes[-1]}


def test_integers_are_whole() -> None:
    assert whole_units([1, 4, 1001, 1002], 4) == [4, 1004]
