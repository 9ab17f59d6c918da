# SPDX-License-Identifier: BSD-3-Clause
"""All collectives but all-to-all, by every algorithm that there is, with every kind of argument;
whatever the table of collectives and the catalog gain comes here by itself."""

import itertools
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from mpi_jobs import Mpi, rows_of

# Programs, and algorithms that use every kind of buffer that there is.
SOME = {
    "message_cases.c": {
        "SUIRO_ALLREDUCE": "lanes:segment=1000",
        "SUIRO_BARRIER": "dissemination",
        "SUIRO_BCAST": "node_pipeline:segment=1000",
        "SUIRO_EXSCAN": "node_aware",
        "SUIRO_REDUCE": "binary:segment=1000",
        "SUIRO_REDUCE_SCATTER": "lanes:segment=1000",
        "SUIRO_REDUCE_SCATTER_BLOCK": "pairwise",
        "SUIRO_SCAN": "linear:segment=1000",
    },
    "block_cases.c": {
        "SUIRO_ALLGATHER": "lanes:segment=1000",
        "SUIRO_ALLGATHERV": "lanes:segment=1000",
        "SUIRO_GATHER": "node_leader",
        "SUIRO_GATHERV": "linear_capped",
        "SUIRO_SCATTER": "node_leader",
        "SUIRO_SCATTERV": "linear",
    },
}


def forced_by(algorithm: dict[str, Any], table: list[dict[str, Any]]) -> dict[str, str]:
    """Variables that force it wherever it may run; messages go in many pieces. Where only the root
    knows how large blocks are, nobody can hand on those of others."""
    cut = any(parameter["name"] == "segment" for parameter in algorithm["parameters"])
    direct = "direct" in algorithm["properties"]
    return {
        f"SUIRO_{row['name'].upper()}": algorithm["name"] + (":segment=1000" if cut else "")
        for row in table
        if row["regular"] == algorithm["collective"]
        and (direct or not (row["unequal"] and row["rooted"]))
    }


def program_for(row: dict[str, Any]) -> str:
    """Which program calls it with every kind of argument."""
    if row["bytes"] == "per pair of ranks":
        return "alltoall_cases.c"
    moves_blocks = row["bytes"] == "per rank" and not row["reduces"]
    return "block_cases.c" if moves_blocks else "message_cases.c"


def rounds_of(program: str) -> list[dict[str, str]]:
    """Variables that force one algorithm of each collective at a time, until each had its turn."""
    table = rows_of("collectives")
    program_of = {row["name"]: program_for(row) for row in table}
    turns = defaultdict(list)
    for algorithm in rows_of("algorithms"):
        if program_of[algorithm["collective"]] == program:
            turns[algorithm["collective"]].append(forced_by(algorithm, table))
    return [
        {name: value for forced in turn for name, value in forced.items()}
        for turn in itertools.zip_longest(*turns.values(), fillvalue={})
    ]


def wanted(forced: dict[str, str]) -> set[tuple[str, str]]:
    """Collectives and algorithms that --explain is to tell of."""
    return {(name.removeprefix("SUIRO_").lower(), value) for name, value in forced.items()}


SHAPES = ((4, "2"), (7, "2+1"))  # ranks, nodes at each site
PLACES = [(name, *shape) for shape in SHAPES for name in ("openmpi", "mpich")]
JOBS = [
    pytest.param(
        *(program, forced, PLACES[turn % len(PLACES)]),
        id=f"{program}-{'-'.join(dict.fromkeys(forced.values()))}",
        marks=[pytest.mark.every] if turn % 3 else [],
    )
    for program in SOME
    for turn, forced in enumerate(rounds_of(program))
]


@pytest.mark.parametrize(("program", "forced", "place"), JOBS)
def test_every_algorithm(
    programs: Path, program: str, forced: dict[str, str], place: tuple[str, int, str]
) -> None:
    """Each once, by turns on the MPIs and shapes: what is sent is the same on all MPIs. Schedules
    are proven, so that a third of them is enough for every change."""
    name, ranks, nodes = place
    mpi = Mpi(name, programs)
    outcome = mpi.run(
        mpi.build(program), "--explain=json", ranks=ranks, SUIRO_NODES=nodes, **forced
    )
    assert (outcome.code, outcome.said()) == (0, []), outcome.out
    assert outcome.out.startswith("ok ")
    ran = {(row["collective"], row["algorithm"]) for row in outcome.explained()}
    assert wanted(forced) <= ran


