# SPDX-License-Identifier: BSD-3-Clause
"""The words of the command line, right and wrong."""

import pytest

from suiro.bench.plan import parse_algorithms, parse_rate, parse_sizes
from suiro.errors import UsageError


def test_sizes_are_sorted_and_single() -> None:
    assert parse_sizes("256K,1k,8,1K, 1M") == (8, 1024, 262144, 1048576)


@pytest.mark.parametrize("text", ["", ",", "abc", "-1", "1T", "1.5K", "2G", "8 8"])
def test_wrong_sizes(text: str) -> None:
    with pytest.raises(UsageError):
        parse_sizes(text)


def test_rates_are_decimal() -> None:
    assert parse_rate("50M") == 50_000_000


def test_algorithms_keep_their_parameters() -> None:
    text = "ring,linear_capped:cap=4,two_level_ring:a=1,b=2,native,ring"
    expected = ("ring", "linear_capped:cap=4", "two_level_ring:a=1,b=2", "native")
    assert parse_algorithms(text) == expected


@pytest.mark.parametrize("text", ["", "Ring", "ring;rm", "ring:cap", "ring+native"])
def test_wrong_algorithms(text: str) -> None:
    with pytest.raises(UsageError):
        parse_algorithms(text)
