# SPDX-License-Identifier: BSD-3-Clause
"""What is predicted is held against native in the program's own calls."""

import re
from typing import Any

from mpi_jobs import Mpi

CALLS = 60
SLOW = '{"kind": "voq", "link_Bps": 100000}'  # leaders are foretold to be faster there


def run(mpi: Mpi, *options: str, **more: str) -> list[dict[str, Any]]:
    """Rows of the all-to-alls on MPI_COMM_WORLD and on communicators that end early."""
    outcome = mpi.run(
        mpi.build("trials.c"),
        "--explain=json",
        *options,
        ranks=8,
        SUIRO_CLUSTER_NETWORK=SLOW,
        **more,
    )
    assert outcome.code == 0, outcome.err
    assert outcome.out == "right\n"
    return outcome.explained("alltoall")


def tried(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Native's time over that of what was predicted, by what has won."""
    won, left = re.compile(r"; tried: ([\d.]+) times"), re.compile(r"tried \S+: ([\d.]+) times")
    stays = {row["algorithm"]: match[1] for row in rows if (match := won.search(row["reason"]))}
    goes = [match[1] for row in rows if (match := left.search(row["reason"]))]
    if goes:
        stays["native"] = goes[0]
    return {name: float(ratio) for name, ratio in stays.items()}


def test_what_is_slower_than_native_here_is_left(mpi: Mpi) -> None:
    layer = mpi.build("slow_layer.c", "-shared", "-fPIC", name="slow-layer")
    [(algorithm, ratio)] = tried(run(mpi, LD_PRELOAD=str(layer))).items()
    assert algorithm == "native"
    assert ratio < 0.5


def test_one_of_them_wins(mpi: Mpi) -> None:
    [(algorithm, ratio)] = tried(run(mpi)).items()
    assert ratio <= 1 if algorithm == "native" else ratio >= 1


def test_nobody_is_made_to_learn(an_mpi: Mpi) -> None:
    rows = run(an_mpi, "--no-learn")
    assert not tried(rows)
    assert max(row["calls"] for row in rows if row["algorithm"] != "native") >= CALLS - 10
