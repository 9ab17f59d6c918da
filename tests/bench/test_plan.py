# SPDX-License-Identifier: BSD-3-Clause
"""The words of the command line, right and wrong."""

import pytest

from suiro.bench.catalog import find_collective
from suiro.bench.plan import (
    Plan,
    check_algorithms,
    check_steps,
    parse_algorithms,
    parse_rate,
    parse_sizes,
    root_of,
    sizes_of,
    spread_of,
)
from suiro.errors import UsageError

ALLTOALL = find_collective("alltoall")


def test_sizes_are_sorted_and_single() -> None:
    assert parse_sizes("256K,1k,8,1K, 1M") == (8, 1024, 262144, 1048576)
    assert parse_sizes("1.5K,64 KiB,8 B") == (8, 1536, 65536)


@pytest.mark.parametrize("text", ["", ",", "abc", "-1", "1T", "2G", "8 8", "0"])
def test_wrong_sizes(text: str) -> None:
    with pytest.raises(UsageError):
        parse_sizes(text)


def test_rates_are_decimal() -> None:
    assert parse_rate("50M") == parse_rate("50 Mbit/s") == 50_000_000


def test_algorithms_keep_their_parameters() -> None:
    text = "ring,linear_capped:cap=4,two_level_ring:b=2,a=1,native,ring"
    expected = ("ring", "linear_capped:cap=4", "two_level_ring:a=1,b=2", "native")
    assert parse_algorithms(text) == expected


@pytest.mark.parametrize("text", ["", "Ring", "ring;rm", "ring:cap", "ring+native"])
def test_wrong_algorithms(text: str) -> None:
    with pytest.raises(UsageError):
        parse_algorithms(text)


def test_names_and_parameters_are_checked() -> None:
    check_algorithms(ALLTOALL, ("native", "auto", "two_level_ring:window=2"))


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
        check_algorithms(ALLTOALL, (name,))


def test_blocks_that_differ_have_the_same_algorithms() -> None:
    check_algorithms(find_collective("alltoallv"), ("native", "ring", "bruck"))
    with pytest.raises(UsageError, match='unknown algorithm "brook" for alltoallv'):
        check_algorithms(find_collective("alltoallv"), ("brook",))


def test_where_only_the_root_knows_sizes_nobody_hands_blocks_on() -> None:
    check_algorithms(find_collective("gather"), ("binomial",))
    with pytest.raises(UsageError, match="there are auto, linear, linear_capped, native"):
        check_algorithms(find_collective("gatherv"), ("binomial",))


def test_blocks_differ_only_where_they_can() -> None:
    assert spread_of(ALLTOALL, None) == 0
    assert spread_of(find_collective("alltoallv"), None) == 50
    assert spread_of(find_collective("alltoallw"), 0) == 0
    with pytest.raises(UsageError, match="nothing differs in alltoall"):
        spread_of(ALLTOALL, 20)


def test_rounds_run_alone_only_where_they_can() -> None:
    check_steps(ALLTOALL, True)
    check_steps(find_collective("bcast"), False)
    for name in ("alltoallv", "bcast"):
        with pytest.raises(UsageError, match=f"rounds of {name} cannot run alone"):
            check_steps(find_collective(name), True)


def test_sizes_are_what_the_collective_can_have() -> None:
    bcast, barrier, reduce = map(find_collective, ("bcast", "barrier", "reduce"))
    assert sizes_of(bcast, "1K,7") == (7, 1024)
    assert sizes_of(bcast, None) == (32768, 262144)
    assert sizes_of(barrier, None) == (0,)
    with pytest.raises(UsageError, match="barrier has no data"):
        sizes_of(barrier, "1K")
    assert sizes_of(reduce, "8") == (8,)
    with pytest.raises(UsageError, match="give a multiple of 4"):
        sizes_of(reduce, "8,7")


def test_a_root_is_one_of_the_ranks() -> None:
    def root(name: str, given: int | None, ranks: int) -> int:
        collective = find_collective(name)
        plan = Plan(collective, ("native",), (8,), None, 1, root=root_of(collective, given))
        return plan.root_among(ranks)

    assert [root("bcast", None, 4), root("bcast", None, 1), root("reduce", 3, 4)] == [1, 0, 3]
    assert root("allreduce", None, 4) == 0
    with pytest.raises(UsageError, match="--root 4: there are 4 ranks, 0 to 3"):
        root("bcast", 4, 4)
    with pytest.raises(UsageError, match="barrier has no root"):
        root("barrier", 0, 4)


def test_collectives_are_those_of_the_table() -> None:
    with pytest.raises(UsageError, match=r'there are allgather, .*you mean "bcast"'):
        find_collective("bcats")
