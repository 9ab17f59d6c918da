# SPDX-License-Identifier: BSD-3-Clause
"""What only pictures need may be missing: jobs and answers do without."""

import subprocess
import sys
from pathlib import Path

import pytest

SUIRO = "import sys; sys.modules['matplotlib'] = None; from suiro.cli.main import main; main()"
SMALL = ["--nodes", "2", "--ppn", "2", "--rate", "1G", "--mpi", "openmpi-4.1"]


def without(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SUIRO, *words], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--", "true"],
        ["sim", "bcast", "--lab", "4x4-hol", "--sizes", "1K"],
        ["advise", "--collectives", "bcast", "--sizes", "8", *SMALL],
        ["algorithms"],
    ],
)
def test_answers_need_none(words: list[str]) -> None:
    assert without(*words).returncode == 0


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["advise", *SMALL, "--html"], "--html"),
        (["report", "--html"], "--html"),
        (["tune", "bcast", "--lab", "4x4-hol", "--plot"], "--plot"),
    ],
)
def test_pictures_say_what_they_need(words: list[str], option: str, tmp_path: Path) -> None:
    done = without(*words, str(tmp_path / "picture.svg"))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"suiro: {option}: pictures need matplotlib, which ")
    assert done.stderr.count("\n") == 1
