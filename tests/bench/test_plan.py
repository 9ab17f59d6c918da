# SPDX-License-Identifier: BSD-3-Clause
"""The words of the command line, right and wrong."""

import pytest

from suiro.bench.plan import (
    check_algorithms,
    parse_algorithms,
    parse_rate,
    parse_sizes,
    spread_of,
)
from suiro.errors import UsageError


def test_sizes_are_sorted_and_single() -> None:
    assert parse_sizes("256K,1k,8,1K, 1M") == (8, 1024, 262144, 1048576)


@pytest.mark.parametrize("text", ["", ",", "abc", "-1", "1T", "1.5K", "2G", "8 8", "0"])
def test_wrong_sizes(text: str) -> None:
    with pytest.raises(UsageError):
        parse_sizes(text)


def test_rates_are_decimal() -> None:
    assert parse_rate("50M") == 50_000_000


def test_algorithms_keep_their_parameters() -> None:
    text = "ring,linear_capped:cap=4,two_level_ring:b=2,a=1,native,ring"
    expected = ("ring", "linear_capped:cap=4", "two_level_ring:a=1,b=2", "native")
    assert parse_algorithms(text) == expected


@pytest.mark.parametrize("text", ["", "Ring", "ring;rm", "ring:cap", "ring+native"])
def test_wrong_algorithms(text: str) -> None:
    with pytest.raises(UsageError):
        parse_algorithms(text)


def test_names_and_parameters_are_checked() -> None:
    check_algorithms("alltoall", ("native", "auto", "two_level_ring:window=2"))


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("rimg", "there are auto, "),
        ("ring:window=2", "takes no parameters"),
        ("two_level_ring:foo=2", "takes window"),
        ("auto:window=2", "auto takes no parameters"),
    ],
)
def test_wrong_names_and_parameters(name: str, cause: str) -> None:
    with pytest.raises(UsageError, match=cause):
        check_algorithms("alltoall", (name,))


def test_blocks_that_differ_have_the_same_algorithms() -> None:
    check_algorithms("alltoallv", ("native", "ring", "bruck"))
    with pytest.raises(UsageError, match='unknown algorithm "brook" for alltoallv'):
        check_algorithms("alltoallv", ("brook",))


def test_blocks_differ_only_where_they_can() -> None:
    assert spread_of("alltoall", None, True) == 0
    assert spread_of("alltoallv", None, False) == 50
    assert spread_of("alltoallw", 0, False) == 0
    with pytest.raises(UsageError, match="are all equal"):
        spread_of("alltoall", 20, False)
    with pytest.raises(UsageError, match="no schedule"):
        spread_of("alltoallv", None, True)
