# SPDX-License-Identifier: BSD-3-Clause
"""`suiro sim`: the model behind a command."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from suiro.advise.question import Mpi, Stated
from suiro.cli.main import app
from suiro.errors import UsageError
from suiro.sim.estimate import estimate
from suiro.sim.network import of_cluster, of_job, of_lab

CLUSTER = """
version = 1
[[site]]
nodes = ["a", "b"]
rate = "100M"
latency = "100us"
[[site]]
nodes = ["c", "d"]
rate = "80M"
"""
WAN = """
[[wan]]
sites = [0, 1]
delay = "10ms"
rate = "150M"
"""


def sim(*arguments: str) -> Any:
    result = CliRunner().invoke(app, ["sim", *arguments, "--json"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return json.loads(result.stdout)


def test_labs_are_known() -> None:
    scene = of_lab("two-sites")
    assert scene.ranks == 16
    assert scene.network["site_of_node"] == [0] * 8 + [1] * 8
    assert scene.network["wan_latency_s"] == 0.01
    assert of_lab("4x4-hol").network["kind"] == "hol"


def test_a_cluster_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER + WAN)
    scene = of_cluster(path, 3)
    assert scene.ranks_of_node == (3, 3, 3, 3)
    assert scene.network["link_Bps"] == 10e6
    assert scene.network["wan_Bps"] == 150e6 / 8
    path.write_text(CLUSTER)
    with pytest.raises(UsageError, match="how fast the WAN is"):
        of_cluster(path, 3)


def test_a_job_is_found_in_a_cluster_file_by_the_names_of_its_nodes(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER + WAN)
    scene = of_job(path, ["d", "a"], (4, 2))
    assert scene.ranks_of_node == (4, 2)
    assert scene.network["site_of_node"] == [1, 0]
    assert "site_of_node" not in of_job(path, ["a", "b"], (1, 1)).network
    with pytest.raises(UsageError, match="a node x, which is at no site"):
        of_job(path, ["a", "x"], (1, 1))


def test_native_and_auto_have_rows() -> None:
    """What auto takes is one of the others, and takes the same time."""
    given = ["bcast", "--lab", "8x4-shared", "--sizes", "64K", "--mpi"]
    rows = {row["algorithm"]: row for row in sim(*given, "openmpi-4.1")}
    native, auto = rows["native"], rows["auto"]
    assert native["ran"] == "knomial of radix 4"
    name = auto["ran"].partition(":")[0]
    assert auto["seconds"] == rows[name]["seconds"] < native["seconds"]
    [unread] = sim(*given, "intel", "--algorithm", "native")
    assert unread["ran"] == "the best in the books"


HOL = '[[site]]\nnodes = ["*"]\nswitch = "hol"\nrate = "100M"\nlatency = "20us"\n'
SLOW = ["--nodes", "4", "--ppn", "4", "--cluster", "hol.toml"]
FAST = ["--nodes", "16", "--ppn", "16", "--switch", "voq", "--rate", "25G"]
UNTOLD = ["--nodes", "4", "--ppn", "2"]


@pytest.mark.parametrize(
    ("collective", "size", "words"),
    [
        ("allreduce", "8K", SLOW),
        ("alltoall", "64K", SLOW),
        ("bcast", "3M", FAST),
        ("bcast", "64K", UNTOLD),
        ("allgather", "8K", [*UNTOLD, "--rate", "10G", "--cores", "1"]),
        ("barrier", "8", [*UNTOLD, "--switch", "hol"]),
    ],
)
def test_one_question_has_one_answer(
    collective: str, size: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever command is asked, in the same words."""
    monkeypatch.chdir(tmp_path)
    Path("hol.toml").write_text("version = 1\n" + HOL)
    words = [*words, "--mpi", "openmpi-4.1", "--json"]

    def asked(*command: str) -> Any:
        result = CliRunner().invoke(app, [*command, *words])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    [cell] = asked("advise", "--collectives", collective, "--sizes", size, "--within", "10m")[
        "cells"
    ]
    rows = asked("sim", collective, "--sizes", size, "--algorithm", "native,auto")
    native, auto = sorted(rows, key=lambda row: row["algorithm"], reverse=True)
    explained = asked("rules", "explain", collective, "--bytes", size)
    assert auto["ran"] == explained["algorithm"] == cell["algorithm"]
    assert explained["reason"] == cell["reason"]
    assert native["seconds"] == cell["outlook"]["on"][0]["native_s"]