@pytest.mark.parametrize("program", list(SOME))
@pytest.mark.parametrize("transport", ["mpi", "net"])
def test_some_with_check(mpi: Mpi, program: str, transport: str) -> None:
    """On the MPI's transport and on suiro's own."""
    outcome = mpi.run(
        mpi.build(program),
        "--check",
        "--explain=json",
        ranks=5,
        SUIRO_COLLECTIVES=transport,
        **SOME[program],
    )
    assert (outcome.code, outcome.complaints()) == (0, []), outcome.out
    assert outcome.out.startswith("ok ")
    ran = {(row["collective"], row["algorithm"]) for row in outcome.explained()}
    assert wanted(SOME[program]) <= ran


RULES = """{
  "suiro_rules": 1,
  "rules": [
    {"collective": "allgatherv", "bytes": [0, 60], "algorithm": "ring"},
    {"collective": "allgatherv", "bytes": [61, null], "algorithm": "linear"},
    {"collective": "allgatherv", "algorithm": "bruck"}
  ]
}"""


@pytest.mark.parametrize("by_rules", [False, True])
def test_ranks_that_describe_bytes_in_ways_of_their_own_agree(
    mpi: Mpi, tmp_path: Path, by_rules: bool
) -> None:
    """On the number of pieces, on the range of sizes, and on whether blocks are too uneven."""
    (tmp_path / "rules.json").write_text(RULES)
    options = ["--rules", str(tmp_path / "rules.json")] if by_rules else []
    forced = {} if by_rules else {"SUIRO_ALLGATHERV": "lanes:segment=400"}
    words = [str(mpi.build("block_cases.c")), "ways"]
    outcome = mpi.run(words, "--explain=json", *options, ranks=7, SUIRO_NODES="3", **forced)
    assert (outcome.code, outcome.said()) == (0, []), outcome.out
    assert outcome.out.startswith("ok ")
    ran = {row["algorithm"] for row in outcome.explained("allgatherv")}
    assert ran == ({"ring", "linear", "bruck"} if by_rules else {"lanes:segment=400"})


def test_in_place_at_any_root(mpi: Mpi) -> None:
    """MPICH 4.0's own MPI_Reduce crashes there, so the cases are none where it would run."""
    words = [str(mpi.build("message_cases.c")), "in_place"]
    outcome = mpi.run(words, ranks=4, SUIRO_REDUCE="node_pipeline:segment=300", SUIRO_NODES="4")
    assert (outcome.code, outcome.said()) == (0, []), outcome.out


@pytest.mark.parametrize(
    "collective", ["bcast", "reduce", "allreduce", "barrier", "allgather", "reduce_scatter_block"]
)
def test_a_killed_rank_ends_the_job(mpi: Mpi, collective: str) -> None:
    """As it does natively: the launcher sees it, and ends all others."""
    forced = {
        "bcast": "node_pipeline",
        "reduce": "node_pipeline",
        "allreduce": "lanes",
        "barrier": "dissemination",
        "allgather": "lanes",
        "reduce_scatter_block": "lanes",
    }
    program = [str(mpi.build("killed.c")), collective]
    begin_s = time.monotonic()
    outcome = mpi.run(program, **{f"SUIRO_{collective.upper()}": forced[collective]})
    assert outcome.code != 0
    assert "not reached" not in outcome.out
    assert time.monotonic() - begin_s < 60


def test_operations_that_do_not_commute_run_by_algorithms_that_keep_the_order(mpi: Mpi) -> None:
    forced = {"SUIRO_REDUCE": "binomial:segment=400", "SUIRO_ALLREDUCE": "ring"}
    forced |= {"SUIRO_REDUCE_SCATTER": "bruck", "SUIRO_REDUCE_SCATTER_BLOCK": "lanes"}
    outcome = mpi.run(mpi.build("message_cases.c"), "--explain=json", **forced)
    assert outcome.code == 0, outcome.out
    reasons = {row["reason"] for row in outcome.explained() if row["algorithm"] == "native"}
    for name in ("binomial", "ring", "bruck", "lanes"):
        assert (
            f"the operation does not commute, and {name} does not keep the order of ranks"
            in reasons
        )
