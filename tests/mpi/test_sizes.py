# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of MPI_Alltoallv and MPI_Alltoallw: ranks agree on one in the background, and from then on
choose by it, all alike."""

from pathlib import Path
from typing import Any

import pytest
from mpi_jobs import Mpi

UNAGREED = "no size agreed on yet"
AGREED = "by the agreed size"
TOO_UNEVEN = "blocks too uneven for a size"
# Two nodes of two ranks; large enough for the rule below although half of the blocks are small.
LARGE = 500_000
BY_SIZE = """{"suiro_rules": 1, "rules": [
{"collective": "alltoallv", "bytes": [150000, null], "algorithm": "two_level_pairwise"},
{"collective": "alltoallw", "bytes": [150000, null], "algorithm": "two_level_pairwise"},
{"collective": "alltoallv", "bytes": [0, 149999], "algorithm": "native"},
{"collective": "alltoallw", "bytes": [0, 149999], "algorithm": "native"}]}
"""


@pytest.fixture
def by_size(tmp_path: Path) -> dict[str, str]:
    """Variables that make the choice depend on the size."""
    rules = tmp_path / "by_size.json"
    rules.write_text(BY_SIZE)
    return {"SUIRO_RULES": str(rules)}


def run(
    mpi: Mpi, which: str, what: str, calls: int, size: int, **more: str
) -> list[dict[str, Any]]:
    words = [str(mpi.build("sizes.c")), which, what, str(calls), str(size)]
    outcome = mpi.run(words, "--explain=json", **more)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    return outcome.explained()


def ran(rows: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    """Algorithm, calls, and how the size was known; ordered by size, unknown first."""
    ordered = sorted(rows, key=lambda row: (row["bytes"] or [-1])[0])
    return [(row["algorithm"], row["calls"], row["reason"].split(": ")[0]) for row in ordered]


@pytest.mark.parametrize("which", ["v", "w"])
def test_large_blocks_are_known_from_the_fourth_call(
    mpi: Mpi, which: str, by_size: dict[str, str]
) -> None:
    rows = run(mpi, which, "even", 20, LARGE, **by_size)
    assert ran(rows) == [("native", 3, UNAGREED), ("two_level_pairwise", 17, AGREED)]
    known = next(row["bytes"] for row in rows if row["bytes"])
    assert known[0] <= LARGE <= known[1]


@pytest.mark.parametrize(
    ("what", "calls", "size", "expected"),
    [
        ("even", 1, LARGE, [("native", 1, UNAGREED)]),
        ("even", 9, 1000, [("native", 3, UNAGREED), ("native", 6, AGREED)]),
        ("sparse", 9, 800_000, [("native", 3, UNAGREED), ("native", 6, TOO_UNEVEN)]),
        # Small from the 129th call on, of which the 192nd gives the size and the 256th knows it.
        (
            "shrinking",
            256,
            LARGE,
            [("native", 3, UNAGREED), ("native", 1, AGREED), ("two_level_pairwise", 252, AGREED)],
        ),
    ],
)
def test_what_is_agreed(
    mpi: Mpi, what: str, calls: int, size: int, expected: list[Any], by_size: dict[str, str]
) -> None:
    assert sorted(ran(run(mpi, "v", what, calls, size, **by_size))) == sorted(expected)


@pytest.mark.parametrize(("what", "calls"), [("refused", 40), ("freed", 10), ("threads", 12)])
@pytest.mark.parametrize("which", ["v", "w"])
def test_ranks_choose_alike(
    an_mpi: Mpi, which: str, what: str, calls: int, by_size: dict[str, str]
) -> None:
    rows = run(an_mpi, which, what, calls, LARGE, **by_size)
    assert "two_level_pairwise" in {row["algorithm"] for row in rows}


def test_a_rule_file_goes_by_the_agreed_size(openmpi: Mpi, tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(
        '{"suiro_rules": 1, "rules": [\n'
        '{"collective": "alltoallv", "bytes": [150000, null], "algorithm": "ring"},\n'
        '{"collective": "alltoallv", "algorithm": "linear"}]}'
    )
    rows = run(openmpi, "v", "even", 8, LARGE, SUIRO_RULES=str(rules))
    assert sorted((row["algorithm"], row["calls"]) for row in rows) == [("linear", 3), ("ring", 5)]


@pytest.mark.parametrize(
    ("what", "size"),
    [("even", 100), ("even", 3000), ("sparse", 300), ("sparse", 300_000), ("shrinking", 100_000)],
)
@pytest.mark.parametrize(
    ("algorithm", "which"), [("node_leader", "w"), ("send_side_aggregation", "v")]
)
def test_blocks_that_differ_are_joined(
    an_mpi: Mpi, algorithm: str, what: str, size: int, which: str
) -> None:
    """Also those that are larger than what the ranks have agreed on, which go straight."""
    rows = run(an_mpi, which, what, 9, size, **{f"SUIRO_ALLTOALL{which.upper()}": algorithm})
    assert {row["algorithm"] for row in rows} == {algorithm}


# So slow that one call pays for a prediction, which is that small blocks are joined.
SLOW = '{"kind": "voq", "link_Bps": 100000}'


def small(
    mpi: Mpi, which: str, what: str, calls: int, size: int, *options: str
) -> list[dict[str, Any]]:
    """On two nodes of four ranks."""
    words = [str(mpi.build("sizes.c")), which, what, str(calls), str(size)]
    network = {"SUIRO_NODES": "2", "SUIRO_CLUSTER_NETWORK": SLOW}
    outcome = mpi.run(words, "--explain=json", *options, ranks=8, **network)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    return outcome.explained()


@pytest.mark.parametrize("what", ["even", "refused", "freed", "threads"])
def test_small_blocks_go_through_leaders(an_mpi: Mpi, what: str) -> None:
    """Some algorithm that joins blocks: which is found first, other ranks' work decides."""
    rows = small(an_mpi, "v", what, 12, 60)
    joins = {"node_leader", "multi_leader", "send_side_aggregation"}
    assert joins & {row["algorithm"] for row in rows}


def test_the_first_small_calls_of_a_duplicate_are_native(mpi: Mpi) -> None:
    rows = small(mpi, "a", "duplicate", 13, 60, "--no-learn")
    assert sorted((row["algorithm"], row["calls"]) for row in rows) == [
        ("native", 2),  # pay for the prediction
        ("native", 3),
        ("node_leader", 8),
    ]


def test_the_world_is_ready_for_small_calls(mpi: Mpi) -> None:
    rows = small(mpi, "a", "equal", 12, 60, "--no-learn")
    assert sorted((row["algorithm"], row["calls"]) for row in rows) == [
        ("native", 1),  # pays for the prediction
        ("node_leader", 11),
    ]


def test_large_blocks_among_small_ones_are_not_joined(mpi: Mpi) -> None:
    """Rank 0 vouches for 8 bytes, and the largest block of all is far from that."""
    rows = small(mpi, "v", "idle", 12, 300_000)
    assert sorted(ran(rows)) == [
        ("native", 1, AGREED),
        ("native", 3, UNAGREED),
        ("native", 8, TOO_UNEVEN),
    ]
