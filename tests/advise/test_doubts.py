# SPDX-License-Identifier: BSD-3-Clause
"""What is said of native's time against what others measured, and which cells are open. The figures
are of converged-computing/metrics-operator-experiments (Google c2d-standard-56, one rank on each of
64 nodes) and JiaweiZhuang/aws-mpi-benchmark (AWS c5n, 8 nodes of 36 ranks), both MIT;
against_others.py has all of them."""

import time
from dataclasses import replace

import pytest

from suiro.advise.answer import Cell, Choice, ask
from suiro.advise.doubts import doubt_of
from suiro.advise.question import Question, parse_mpi
from suiro.bench.catalog import find_collective

C2D_56 = Question(
    parse_mpi("openmpi-4.0"),
    (1,) * 64,
    {"kind": "voq", "link_Bps": 4e9, "stream_Bps": 1.87e9, "latency_s": 27e-6},
    cores=28,
)
C5N = Question(
    parse_mpi("openmpi-4.0"),
    (36,) * 8,
    {"kind": "voq", "link_Bps": 11.75e9, "stream_Bps": 1.1775e9, "latency_s": 30e-6},
    cores=36,
)


def told(question: Question, collective: str, size: int) -> Cell:
    calls = [(find_collective(collective), size)]
    return ask(question, calls, time.monotonic() + 600).of(collective)[size]


@pytest.mark.parametrize(("size", "measured_us"), [(4096, 267), (16384, 4817), (1 << 20, 7664)])
def test_one_rank_of_large_nodes_is_foretold(size: int, measured_us: float) -> None:
    cell = told(C2D_56, "allreduce", size)
    assert cell.on[0].native_mean_s == pytest.approx(1e-6 * measured_us, rel=0.34)
    assert cell.choice.outlook is not None and cell.choice.outlook.native_known
    assert not cell.doubt or cell.doubt.startswith("a job tries")


def test_what_nodes_do_is_open() -> None:
    """A pipeline goes through all ranks of each node. On the same nodes, 3.1 took a quarter more
    than 4.0."""
    assert "what nodes do" in told(replace(C5N, ranks_of_node=(16,) * 4), "bcast", 1 << 20).doubt


def test_an_mpi_that_was_not_read_is_open() -> None:
    intel = replace(C5N, mpi=parse_mpi("intel-2019"))
    assert "the best in the books" in told(intel, "bcast", 65536).doubt


def test_few_cores_are_open() -> None:
    assert "so few cores" in told(replace(C2D_56, cores=2), "allreduce", 4096).doubt
    assert "--cores tells" in told(replace(C2D_56, cores=0), "allreduce", 4096).doubt
    of_few_ranks = replace(C2D_56, ranks_of_node=(4, 3), cores=0)
    assert (of_few_ranks.fewest_cores, replace(of_few_ranks, cores=8).fewest_cores) == (3, 8)


def choice(reason: str, sure: bool = False) -> Choice:
    return Choice(bytes=8, algorithm="native", reason=reason, sure=sure, decided_in_s=0)


def test_doubts_of_decisions() -> None:
    assert doubt_of(C5N, choice("measured on 2026-11-20: 3.10 times as fast, 40 calls")) == ""
    assert doubt_of(C5N, choice("ignorance: too few bytes to tell")) == ""
    assert "only the root" in doubt_of(C5N, choice("ignorance: only the root knows sizes"))
    assert "too many messages" in doubt_of(
        C5N, choice("predicted: nothing that is soon foretold surely beats native's ring")
    )
    assert "tries this" in doubt_of(C5N, choice("perhaps: 0.9 to 2.3 times as fast"))
