# SPDX-License-Identifier: BSD-3-Clause
"""All collectives at once: sizes by what the busiest link carries, and a table of them."""

from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from suiro.bench.catalog import collectives
from suiro.bench.every import Everything
from suiro.bench.every_table import print_every
from suiro.bench.network import Network
from suiro.bench.result import Cell, Result
from suiro.cli.main import app
from suiro.errors import UsageError
from suiro.provenance import Machine

FOUR_BY_FOUR = [rank // 4 for rank in range(16)]
EVERYTHING = Everything(sizes=(65536, 1 << 20), repeat=5, budget_s=1, root=2)


def test_sizes_are_those_of_the_busiest_link() -> None:
    """A node of four sends or gets 48 blocks of an alltoall, 12 of an allgather and of a gather,
    three quarters of a reduce_scatter's vector, and a message once."""
    plans = {plan.collective.name: plan for plan in EVERYTHING.plans(FOUR_BY_FOUR, None)}
    assert list(plans) == list(collectives())
    sizes = {name: plan.sizes[0] for name, plan in plans.items()}
    assert sizes["alltoall"] == sizes["alltoallw"] == 65536 // 48
    assert sizes["allgather"] == sizes["gatherv"] == sizes["scatter"] == 65536 // 12
    assert sizes["reduce_scatter_block"] == 65536 // 12 // 4 * 4
    assert sizes["reduce_scatter"] == 65536 * 4 // 3 // 4 * 4
    assert sizes["allreduce"] == 65536 * 2 // 3 // 4 * 4
    assert sizes["bcast"] == sizes["exscan"] == 65536
    assert plans["alltoall"].port_bytes == {65536 // 48: 65536, (1 << 20) // 48: 1 << 20}


def test_what_differs_between_plans() -> None:
    for plan in EVERYTHING.plans(FOUR_BY_FOUR, None):
        assert plan.algorithms == ("native", "auto")
        assert plan.spread_percent == 0
        assert plan.root == (2 if plan.collective.rooted else None)
        assert plan.collective.has_data or (plan.sizes, plan.port_bytes) == ((0,), {})


def test_links_of_a_host_share_its_bytes() -> None:
    two = Network((4,) * 4, (50_000_000,) * 2)
    assert EVERYTHING.plans(FOUR_BY_FOUR, two)[0].sizes[0] == 2 * 65536 // 12
    one = Network((4,) * 4, (50_000_000,) * 2, shares_out=False)
    assert EVERYTHING.plans(FOUR_BY_FOUR, one)[0].sizes[0] == 65536 // 12


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((40,), "alltoall brings steps of 48 bytes to the busiest link"),
        ((65536, 65540), "allgather brings steps of 12 bytes to the busiest link"),
    ],
)
def test_sizes_that_some_collective_cannot_have(sizes: tuple[int, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Everything(sizes=sizes, repeat=5, budget_s=1).plans(FOUR_BY_FOUR, None)


def test_one_node_has_no_link() -> None:
    with pytest.raises(UsageError, match="all ranks are on one node"):
        EVERYTHING.plans([0, 0], None)


def cell(collective: str, algorithm: str, port_bytes: int | None, **more: object) -> Cell:
    figures = {"nodes": 4, "ranks": 16, "bytes": port_bytes and port_bytes // 2, "median_s": 0.02}
    figures |= {"bandwidth_Bps": 1.0, "ci95_s": (0.02, 0.02), "repetitions": 5}
    names = {"collective": collective, "algorithm": algorithm, "port_bytes": port_bytes}
    return Cell.model_validate(figures | names | {"bytes": figures["bytes"] or 0} | more)


def test_a_line_for_each_collective_and_size(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By size first; what is said of several is said once."""
    monkeypatch.setenv("COLUMNS", "124")
    ratio = {"speedup_over_native": 1.5, "speedup_over_native_ci95": (1.4, 1.6), "ran": "ring"}
    cells = [
        *(cell("barrier", algorithm, None) for algorithm in ("native", "auto")),
        cell("bcast", "native", 65536, note="cut; no control: x"),
        cell("bcast", "auto", 65536, bound_fraction=0.8, **ratio),
        cell("bcast", "ring", 65536, is_control=True, void_reason="late"),
        cell("scan", "native", 32768, note="cut", void_reason="late"),
        cell("scan", "auto", 32768, **ratio),
    ]
    machine = Machine(cores=2, processor="p", kernel="k", system="s", suiro="0", mpi="M")
    print_every(Result(machine=machine, cells=cells, command="c"), Console(width=124))
    lines = capsys.readouterr().out.splitlines()
    words = [line.replace(" KiB", "K").split() for line in lines if line.strip()]
    assert [line[1] for line in words[1:4]] == ["scan", "bcast", "barrier"]
    assert words[1][-2:] == ["ring", "*void"]
    assert " ".join(words[2]) == "64K bcast 32K 20 ms 20 ms 0.80 1.50 1.40 1.60 5 ring"
    assert words[3][0] == "-"
    for said in ("note: bcast, scan: cut", "note: bcast: no control: x", "repeat: c"):
        assert said in lines
    assert "void: bcast (control), scan: late" in lines


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--steps"], "--steps is for one collective"),
        (["--spread", "0"], "--spread is for one collective"),
        (["--algorithms", "native"], "--algorithms is for one collective"),
        (["--plot", "x.svg"], "--plot is for one collective"),
        (["--sizes", "1.5"], '"1.5" is not a size'),
        (["--mpi", "lam"], "--mpi lam: expected openmpi or mpich"),
    ],
)
def test_wrong_options(words: list[str], said: str) -> None:
    answer = CliRunner().invoke(app, ["bench", "all", *words, "--", "mpirun"])
    assert said in str(answer.exception)


def test_completion_knows_the_collectives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from suiro.cli.bench import _complete

    assert _complete("gath") == ["gather", "gatherv"]
    assert _complete("all") == ["allgather", "allgatherv", "allreduce", "alltoall", "alltoallv",
                                "alltoallw", "all"]  # fmt: skip
    collectives.cache_clear()
    monkeypatch.setenv("SUIRO_NATIVE_DIR", str(tmp_path))
    assert _complete("gath") == []
