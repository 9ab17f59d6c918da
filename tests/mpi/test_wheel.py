# SPDX-License-Identifier: BSD-3-Clause
"""The wheel of `./dev wheel`, in an environment of its own: command and libraries are its own."""

import fcntl
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from mpi_jobs import Mpi, execute

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made without a network: the libraries that the wheel needs are those of the tests' own
    environment, in which suiro itself is only a link to the checkout that is not followed here."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python3"), "install"]
    with (ROOT / "build" / "wheel.lock").open("w") as lock:  # another process may make it, too
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = [ROOT / "dev", "wheel"]
        made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        wheel = made.stdout.split()[-1]
        assert wheel.endswith("-py3-none-manylinux_2_28_x86_64.whl")
        subprocess.run([*pip, "-q", "--no-index", "--no-deps", ROOT / wheel], check=True)
    (site,) = folder.glob("lib/python3.*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_the_command_finds_its_own_libraries(environment: Path) -> None:
    command = [environment / "bin" / "suiro", "--version"]
    said = subprocess.run(command, env={}, capture_output=True, text=True, check=True).stdout
    assert f"{environment}/lib" in said
    assert "serves Open MPI" in said


def test_a_job_runs_with_it(mpi: Mpi, environment: Path) -> None:
    program = str(mpi.build("endings.c", name="plain"))
    command = [str(environment / "bin" / "suiro"), "run", "--explain=json", "--"]
    words = ["env", "-u", "SUIRO_NATIVE_DIR", *command, *mpi.launcher(4), program, "finish"]
    outcome = execute(words, SUIRO_ALLTOALL="ring")
    assert (outcome.code, outcome.said()) == (0, [])
    assert {row["algorithm"] for row in outcome.explained("alltoall")} == {"ring"}
