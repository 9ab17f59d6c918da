# SPDX-License-Identifier: BSD-3-Clause
"""run.py with a suite of a few lines in the form of MPICH's: the real ones are not here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jobs import Job
from settings import chosen_settings
from sweep import Plan

RUN = Path(__file__).with_name("run.py")
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int with_suiro = getenv("SUIRO_NODES") != NULL;
  int rank, sent[8] = {0}, got[8];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  %s
  if (rank == 0) puts("No Errors");
  MPI_Finalize();
  return 0;
}
"""
EXCHANGE = "MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);"
BODIES = {
    "right": EXCHANGE,
    "silent": "",
    "wrong": 'return MPI_Finalize(), puts("Found 3 errors"), 0;',
    "differs": EXCHANGE + 'if (with_suiro) return MPI_Finalize(), puts("Found 2 errors"), 7;',
    "hangs": EXCHANGE + "while (with_suiro) sleep(1);",
    "spoilt": "this is no C;",
}
TESTS = "# a remark\nright 4\nright 5 arg=-x\nsilent 2\nwrong 2\ndiffers 2\nhangs 2\nspoilt 2\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    programs = tmp_path / "suite" / "test" / "mpi" / "coll"
    programs.mkdir(parents=True)
    for name, body in BODIES.items():
        (programs / f"{name}.c").write_text(PROGRAM % body)
    more = "right 16 env=MPIR_CVAR_X=1\nlarge 4 mem=80\nslow 4 timeLimit=900\n"
    (programs / "testlist.in").write_text(TESTS + more)
    (programs.parent / "util").mkdir()
    (programs.parent / "util" / "mtest.c").write_text("int nothing;\n")
    return tmp_path / "suite"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RUN), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_what_fails_with_suiro_only_is_told_from_what_fails_natively(
    suite: Path, tmp_path: Path
) -> None:
    options = ["--mpi", "openmpi", "--algorithm", "ring", "--work", str(tmp_path / "work")]
    command = ["--mpich-tests", str(suite), *options, "--limit", "30", "--json"]
    done = run(*command)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert {row["test"]: row["wrong"] for row in told["failures"]} == {
        "differs 2": "exit code 7: Found 2 errors",
        "hangs 2": "no end within 30 s",
    }
    wrong = {row["test"]: row["wrong"] for row in told["native"] if row["wrong"]}
    assert wrong == {"wrong 2": "Found 3 errors"}
    (row,) = told["suiro"]
    assert (row["forced"], row["tests"], row["wrong"]) == ("alltoall=ring", 4, 2)
    (row,) = told["forced"]
    assert (row["algorithm"], row["tests"], row["ran_in"]) == ("alltoall=ring", 4, 3)
    left_out = {row["test"]: row["why"] for row in told["left_out"]}
    assert left_out.pop("spoilt 2").startswith("does not build: error: ")
    assert left_out == {
        "right 16": "chooses algorithms of MPICH's own",
        "large 4": "takes 80 GB of memory",
        "slow 4": "may take 900 s, says the suite",
    }
    assert "natively: " in done.stderr
    again = run(*command, "--only", "right")
    assert again.returncode == 0
    assert "natively: " not in again.stderr
    kept = [row for row in told["native"] if row["test"].startswith("right")]
    assert json.loads(again.stdout)["native"] == kept


def test_ranks_are_those_that_are_asked_for(suite: Path, tmp_path: Path) -> None:
    options = ["--mpi", "openmpi", "--work", str(tmp_path / "work"), "--round", "0", "--json"]
    done = run("--mpich-tests", str(suite), "--only", "right", "--ranks", "3", *options)
    assert done.returncode == 0, done.stderr
    assert [row["test"] for row in json.loads(done.stdout)["native"]] == ["right 3", "right 3 -x"]


def test_what_takes_no_other_number_of_ranks_is_left_out() -> None:
    jobs = [
        Job("suite", name, "mpich", ranks, (), (), lambda *_: "")
        for name, ranks in (("some", 4), ("many", 64))
    ]
    plan, all_of_them = Plan([]), Plan([])
    plan.take(jobs, 64)
    assert plan.jobs == jobs[1:]
    assert plan.left_out == {("mpich", "some"): "takes 4 ranks and no other number"}
    all_of_them.take(jobs, 0)
    assert all_of_them.jobs == jobs


def test_every_algorithm_has_its_turn_in_a_round() -> None:
    defaults, *rounds = chosen_settings()
    assert not defaults.variables
    for setting in rounds:
        own = [one.collectives[0] for one in setting.forced]
        assert len(own) == len(set(own)) > 0
    alone = {one for setting in chosen_settings(algorithms=["*"]) for one in setting.forced}
    assert {one for setting in rounds for one in setting.forced} == alone
    assert chosen_settings(rounds=[0, 2]) == [
        setting for setting in [defaults, *rounds] if setting.name.startswith(("def", "round 2"))
    ]


def test_kinds_with_sizes_that_the_root_knows_run_only_what_sends_directly() -> None:
    runs = {
        one.name: one.collectives
        for setting in chosen_settings(["gather", "scatterv", "reduce_scatter"])
        for one in setting.forced
    }
    assert runs["gather=linear"] == ("gather", "gatherv")
    assert runs["gather=binomial"] == ("gather",)
    assert runs["scatter=linear_capped"] == ("scatter", "scatterv")
    assert "scatter=binomial" not in runs
    assert runs["reduce_scatter_block=ring"] == ("reduce_scatter_block", "reduce_scatter")


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ([], "no suite: give --mpich-tests, --mpi4py-source, --hpcc, --hpcg or --applications"),
        (["--mpich-tests", "nowhere"], "--mpich-tests nowhere: no coll/testlist.in in it"),
        (["--mpi4py-source", "nowhere"], "--mpi4py-source nowhere: no test/test_cco_*.py in it"),
        (["--hpcc", "nowhere"], "--hpcc nowhere: there is no such program"),
        (["--hpcg", "nowhere"], "--hpcg nowhere: no src/ComputeMG.cpp in it"),
        (["--applications", "vi"], "--applications vi: there is lammps, "),
        (
            ["--hpcc", "sh", "--algorithm", "none"],
            "no algorithm fits --collective, --algorithm and --round",
        ),
        (["--hpcc", "sh"], "nothing to run: no program fits"),
    ],
)
def test_errors_are_one_line(words: list[str], cause: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"run.py: {cause}")
