# SPDX-License-Identifier: BSD-3-Clause
"""Broadcasts, reductions and barriers by every algorithm that there is, with every kind of
argument; whatever the table of collectives and the catalog gain comes here by itself."""

import itertools
import json
import subprocess
import time
from collections import defaultdict

import pytest
from mpi_jobs import Mpi

from suiro import native


def all_algorithms() -> dict[str, list[str]]:
    """What can be forced for each collective that is no all-to-all; messages in many pieces."""
    command = [str(native.tool("suiro-schedule")), "algorithms", "--json"]
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    rows = document["algorithms"] if isinstance(document, dict) else document
    found = defaultdict(list)
    for row in rows:
        cut = any(parameter["name"] == "segment" for parameter in row["parameters"])
        name = row["name"] + (":segment=100" if cut else "")
        if row["collective"] != "alltoall":
            found[row["collective"]].append(name)
    return dict(found)


def rounds_of_all() -> list[dict[str, str]]:
    """Variables that force one algorithm of each collective at a time, until each had its turn."""
    algorithms = all_algorithms()
    return [
        {
            f"SUIRO_{name.upper()}": turn
            for name, turn in zip(algorithms, turns, strict=True)
            if turn
        }
        for turns in itertools.zip_longest(*algorithms.values())
    ]


@pytest.mark.parametrize("forced", rounds_of_all(), ids=lambda forced: "-".join(forced.values()))
@pytest.mark.parametrize(("ranks", "nodes"), [(4, "2"), (7, "3")])
def test_every_algorithm(mpi: Mpi, forced: dict[str, str], ranks: int, nodes: str) -> None:
    outcome = mpi.run(
        mpi.build("message_cases.c"), "--explain=json", ranks=ranks, SUIRO_NODES=nodes, **forced
    )
    assert (outcome.code, outcome.said()) == (0, []), outcome.out
    assert outcome.out.startswith("ok ")
    ran = {(row["collective"], row["algorithm"]) for row in outcome.explained()}
    assert {(name.removeprefix("SUIRO_").lower(), value) for name, value in forced.items()} <= ran


def test_on_suiros_own_transport(mpi: Mpi) -> None:
    forced = {"SUIRO_BCAST": "node_pipeline:segment=500", "SUIRO_REDUCE": "binary:segment=500"}
    forced |= {"SUIRO_ALLREDUCE": "lanes:segment=500", "SUIRO_BARRIER": "dissemination"}
    outcome = mpi.run(mpi.build("message_cases.c"), ranks=4, SUIRO_COLLECTIVES="net", **forced)
    assert (outcome.code, outcome.said()) == (0, []), outcome.out
    assert outcome.out.startswith("ok ")


def test_in_place_at_any_root(mpi: Mpi) -> None:
    """MPICH 4.0's own MPI_Reduce crashes there, so the cases are none where it would run."""
    words = [str(mpi.build("message_cases.c")), "in_place"]
    outcome = mpi.run(words, ranks=4, SUIRO_REDUCE="node_pipeline:segment=300", SUIRO_NODES="4")
    assert (outcome.code, outcome.said()) == (0, []), outcome.out


@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce", "barrier"])
def test_a_killed_rank_ends_the_job(mpi: Mpi, collective: str) -> None:
    """As it does natively: the launcher sees it, and ends all others."""
    forced = {
        "bcast": "node_pipeline",
        "reduce": "node_pipeline",
        "allreduce": "lanes",
        "barrier": "dissemination",
    }
    program = [str(mpi.build("killed.c")), collective]
    begin_s = time.monotonic()
    outcome = mpi.run(program, **{f"SUIRO_{collective.upper()}": forced[collective]})
    assert outcome.code != 0
    assert "not reached" not in outcome.out
    assert time.monotonic() - begin_s < 60


def test_operations_that_do_not_commute_run_by_algorithms_that_keep_the_order(mpi: Mpi) -> None:
    forced = {"SUIRO_REDUCE": "binomial:segment=100", "SUIRO_ALLREDUCE": "ring"}
    outcome = mpi.run(mpi.build("message_cases.c"), "--explain=json", **forced)
    assert outcome.code == 0, outcome.out
    reasons = {row["reason"] for row in outcome.explained() if row["algorithm"] == "native"}
    assert (
        "the operation does not commute, and binomial does not keep the order of ranks" in reasons
    )


def test_ranks_that_count_in_other_elements_choose_the_same(mpi: Mpi) -> None:
    program = mpi.build("other_elements.c")
    outcome = mpi.run(program, ranks=7, SUIRO_NODES="3", SUIRO_ALLGATHERV="ring:segment=64")
    assert (outcome.code, outcome.said()) == (0, []), outcome.out + outcome.err
    assert outcome.out == "ok\n"
