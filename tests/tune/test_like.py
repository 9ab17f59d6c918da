# SPDX-License-Identifier: BSD-3-Clause
"""What is tuned is what a program calls, and what is not is said."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from suiro.cli.main import app
from suiro.errors import UsageError
from suiro.tune.like import like
from suiro.tune.plans import Manner, named, parse_ranks, plans, wishes

Row = tuple[str, int, int | None, float]  # collective, ranks, bytes, seconds


def trace(folder: Path, rows: list[Row], more: str = "") -> Path:
    path = folder / "trace.jsonl"
    lines = [
        json.dumps({"rank": 0, "comm_ranks": ranks, "collective": name, "bytes": size,
                    "algorithm": "native", "seconds": seconds})
        for name, ranks, size, seconds in rows
    ]  # fmt: skip
    path.write_text("".join(line + "\n" for line in lines) + more)
    return path


def test_costly_calls_come_first_and_cheap_ones_not_at_all(tmp_path: Path) -> None:
    rows: list[Row] = [("bcast", 8, 4096, 2.0), ("bcast", 8, 64, 0.001), ("allreduce", 16, 8, 5.0),
                       ("bcast", 2, 100, 0.01)]  # fmt: skip
    found = like(trace(tmp_path, rows), "all", "")
    kinds = [(one.collective.name, one.ranks, one.sizes) for one in found.wishes]
    assert kinds == [("allreduce", 16, [8]), ("bcast", 8, [4096])]
    assert found.remarks == []


def test_a_size_stands_for_those_near_it(tmp_path: Path) -> None:
    rows: list[Row] = [("bcast", 4, 1000 + step, 1.0 + step) for step in range(50)]
    rows += [("bcast", 4, 1 << 20, 20.0)]
    (one,) = like(trace(tmp_path, rows), "bcast", "").wishes
    assert one.sizes == [1049, 1 << 20]


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    rows: list[Row] = [("bcast", 4, 1000, 1.0), ("alltoallv", 4, 1000, 3.0),
                       ("allreduce", 1, 8, 4.0), ("reduce", 4, None, 2.0)]  # fmt: skip
    found = like(trace(tmp_path, rows, "{ broken\n"), "all", "")
    assert [one.collective.name for one in found.wishes] == ["bcast"]
    broken, alone, unequal, unknown = found.remarks
    assert "trace.jsonl:5 is left out" in broken
    assert alone.startswith("allreduce on 1 ranks, 40% of the time") and "nobody" in alone
    assert unequal.startswith("alltoallv") and "equal blocks" in unequal
    assert unknown.startswith("reduce") and "not known" in unknown


@pytest.mark.parametrize(
    ("text", "said"), [("", "no call"), ("x\n", "expected what"), ("{}\n", "is left out")]
)
def test_what_is_no_trace_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"--like .*trace.jsonl: .*{said}"):
        like(trace(tmp_path, [], text), "all", "")


def test_a_trace_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        like(tmp_path / "none", "all", "")


def test_sizes_and_ranks_are_of_the_trace(tmp_path: Path) -> None:
    path = trace(tmp_path, [("bcast", 4, 1000, 1.0)])
    result = CliRunner().invoke(
        app, ["tune", "all", "--like", str(path), "--sizes", "1K", "--", "mpirun"]
    )
    assert "leave out --sizes" in str(result.exception)


def test_all_are_those_that_can_be_tuned() -> None:
    suiros, open_mpis, mpichs = (
        {one.name for one in named("all", owner)} for owner in ("", "openmpi", "mpich")
    )
    assert {"gather", "scan", "alltoall"} <= suiros and "alltoallv" not in suiros
    assert "reduce_scatter_block" in open_mpis and "gather" not in open_mpis
    assert mpichs <= open_mpis and "bcast" in mpichs


def test_every_collective_on_every_number_of_ranks() -> None:
    made = plans(wishes("bcast,allgather", [1000], parse_ranks("16,8"), ""),
                 Manner("c", None, 2, "", frozenset()))  # fmt: skip
    assert [(one.collective.name, one.wanted_ranks, one.root) for one in made] == [
        ("bcast", 8, 1), ("allgather", 8, 0), ("bcast", 16, 1), ("allgather", 16, 0)]  # fmt: skip


@pytest.mark.parametrize("text", ["1", "0", "8,x", "8,", "-4"])
def test_wrong_numbers_of_ranks_are_named(text: str) -> None:
    with pytest.raises(UsageError, match="give numbers of ranks from 2 on"):
        parse_ranks(text)
