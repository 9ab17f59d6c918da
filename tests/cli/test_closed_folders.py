# SPDX-License-Identifier: BSD-3-Clause
"""What the system refuses is told in a line, with the file and an exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from suiro.output import exit_code_of

SUIRO = str(Path(sys.executable).parent / "suiro")
# Root reads everything, unless it gives up the rights to.
WITHOUT_RIGHTS = (
    ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0)
    return folder


def refused(words: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*WITHOUT_RIGHTS, SUIRO, *words],
        env=os.environ | {"SUIRO_NO_STORE": "1"} | more,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--rules", "FILE", "--", "true"],
        ["sim", "bcast", "--lab", "4x4-hol", "--sizes", "1K", "--export", "simgrid", "FILE"],
        ["lab", "run", "FILE", "--", "true"],
        ["lab", "up", "FILE"],
        ["tune", "bcast", "--lab", "FILE"],
    ],
)
def test_files_that_may_not_be_read(words: list[str], closed: Path) -> None:
    file = str(closed / "file")
    done = refused([file if word == "FILE" else word for word in words])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"suiro: {file}: Permission denied\n"


def test_native_files_that_may_not_be_looked_for(closed: Path) -> None:
    done = refused(["doctor"], SUIRO_NATIVE_DIR=str(closed))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"suiro: {closed}/") and "Permission denied" in done.stderr


def test_a_program_that_may_not_be_looked_at(closed: Path) -> None:
    look = f"from suiro.doctor import job; print(job._privileged('{closed}/program'))"
    done = subprocess.run([*WITHOUT_RIGHTS, sys.executable, "-c", look], capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"[]\n")


def test_a_disk_that_is_full_is_no_wrong_word() -> None:
    assert exit_code_of(OSError(28, "No space left on device", "/file")) == 1
    assert exit_code_of(FileNotFoundError(2, "No such file or directory", "/file")) == 2
    assert exit_code_of(FileNotFoundError(2, "No such file or directory")) == 1


def test_nothing_to_predict_is_told() -> None:
    scene = ["--nodes", "2", "--ppn", "2", "--sizes", "1K", "--mpi", "openmpi-4.1"]
    done = refused(["sim", "gatherv", *scene, "--algorithm", "native"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(
        "native has no row at 1 KiB: only the root knows sizes: the MPI's own runs\n"
    )
