# SPDX-License-Identifier: BSD-3-Clause
"""Real Open MPI reads what was exported; an interrupted run goes on; a format that it does not know
is noticed; the next job uses what was measured."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from small_lab import LAB, SUIRO

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces: run it as root"),
]


@pytest.fixture
def lab(tmp_path: Path) -> list[str]:
    spec = tmp_path / "small.toml"
    spec.write_text(LAB)
    return ["--lab", str(spec), "--mpi", "openmpi"]


def tuned(*arguments: str, store: Path, code: int = 0) -> tuple[Any, str]:
    done = subprocess.run(
        [*SUIRO, "tune", *arguments, "--json"],
        text=True, capture_output=True, timeout=240, env=os.environ | {"SUIRO_STORE": str(store)},
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return (json.loads(done.stdout) if done.stdout else None), done.stderr


def test_open_mpi_reads_what_is_exported(lab: list[str], tmp_path: Path) -> None:
    rules, store = tmp_path / "all.rules", tmp_path / "store"
    given = ["bcast,alltoall", "--native", *lab, "--sizes", "2000", "--budget", "2s"]
    document, _ = tuned(*given, "--export", f"openmpi:{rules}", store=store)
    names = [one["collective"] for one in document["collectives"]]
    assert names == ["bcast", "alltoall"]
    (exported,) = document["exported"]
    assert str(rules) in exported["use"] and "coll_tuned_use_dynamic_rules 1" in exported["use"]
    assert rules.read_text().startswith("# Written by suiro tune")
    assert not list(store.glob("tune-*"))
    # What is known is not measured again; on a busy machine time may have run out for some sizes.
    document, said = tuned(*given, store=store)
    known = [[size["measured_before"] for size in one["sizes"]] for one in document["collectives"]]
    assert any(map(any, known))
    assert len(document["stored"]) == sum(not all(sizes) for sizes in known)
    # 4.1.4 does not know the second version, and ignores such a file without a word.
    other = tmp_path / "two.rules"
    _, said = tuned(*given, "--export", f"openmpi2:{other}", store=store, code=1)
    assert "does not read rule files of version 2" in said
    assert not other.exists()


def test_suiros_own_algorithms(lab: list[str], tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    given = ["bcast", *lab, "--sizes", "64K", "--budget", "15s", "--export", f"suiro:{rules}"]
    document, _ = tuned(*given, store=tmp_path)
    (row,) = document["collectives"][0]["sizes"]
    assert row["bytes"] == 65536 and row["gain"] >= 1
    assert json.loads(rules.read_text())["suiro_rules"] == 1


def test_an_interrupted_run_keeps_what_it_has(lab: list[str], tmp_path: Path) -> None:
    sizes = "1000-20000:1000"
    given = ["bcast", "--native", *lab, "--sizes", sizes, "--budget", "2m", "--json"]
    process = subprocess.Popen(
        [*SUIRO, "tune", *given],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"SUIRO_STORE": str(tmp_path)}, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "3 of 20 sizes" in line:
            break
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    document = json.loads(output)
    assert document["interrupted"]
    (kept,) = document["stored"]
    assert Path(kept).is_file()
    assert len(document["collectives"][0]["sizes"]) >= 2


def test_a_store_that_cannot_be_written_costs_no_result(lab: list[str], tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "lab-small").write_text("in the way")
    given = ["bcast", *lab, "--sizes", "2000", "--budget", "5s"]
    document, said = tuned(*given, store=store, code=1)
    assert document["collectives"][0]["sizes"]
    assert "cannot keep what was measured" in said


def test_a_root_that_is_not_there(lab: list[str], tmp_path: Path) -> None:
    _, said = tuned("bcast", *lab, "--root", "4", store=tmp_path, code=2)
    assert "there are 4 ranks, 0 to 3" in said


@pytest.mark.parametrize(
    ("slow_host", "burning"), [(True, 0), pytest.param(False, 2, marks=pytest.mark.every)]
)
def test_a_slow_node_or_a_busy_machine_decides_nothing_wrong(
    tmp_path: Path, slow_host: bool, burning: int
) -> None:
    spec = tmp_path / "small.toml"
    spec.write_text(LAB.replace("ranks = 2", "ranks = 2\ncpu = [1, 0.2]") if slow_host else LAB)
    given = ["bcast", "--lab", str(spec), "--mpi", "openmpi", "--sizes", "64K"]
    burners = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(burning)]
    try:
        document, _ = tuned(*given, "--budget", "2s", store=tmp_path / "store")
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
    for size in document["collectives"][0]["sizes"]:
        assert size["winner"] == "default" or size["gain_ci95"][0] > 1
    assert document["stored"]


@pytest.mark.every
def test_parts_of_the_job_have_rules_of_their_own(lab: list[str], tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    given = ["bcast", *lab, "--ranks", "2,4", "--sizes", "64K", "--budget", "6s"]
    document, _ = tuned(*given, "--export", f"suiro:{rules}", store=tmp_path / "store")
    assert [one["ranks"] for one in document["collectives"]] == [2, 4]
    assert all(one["sizes"] for one in document["collectives"])
    keys = [json.loads(Path(path).read_text())["key"] for path in document["stored"]]
    assert [len(key["node_of_rank"]) for key in keys] == [2, 4]
    exported = json.loads(rules.read_text())["rules"]
    assert {row["ranks"] for row in exported} == {2, 4}
    _, said = tuned("bcast", *lab, "--ranks", "5", store=tmp_path / "store", code=2)
    assert "bcast on 5 ranks: the launcher starts 4" in said


def test_the_model_alone(lab: list[str], tmp_path: Path) -> None:
    document, _ = tuned("bcast", *lab, "--strategy", "a", "--sizes", "1K,1M", store=tmp_path)
    assert document["machine"]["lab"] == "small"
    assert document["command"].startswith("suiro tune bcast")
    assert document["strategy"] == "a"
    assert not list(tmp_path.glob("*/*.json"))


PROGRAM = """
from mpi4py import MPI
data = bytearray(65536)
for call in range(40):
    MPI.COMM_WORLD.Bcast(data, root=0)
"""
# In one lab, and so on one cluster.
SCRIPT = """
suiro tune bcast --sizes 64K --budget 4s > tuned.txt &&
suiro run --explain=json -- $SUIRO_LAB_MPIRUN /usr/bin/python3 program.py 2> explained.json
"""


def test_the_next_job_uses_what_was_tuned(lab: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    variables = {"SUIRO_STORE": str(tmp_path / "store"), "SUIRO_NO_STORE": ""}
    variables["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    _, spec, *mpi = lab
    done = subprocess.run(
        [*SUIRO, "lab", "run", spec, *mpi, "--", "sh", "-c", SCRIPT],
        cwd=tmp_path, env=os.environ | variables, text=True, timeout=240, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "explained.json").read_text())["collectives"]
    measured = [row for row in rows if row["reason"].startswith("measured on ")]
    assert measured and all(row["algorithm"] != "native" for row in measured), rows
