# SPDX-License-Identifier: BSD-3-Clause
"""From the user's command to what is started, where Slurm starts it."""

from pathlib import Path

import pytest

from suiro.run.command import prepare


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Slurm's commands and a script, found by their names; libraries of nothing."""
    for name in ("srun", "sbatch", "script"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libsuiro-mpich.so").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("SUIRO_NATIVE_DIR", str(tmp_path))
    monkeypatch.setenv("SUIRO_ALLTOALL", "ring")
    monkeypatch.setenv("SUIRO_EXSCAN", "linear")
    monkeypatch.delenv("SUIRO_NO_STORE")
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    return tmp_path


def test_srun_gets_what_its_ranks_need(folder: Path) -> None:
    plan = prepare(["srun", "-n", "2", "--export=NONE", "script"], "mpich")
    export = "--export=LD_PRELOAD,SUIRO_ALLTOALL,SUIRO_EXSCAN,SUIRO_JOB,SUIRO_TOKEN"
    assert plan.words == ["srun", export, "-n", "2", "script"]
    assert plan.variables == {"LD_PRELOAD": str(folder / "lib" / "libsuiro-mpich.so")}
    assert plan.obstacle == ""


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["sbatch", "script"], "write `suiro run --` before srun in the job's script"),
        (["srun", "--mpi=list"], "srun names no program here"),
        (["srun", "-n", "2", "script"], "it cannot be told which MPI script will use: give --mpi"),
        (["srun", "-n", "2", "script", ":", "true"], "true is not an MPI program"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_commands_that_stay_as_they_are(words: list[str], reason: str) -> None:
    plan = prepare(words, None)
    assert plan.words == words
    assert reason in plan.obstacle
