# SPDX-License-Identifier: BSD-3-Clause
"""What was measured is shown before anything else is done, and nothing that fails then costs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from suiro.bench.catalog import find_collective
from suiro.cli.main import app
from suiro.errors import SuiroError
from suiro.tune import proof, run, store
from suiro.tune.candidates import Candidates
from suiro.tune.run import Outcome
from suiro.tune.search import Verdict
from suiro.tune.tuner import Plan, Tuning

NODES = (0, 0, 1, 1)
LAUNCHER = ["--mpi", "openmpi", "--", "mpirun", "-np", "4"]
MADE_UP = """
import sys
from test_conclusion import measured
from suiro.cli.main import main
from suiro.tune import run
run.run = lambda request, tell: measured(request.native)
sys.argv[0] = "suiro"
main()
"""


def measured(native: bool) -> Outcome:
    """Without a job."""
    collective = find_collective("bcast")
    plan = Plan(collective, [1024], "c", 0, 2, Candidates(collective, native), node_of_rank=NODES)
    tuning = Tuning(plan, measurements=40)
    name = "knomial" if native else "pipeline"
    tuning.verdicts = [Verdict(1024, name, 0.001, 0.002, 2.0, (1.9, 2.1), 20)]
    key = store.Key(
        cluster="lab-made", mpi="Open MPI v4.1.4", family="native" if native else "suiro",
        node_of_rank=list(NODES), collective="bcast", root=0,
    )  # fmt: skip
    start = {"mpi": "Open MPI v4.1.4", "node_of_rank": list(NODES), "hosts": ["a", "b"]}
    return Outcome(start=start, key=key, tunings=[tuning], stored=[Path("/stored")])


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUIRO_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(run, "run", lambda request, _: measured(request.native))


def tuned(*words: str) -> Result:
    return CliRunner().invoke(app, ["tune", "bcast", *words, *LAUNCHER])


def test_it_ends_with_where_results_are_and_who_uses_them(tmp_path: Path) -> None:
    place = tmp_path / "store" / "lab-made"
    ends = {
        (): f"stored in {place}: on this cluster `suiro run` will use it",
        ("--native",): f"stored in {place}: on this cluster this command begins with it",
    }
    for words, end in ends.items():
        done = tuned(*words)
        assert done.exit_code == 0
        assert done.stdout.splitlines()[-1] == end
        assert "1.90 to 2.10" in done.stdout


@pytest.mark.parametrize(
    ("failure", "code", "said"),
    [
        (SuiroError("this MPI does not read it"), 1, "suiro: this MPI does not read it\n"),
        (PermissionError(13, "Permission denied", "/f"), 1, "suiro: /f: Permission denied\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_a_proof_that_fails_costs_nothing_else(
    failure: BaseException, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> list[str]:
        raise failure

    monkeypatch.setattr(proof, "prove", fail)
    plot, rules = tmp_path / "plot.svg", tmp_path / "x.rules"
    words = ["--native", "--export", f"openmpi:{rules}", "--plot", str(plot)]
    done = tuned(*words)
    assert done.exit_code == code
    assert "knomial" in done.stdout and "stored in" in done.stdout
    assert ("interrupted: the same command" in done.stdout) == (code == 130)
    assert done.stderr == f"suiro: proving the rules of bcast on 4 ranks\n{said}"
    assert plot.exists() and not rules.exists()
    document = json.loads(tuned(*words, "--json").stdout)
    assert document["collectives"][0]["sizes"][0]["choice"] == "knomial"
    assert document["interrupted"] == (code == 130) and document["exported"] == []


@pytest.mark.parametrize("format_words", [[], ["--json"]])
def test_files_that_cannot_be_written_cost_no_table(
    format_words: list[str], tmp_path: Path
) -> None:
    plot = tmp_path / "plot.svg"
    plot.symlink_to("/dev/full")
    done = tuned("--export", "suiro:/dev/full", "--plot", str(plot), *format_words)
    said = "cannot be written: No space left on device"
    assert done.exit_code == 1
    assert done.stderr == f"suiro: --export /dev/full: {said}\nsuiro: --plot {plot}: {said}\n"
    assert "pipeline" in done.stdout


@pytest.mark.parametrize("format_words", [[], ["--json"]])
def test_a_table_that_cannot_be_printed_costs_no_file(
    format_words: list[str], tmp_path: Path
) -> None:
    rules, plot = tmp_path / "rules.json", tmp_path / "plot.svg"
    words = ["tune", "bcast", "--export", f"suiro:{rules}", "--plot", str(plot), *format_words]
    environment = os.environ | {"PYTHONPATH": f"{Path(__file__).parent}:{':'.join(sys.path)}"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", MADE_UP, *words, *LAUNCHER],
            stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "suiro: cannot write to standard output: No space left on device\n"
    assert rules.exists() and plot.exists()