def remarks(*arguments: str) -> str:
    """What is said beside the table."""
    result = CliRunner().invoke(app, ["sim", *arguments, "--mpi", "openmpi-4.1"])
    assert result.exit_code == 0, result.output
    return result.stderr


def test_why_a_row_is_missing() -> None:
    both = ["--algorithm", "native,auto", "--sizes", "1K", "--mpi", "openmpi-4.1"]
    with pytest.raises(UsageError, match="no row at 1 KiB: all ranks are on one node"):
        sim("bcast", "--nodes", "1", "--ppn", "4", *both)
    with pytest.raises(UsageError, match="no row at 1 KiB: only the root knows sizes"):
        sim("gatherv", "--nodes", "2", "--ppn", "2", *both)
    said = remarks("gatherv", "--nodes", "2", "--ppn", "2")
    assert "native has no row at 64 KiB, 1 MiB: only the root" in said


def test_what_the_catalog_does_not_have_is_named_as_it_is() -> None:
    given = ["barrier", "--nodes", "2", "--ppn", "2"]
    assert sim(*given, "--mpi", "openmpi-4.1")[0]["ran"] == "linear barrier"
    assert "native's linear barrier is not played" in remarks(*given)


def test_no_mpi_is_asked_for_where_none_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert sim("bcast", "--nodes", "2", "--ppn", "2", "--algorithm", "linear", "--sizes", "8")
    with pytest.raises(UsageError, match="which MPI is it"):
        sim("bcast", "--nodes", "2", "--ppn", "2")


def test_longer_messages_take_longer() -> None:
    """Between nodes of many ranks, whose leader copies for all."""
    sizes = [megabytes << 20 for megabytes in range(1, 9)]
    scene = Stated(16, 64, rate="25G").question(Mpi()).scene
    times = [one.seconds for one in estimate(scene, "bcast", ["node_pipeline"], sizes)]
    assert times == sorted(set(times))


def test_what_nobody_tells_is_as_jobs_take_it() -> None:
    def played(rate: str | None) -> dict[str, object]:
        return Stated(2, 2, rate=rate).question(Mpi()).scene.played

    assert played("1G") == played(None)
    usual = {"start_s": 50e-6}  # by which messages are cut
    assert played(None) == pytest.approx(
        {"link_Bps": 125e6, "message_s": 50e-6, "latency_s": 50e-6} | usual
    )
    assert played("10G") == pytest.approx(
        {"link_Bps": 1.25e9, "message_s": 10e-6, "latency_s": 40e-6} | usual
    )


def test_a_pipeline_is_the_fastest_way_for_a_long_bcast() -> None:
    rows = sim("bcast", "--lab", "8x4-shared", "--sizes", "1M", "--mpi", "openmpi-4.1")
    rows = [row for row in rows if not row["ran"]]
    times = {row["algorithm"]: row["seconds"] for row in rows}
    assert min(times, key=lambda name: times[name]) in ("pipeline", "node_pipeline")
    for row in rows:
        assert row["seconds"] >= row["bound_s"]
        assert sum(row["spent"].values()) == pytest.approx(row["seconds"])


def test_head_of_line_blocking_is_what_makes_ring_slow() -> None:
    def gain(lab: str) -> float:
        ring, other = estimate(of_lab(lab), "alltoall", ["ring", "two_level_ring"], [262144])
        return ring.seconds / other.seconds

    assert gain("4x4-hol") > 1.08
    assert gain("4x4-voq") < 1.05


