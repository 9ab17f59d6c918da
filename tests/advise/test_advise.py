# SPDX-License-Identifier: BSD-3-Clause
"""`suiro advise`: one answer for a cluster that is only described."""

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from suiro.advise import page, table
from suiro.advise.answer import Answer, Cell, Choice, On, Outlook, ask
from suiro.advise.job import of_job
from suiro.advise.question import Question, parse_mpi, parse_rate
from suiro.advise.table import by_kind, doubt_lines, headline, legend, number, runs
from suiro.advise.unknown import unknown
from suiro.bench.catalog import find_collective
from suiro.cli.advise import _TO_DRAW_S, _for_answers
from suiro.cli.main import app
from suiro.doctor import facts
from suiro.doctor.facts import Host
from suiro.errors import MachineError, UsageError
from suiro.run.launchers import Launcher
from suiro.tune import store
from suiro.tune.transport import transport_named

SMALL = ["--nodes", "4", "--ppn", "2", "--mpi", "openmpi-4.1"]
OPENMPI = parse_mpi("openmpi-4.1")
CLUSTER = """
version = 1
[[site]]
nodes = ["a", "b"]
switch = "voq"
rate = "1G"
latency = "30us"
"""


def advise(*words: str) -> str:
    """What is printed."""
    result = CliRunner().invoke(app, ["advise", *words, "--within", "10m"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def document(*words: str) -> Any:
    return json.loads(advise(*words, "--json"))


def test_an_answer_fits_a_terminal_and_has_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = advise(
        *SMALL, "--collectives", "bcast,alltoall,barrier", "--sizes", "8,256K,1M", "--rate", "1G"
    )
    assert "4 nodes x 2 ranks, 1 Gbit/s, kind of switch not known, Open MPI 4.1" in said
    lines = said.splitlines()
    assert max(cell_len(line) for line in lines if not line.startswith("  suiro ")) <= 80
    assert lines[1].split() == ["times", "as", "fast", "8", "B", "256", "KiB", "1", "MiB"]
    assert any(
        line.startswith("bcast: from 8 B shared_tree, from 256 KiB node_pipeline") for line in lines
    )
    assert "\n  suiro probe --switch --sites -- mpirun -np 4 --map-by ppr:1:node" in said
    assert "nothing was measured for this" in said


def test_the_decision_is_that_of_the_tool_that_all_ask() -> None:
    [cell] = document(*SMALL, "--collectives", "bcast", "--sizes", "256K", "--rate", "1G")["cells"]
    assert cell["algorithm"].startswith("node_pipeline") and cell["reason"].startswith("rule: ")
    kinds = [on["kind"] for on in cell["outlook"]["on"]]
    assert kinds == ["voq", "hol", "shared"]
    gains = [on["native_s"] / on["chosen_s"] for on in cell["outlook"]["on"]]
    assert 0.99 * min(gains) < cell["gain"] < 1.01 * max(gains)


def test_what_is_told_is_no_set_any_more() -> None:
    found = document(
        *SMALL, "--collectives", "bcast", "--sizes", "64K", "--rate", "1G", "--switch", "hol"
    )
    assert [on["kind"] for on in found["cells"][0]["outlook"]["on"]] == ["hol"]
    assert not any("--switch" in one["command"] for one in found["not_known"])
    unknown_rate = document(*SMALL, "--collectives", "scan", "--sizes", "64K")
    assert len(unknown_rate["cells"][0]["outlook"]["on"]) == 6


def test_what_takes_too_long_is_missing() -> None:
    question = Question(OPENMPI, (2, 2), {}, 125e6)
    answer = ask(question, [(find_collective("bcast"), 8)], time.monotonic())
    assert answer.missing == [("bcast", 8)] and not answer.cells
    assert "--within 60s" in legend(answer)
    assert headline(answer).endswith("Open MPI 4.1; 1 of 1 answers not told in time")


def test_a_page_has_its_part_of_the_time() -> None:
    assert _for_answers("10s", with_page=False) - _for_answers("10s", with_page=True) == _TO_DRAW_S
    assert _for_answers("1s", with_page=True) == _for_answers("2s", with_page=True) > 0


def test_commands_are_whole_and_words_are_as_wide_as_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lines(columns: str) -> list[str]:
        monkeypatch.setenv("COLUMNS", columns)
        words = ["--collectives", "bcast,reduce,allreduce,alltoall,scan", "--sizes", "8,1K,8K,64K"]
        return advise(*SMALL, *words, "--rate", "1G").splitlines()

    narrow, wide = lines("80"), lines("150")
    of_narrow, of_wide = ([one for one in its if one.startswith("  suiro ")]
                          for its in (narrow, wide))  # fmt: skip
    assert of_narrow == of_wide and "suiro tune" in of_wide[-1]
    assert any(cell_len(one) > 80 for one in of_narrow)
    prose = [one for one in narrow if one not in of_narrow]
    assert (
        max(map(cell_len, prose)) <= 80 < max(cell_len(one) for one in wide if one not in of_wide)
    )


def test_a_tool_that_cannot_start_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while it is being replaced: the file is there, and no program."""
    bcast = find_collective("bcast")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "suiro-schedule").touch()
    monkeypatch.setenv("SUIRO_NATIVE_DIR", str(tmp_path))
    with pytest.raises(MachineError, match="does not start: Permission denied; try again"):
        ask(Question(OPENMPI, (2, 2), {}, 125e6), [(bcast, 8)], time.monotonic() + 60)


def test_what_was_measured_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUIRO_STORE", str(tmp_path))
    monkeypatch.delenv("SUIRO_LAB_SPEC", raising=False)
    monkeypatch.delenv("SUIRO_NO_STORE", raising=False)
    (tmp_path / "c.toml").write_text(CLUSTER)
    key = store.Key(
        cluster=store.cluster_named(["a", "b"]),
        mpi=store.mpi_named("Open MPI v4.1.4"),
        transport=transport_named(os.environ),
        family="learnt",
        node_of_rank=[0, 1],
        collective="bcast",
        root=0,
    )
    times = {"default": [4e-3] * 8, "binomial": [1e-3] * 8}
    store.write(key, [store.Sample(bytes=4096, candidate=name, seconds=seconds)
                      for name, seconds in times.items()])  # fmt: skip
    words = [
        "--collectives",
        "bcast",
        "--cluster",
        str(tmp_path / "c.toml"),
        "--ppn",
        "1",
        "--sizes",
        "4K,1M",
    ]
    told = {one["bytes"]: one for one in document(*words, "--mpi", "openmpi-4.1")["cells"]}
    assert "measured" not in told[1 << 20]["reason"]
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    assert f"measured on {today}: 4.00 times as fast, 8 calls" in told[4096]["reason"]
    assert told[4096]["gain"] == 4.0
    others = document(*words, "--mpi", "openmpi-5")["cells"]
    assert not any("measured" in one["reason"] for one in others)


def test_a_job_tells_of_its_hosts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mpirun = Launcher("/usr/bin/mpirun", "openmpi", product="Open MPI", version="4.1.4")
    monkeypatch.setattr("suiro.advise.job.launcher_of", lambda words: mpirun)
    links = {"link eth0": "card 1 1500 full 25000", "link eth1": "card 1 1500 full 1000"}
    hosts = [Host(name, 2, {0, 1, 2, 3}, dict(links)) for name in "ab"]
    started: list[list[str]] = []

    def gather(words: list[str]) -> list[Host]:
        started.append(words)
        return hosts

    monkeypatch.setattr(facts, "gather", gather)
    question = of_job(["mpirun", "-np", "4", "./app"], None, None)
    assert started[0][:4] == ["mpirun", "-np", "4", "/bin/sh"]
    assert started[0][-2:] == ["suiro-doctor", "./app"]  # is looked for
    assert (question.ranks_of_node, question.cores, question.hosts) == ((2, 2), 4, ("a", "b"))
    assert question.rate_bps == 25e9 and question.mpi.release == "4.1"
    assert question.launcher == ("mpirun", "-np", "4")
    (tmp_path / "c.toml").write_text(CLUSTER)
    assert of_job(["mpirun"], None, tmp_path / "c.toml").kind == "voq"
    hosts[1].values["link eth0"] = hosts[1].values["link eth1"] = "virtual 1 1500"
    assert of_job(["mpirun"], None, None).rate_bps is None


def test_what_of_a_program_is_touched(tmp_path: Path) -> None:
    trace = tmp_path / "t.jsonl"
    lines = []
    for rank in range(8):
        for name, ranks, size, ran, seconds in (
            ("bcast", 8, 1 << 18, "native", 6.0), ("alltoall", 2, 64, "native", 1.0),
            ("allreduce", 8, 8, "ring", 2.0), ("gatherv", 8, None, "native", 1.0),
        ):  # fmt: skip
            lines.append(json.dumps({
                "rank": rank, "comm_ranks": ranks, "collective": name, "bytes": size,
                "algorithm": ran, "seconds": seconds}))  # fmt: skip
    trace.write_text("\n".join(lines) + "\n")
    said = advise(*SMALL, "--rate", "1G", "--like", str(trace)).replace("\n  ", " ")
    assert "10 s of each rank in collectives" in said
    assert "60%  bcast 256 KiB, 1 calls: node_pipeline" in said
    assert "ran ring there already" in said
    assert "a communicator of 2 of 8 ranks" in said
    assert "sizes are not known" in said
    assert "in all: 10 s would be" in said


def test_a_page_needs_no_network(tmp_path: Path) -> None:
    file = tmp_path / "advice.html"
    advise(
        *SMALL,
        "--collectives",
        "bcast,barrier",
        "--sizes",
        "64K",
        "--rate",
        "1G",
        "--html",
        str(file),
    )
    text = file.read_text()
    assert "Switch: hol, 1 Gbit/s" in text and "<svg" in text
    assert "http" not in text.replace("http://www.w3.org", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "which cluster is it? Give --nodes N and --ppn P, or --cluster FILE"),
        (["--nodes", "2", "--ppn", "2", "--mpi", "mpi"], "--mpi mpi: expected openmpi, mpich or"),
        (["--rate", "fast", *SMALL], "--rate: expected a number such as"),
        (["--rate", "25", *SMALL], "--rate 25: expected what a link carries in bit/s"),
        (["--switch", "cisco", *SMALL], "--switch cisco: expected one of voq, hol, pause, shared"),
        (["--collectives", "nope", *SMALL], 'no collective "nope"'),
        (["--nodes", "1", "--ppn", "8", "--mpi", "mpich"], "all ranks are on one node"),
        ([*SMALL, "--", "mpirun"], "the hosts tell what --nodes, --ppn"),
        (["--", "no-launcher"], 'launcher "no-launcher" is not on the PATH'),
        (["--like", "/nowhere", *SMALL], "--like /nowhere: No such file"),
        (["--within", "soon", *SMALL], '--within "soon": give a time'),
        (["--cluster", "/nowhere", "--ppn", "2", "--rate", "1G"], "leave these out"),
    ],
)
def test_mistakes_are_named(words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["advise", *words])
    assert isinstance(result.exception, UsageError)
    assert said in str(result.exception)


def test_versions_of_an_mpi() -> None:
    assert parse_mpi("openmpi-4.0.3").release == "4.0"
    assert parse_mpi("mpich").full_name == "MPICH 4"
    assert parse_mpi("openmpi-4.1").says("Open MPI v4.1.4")
    assert not parse_mpi("openmpi-4.1").says("Open MPI v4.10.1")
    assert not parse_mpi("openmpi-4.1").says("Open MPI v5.0.11")
    assert parse_mpi("mpich-5").says("MPICH Version: 5.0.2")
    assert [parse_mpi(text).is_read for text in ("mpich-3.3", "mpich-4", "intel")] == [
        False, True, False]  # fmt: skip
    assert parse_rate("25G") == 25 * 10**9


def on(kind: str, native_s: float, chosen_s: float) -> On:
    return On(kind=kind, link_Bps=125e6, native_s=native_s, native_mean_s=native_s,
              chosen_s=chosen_s, chosen_mean_s=chosen_s)  # fmt: skip


def cell(algorithm: str, *ons: On, size: int = 1024, doubt: str = "") -> Cell:
    outlook = Outlook(native="native's ring", native_known=True, on=list(ons))
    choice = Choice(bytes=size, algorithm=algorithm, reason="rule: x", sure=True, decided_in_s=0,
                    outlook=outlook)  # fmt: skip
    return Cell("bcast", choice, doubt)


def test_cells_in_words() -> None:
    same = cell("lanes", on("voq", 3, 1), on("hol", 3, 1))
    open_one = cell("lanes", on("voq", 3, 1), on("hol", 3, 1), doubt="nobody can tell")
    apart = cell("lanes", on("voq", 3, 1), on("hol", 12, 1), size=4096)
    assert (number(same), number(apart), number(cell("native"))) == ("3.0", "3.0-12", "=")
    assert by_kind(apart) == [("voq", "3.0"), ("hol", "12")]
    shown = [str(table._field(one)) for one in (same, open_one, None)]
    assert shown == ["3.0", "\N{WHITE CIRCLE}3.0", "-"]
    fields = [page._field(one, ("voq", 125e6)) for one in (same, open_one)]
    assert [(field.gain, field.sure) for field in fields if field] == [(3, True), (3, False)]
    assert runs({1024: cell("native"), 4096: apart, 8192: apart}) == (
        "from 1 KiB native, from 4 KiB lanes"
    )
    open_ones = [cell("lanes", doubt="nobody can tell"), same]
    answer = Answer(Question(OPENMPI, (2, 2)), open_ones)
    assert doubt_lines(answer) == ["\N{WHITE CIRCLE} nobody can tell: bcast 1 KiB"]
    answer.cells.append(cell("lanes", size=8, doubt="nobody can tell"))
    [probe, tune] = unknown(answer)
    assert probe.command == "suiro probe --switch --sites -- mpirun -np 2 --map-by ppr:1:node"
    assert (probe.takes, tune.takes) == ("some 20 s", "5 minutes")
    known = Question(OPENMPI, (2, 2), {"latency_s": 1e-5}, launcher=("mpirun", "--hostfile", "h"))
    [probe] = unknown(Answer(known, []))
    command = "suiro probe --switch --write-cluster cluster.toml -- mpirun --hostfile h"
    assert (probe.command, probe.takes) == (command, "some 10 s")
    assert tune.command == "suiro tune bcast --sizes 8B,1KiB --budget 5m -- mpirun -np 4"
