# SPDX-License-Identifier: BSD-3-Clause
"""Profilers that find what comes after themselves, on all ranks or on one: suiro acts once for each
call, or on no rank."""

from pathlib import Path

import pytest
from mpi_jobs import Mpi, Outcome

FORCED = {"SUIRO_ALLTOALL": "ring", "SUIRO_BCAST": "node_pipeline"}
PIPELINES = [("bcast", "binomial", 1), ("bcast", "node_pipeline", 1)]
RINGS = ("alltoall", "ring", 2)


def detour(mpi: Mpi, prefix: str = "MPI_") -> Path:
    options = ["-shared", "-fPIC", "-w", f'-DNEXT="{prefix}"']
    return mpi.build("detour.c", *options, name=f"lib{prefix.lower()}detour.so")


def run(mpi: Mpi, preload: str, ranks: str = "*") -> Outcome:
    """On ranks that match the pattern, LD_PRELOAD is changed to `preload`."""
    script = (
        'case "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" in '
        f'{ranks}) export LD_PRELOAD="{preload}" ;; esac; exec "$0"'
    )
    words = ["sh", "-c", script, str(mpi.build("profiled.c"))]
    outcome = mpi.run(words, "--explain=json", "--mpi", mpi.tools.library, **FORCED)
    assert (outcome.code, "ok" in outcome.out) == (0, True), outcome.err  # ranks' lines may mix
    return outcome


def ran(outcome: Outcome) -> list[tuple[str, str, int]]:
    rows = outcome.explained()
    return sorted((row["collective"], row["algorithm"], row["calls"]) for row in rows)


@pytest.mark.parametrize(("ranks", "prefix"), [("*", "MPI_"), ("[12]", "PMPI_")])
def test_calls_that_go_past_suiro_are_native_on_all_ranks(
    mpi: Mpi, ranks: str, prefix: str
) -> None:
    tool = detour(mpi, prefix)
    outcome = run(mpi, f"$LD_PRELOAD:{tool}", ranks)
    assert outcome.out.count("detour: 2 alltoall") == (4 if ranks == "*" else 2)
    assert ran(outcome) == PIPELINES
    (line,) = outcome.said()
    assert line.startswith(f"suiro: rank {0 if ranks == '*' else 1} on ")
    assert f": {tool} takes alltoall past suiro: native runs there on all ranks" in line


def test_calls_that_a_profiler_in_front_passes_on_reach_suiro(mpi: Mpi) -> None:
    outcome = run(mpi, f"{detour(mpi)}:$LD_PRELOAD", "1")
    assert outcome.out.count("detour: 2 alltoall") == 1
    assert (outcome.said(), ran(outcome)) == ([], [RINGS, *PIPELINES])


def test_profiler_that_comes_back_on_one_rank(mpi: Mpi) -> None:
    profiler = mpi.build("profiler.c", "-shared", "-fPIC", name="profiler-library")
    outcome = run(mpi, f"$LD_PRELOAD:{profiler}", "0")
    assert "profiler: 2 alltoall, 0 isend" in outcome.out
    assert (outcome.said(), ran(outcome)) == ([], [RINGS, *PIPELINES])
