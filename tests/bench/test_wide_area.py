# SPDX-License-Identifier: BSD-3-Clause
"""The wide-area paper's cost models give what the paper says of them."""

import pytest

from suiro.bench.result import Cell, Result
from suiro.bench.wide_area import (
    Sites,
    model_lines,
    model_s,
    senders_of,
    sites_of_lab,
    throughput_Bps,
)
from suiro.provenance import Machine

# As in the paper: a WAN that is no limit, and a latency that large messages make small.
PAPER = Sites(latency_s=0, link_Bps=125e6, wan_Bps=1e12, hosts=32)


def cell(collective: str, algorithm: str) -> Cell:
    return Cell(
        collective=collective,
        algorithm=algorithm,
        nodes=64,
        ranks=64,
        bytes=1 << 24,
        median_s=1.0,
        ci95_s=(1.0, 1.0),
        bandwidth_Bps=0.0,
        repetitions=5,
    )


@pytest.mark.parametrize(
    ("collective", "extended", "other", "ratio"),
    [
        ("bcast", "extended_van_de_geijn:n=8", "farfirst", 3 / (2 + 1 / 8)),
        ("bcast", "extended_van_de_geijn:n=1", "farfirst", 1.0),
        ("allreduce", "extended_rabenseifner:n=8", "twotier", 5 / (2 + 1 / 8)),
    ],
)
def test_ratios_of_the_paper(collective: str, extended: str, other: str, ratio: float) -> None:
    ours, theirs = (model_s(cell(collective, name), PAPER) for name in (extended, other))
    assert ours is not None
    assert theirs is not None
    assert theirs / ours == pytest.approx(ratio)


def test_a_message_of_blocks_has_one_for_each_rank() -> None:
    whole = 64 * (1 << 24) / PAPER.link_Bps
    assert model_s(cell("gather", "counterparts"), PAPER) == pytest.approx(whole)
    assert model_s(cell("allgather", "counterparts:n=4"), PAPER) == pytest.approx(whole * 5 / 4)


def test_a_narrow_wan_bears_no_more() -> None:
    narrow = Sites(latency_s=0.01, link_Bps=100.0, wan_Bps=200.0, hosts=8)
    assert narrow.at_once_Bps(4) == narrow.at_once_Bps(2) == 200.0
    assert senders_of("extended_van_de_geijn", narrow) == 8
    assert senders_of("extended_van_de_geijn:n=4,segment=8192", narrow) == 4


def test_what_has_no_model() -> None:
    assert model_s(cell("bcast", "node_pipeline"), PAPER) is None


def test_throughput_as_the_paper_plots_it() -> None:
    assert throughput_Bps(cell("bcast", "native"), 2.0) == (1 << 24) * 64 / 2
    assert throughput_Bps(cell("allreduce", "native"), 2.0) == (1 << 24) * 64**2 / 2


def test_labs_of_two_sites() -> None:
    sites = sites_of_lab("two-sites")
    assert sites is not None
    assert (sites.latency_s, sites.hosts) == (0.01, 8)
    assert sites.wan_Bps == pytest.approx(4 * sites.link_Bps)
    assert sites_of_lab("4x4-hol") is None
    assert sites_of_lab("three-sites-uneven") is None


def test_a_lab_of_the_users_own_loses_nothing() -> None:
    assert sites_of_lab("my-lab") is None
    assert sites_of_lab(None) is None
    machine = Machine(cores=2, processor="", kernel="", system="", suiro="", mpi="", lab="my-lab")
    assert model_lines(Result(machine=machine, cells=[cell("bcast", "farfirst")], command="")) == []