def test_a_result_is_compared(tmp_path: Path) -> None:
    cell = {"collective": "bcast", "bytes": 65536, "ranks": 16, "nodes": 4, "median_s": 0.02,
            "ci95_s": [0.02, 0.02], "repetitions": 5, "bandwidth_Bps": 1.0}  # fmt: skip
    machine = {"cores": 2, "processor": "", "kernel": "", "system": "", "suiro": "", "mpi": ""}
    path = tmp_path / "r.json"
    cells = [cell | {"algorithm": "native"}, cell | {"algorithm": "pipeline"}]
    path.write_text(json.dumps({"machine": machine, "cells": cells, "command": ""}))
    document = sim("bcast", "--lab", "4x4-voq", "--compare", str(path))
    (row,) = document["cells"]
    assert row["algorithm"] == "pipeline"
    assert document["median_error"] == pytest.approx(abs(row["error"]))
    assert (document["network"], document["collective"]) == ("4x4-voq", "bcast")
    assert document["machine"]["cores"] and document["command"] and document["measured_at"]
    path.write_text("{}")
    with pytest.raises(UsageError, match="machine"):
        sim("bcast", "--lab", "4x4-voq", "--compare", str(path))


def test_a_picture_over_time(tmp_path: Path) -> None:
    path = tmp_path / "time.svg"
    sim(
        "bcast", "--lab", "4x4-voq", "--sizes", "64K", "--algorithm", "pipeline", "--svg", str(path)
    )
    text = path.read_text()
    assert text.startswith("<svg") and "node 3" in text and 'class="out"' in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bcast"], "which network"),
        (["bcast", "--lab", "4x4-hol", "--cluster", "x"], "leave these out"),
        (["bcast", "--cluster", "x"], "--ppn"),
        (["bcast", "--lab", "4x4-hol", "--ppn", "4"], "leave these out"),
        (["bcast", "--lab", "4x4-hol", "--root", "16"], "0 to 15"),
        (["allreduce", "--lab", "4x4-hol", "--root", "1"], "have one"),
        (["bcast", "--lab", "4x4-hol", "--algorithm", "ring"], "ring"),
        (["bcast", "--lab", "4x4-hol", "--svg", "x.svg"], "one algorithm"),
        (["bcast", "--lab", "4x4-hol", "--compare", "nowhere"], "No such file"),
        (["bcast", "--lab", "fat-tree-8x2"], "no tree"),
        (["bcast", "--lab", "nowhere"], "no lab spec"),
    ],
)
def test_what_is_wrong(arguments: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        sim(*arguments)


def test_a_large_platform_is_played_by_one_node() -> None:
    given = ["alltoall", "--nodes", "512", "--ppn", "8", "--algorithm", "ring"]
    (one,) = sim(*given, "--sizes", "1K")
    assert one["played_ranks"] == 8
    # All blocks of a node's ranks for others, on its link.
    assert one["seconds"] > one["bound_s"] > 0
    result = CliRunner().invoke(app, ["sim", *given, "--sizes", "1K"])
    assert "one node stood for all, which do the same: ring" in result.stdout
    (tree,) = sim("bcast", "--nodes", "512", "--ppn", "4", "--algorithm", "binomial",
                  "--sizes", "1K")  # fmt: skip
    assert tree["played_ranks"] == 2048


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "which network is it"),
        (["--nodes", "4"], "Give --nodes N and --ppn P"),
        (["--lab", "4x4-voq", "--nodes", "4"], "leave these out"),
        (["--lab", "4x4-voq", "--rate", "1G"], "leave these out"),
        (["--cluster", "x", "--ppn", "2", "--rate", "1G"], "leave these out"),
    ],
)
def test_which_network_it_is_must_be_said(given: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        sim("bcast", *given)


def test_nodes_without_names_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text('version = 1\n[[site]]\nnodes = ["*"]\nrate = "100M"\n')
    assert of_cluster(path, 2, 5).ranks_of_node == (2,) * 5
    with pytest.raises(UsageError, match="add --nodes"):
        of_cluster(path, 2)
    path.write_text(CLUSTER + WAN)
    with pytest.raises(UsageError, match="names its nodes"):
        of_cluster(path, 2, 5)
