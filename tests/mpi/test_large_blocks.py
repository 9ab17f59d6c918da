# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of more than 2 GiB, whose bytes no int counts."""

import re
from pathlib import Path

import pytest
from mpi_jobs import Mpi

# Each of the two ranks receives two blocks.
NEEDED_GIB = 11
# One rank receives 2 GiB; MPICH moves them through memory that both ranks map.
NEEDED_FOR_COUNT_GIB = 5
# One rank receives four blocks of 1.2 GB, another two.
NEEDED_FOR_MESSAGE_GIB = 9
# One rank packs 2 GiB, another receives them.
NEEDED_FOR_PACKED_GIB = 6


def available_gib() -> float:
    match = re.search(r"MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text())
    return int(match[1]) / 2**20 if match else 0.0


@pytest.mark.skipif(
    available_gib() < NEEDED_GIB,
    reason=f"blocks of 2 GiB need {NEEDED_GIB} GiB of free memory, here are {available_gib():.0f}",
)
@pytest.mark.every
def test_blocks_of_more_than_2_gib(programs: Path) -> None:
    """Open MPI takes half a minute for them; the test below has it move as much in messages."""
    mpich = Mpi("mpich", programs)
    program = [str(mpich.build("large_block.c")), "alltoall"]
    outcome = mpich.run(program, "--explain=json", ranks=2, SUIRO_ALLTOALL="pairwise")
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained("alltoall")] == [
        (1, "pairwise")
    ]


@pytest.mark.skipif(
    available_gib() < NEEDED_FOR_PACKED_GIB,
    reason=f"2 GiB packed and received need {NEEDED_FOR_PACKED_GIB} GiB of free memory",
)
def test_what_is_packed_may_be_more_than_2_gib(openmpi: Mpi) -> None:
    """Over suiro's transport, to which an MPI without large counts packs it."""
    program = [str(openmpi.build("large_block.c")), "bcast"]
    outcome = openmpi.run(
        program, "--explain=json", "--transport=suiro", ranks=2, SUIRO_BCAST="binomial"
    )
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained("bcast")] == [
        (1, "binomial")
    ]


@pytest.mark.every
@pytest.mark.skipif(
    available_gib() < NEEDED_FOR_MESSAGE_GIB,
    reason=f"blocks of 1.2 GB need {NEEDED_FOR_MESSAGE_GIB} GiB of free memory",
)
def test_blocks_that_together_are_more_than_2_gib(openmpi: Mpi) -> None:
    """Which an MPI without large counts must send in several messages."""
    program = openmpi.build("large_message.c")
    outcome = openmpi.run(program, "--explain=json", SUIRO_NODES="4", SUIRO_GATHER="binomial")
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained("gather")] == [
        (1, "binomial")
    ]


@pytest.mark.skipif(
    available_gib() < NEEDED_FOR_COUNT_GIB,
    reason=f"2 GiB of bytes need {NEEDED_FOR_COUNT_GIB} GiB of free memory",
)
@pytest.mark.parametrize(
    ("collective", "algorithm"),
    [
        ("alltoallv", "ring"),
        ("gatherv", "linear"),
        ("scatterv", "linear_capped:cap=2"),
    ],
)
def test_a_count_that_no_int_holds(programs: Path, collective: str, algorithm: str) -> None:
    mpich = Mpi("mpich", programs)
    outcome = mpich.run(
        [str(mpich.build("large_count.c")), collective],
        "--explain=json",
        ranks=2,
        **{f"SUIRO_{collective.upper()}": algorithm},
    )
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained(collective)] == [
        (1, algorithm)
    ]
