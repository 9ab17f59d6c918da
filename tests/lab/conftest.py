# SPDX-License-Identifier: BSD-3-Clause
"""Labs are tested from outside, through the command, as a user has them."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_command import SUIRO, Suiro

from suiro.errors import MachineError
from suiro.lab import cpu_groups

HELLO = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char host[64];
  static double sent[1024], received[1024];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Alltoall(sent, 1, MPI_DOUBLE, received, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  gethostname(host, sizeof host);
  printf("rank %d on %s\\n", rank, host);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture
def suiro() -> Suiro:
    def call(*arguments: str, **options: object) -> "subprocess.CompletedProcess[str]":
        settings = {"text": True, "capture_output": True, "timeout": 40, **options}
        try:
            return subprocess.run([*SUIRO, *arguments], **settings)  # type: ignore[call-overload]
        except subprocess.TimeoutExpired as expired:
            expired.add_note(processes())
            raise

    return call


def processes() -> str:
    """What hangs, and where in the kernel it waits."""
    columns = "pid,ppid,stat,wchan:24,args"
    return subprocess.run(["ps", "-eo", columns], text=True, capture_output=True).stdout


@pytest.fixture(scope="session")
def hello(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds a program for an MPI in which all ranks talk to all and say where they are."""

    def build(mpi: str) -> Path:
        compiler = shutil.which(f"mpicc.{mpi}")
        if compiler is None:
            pytest.skip(f"no mpicc.{mpi} here")
        folder = tmp_path_factory.mktemp(mpi)
        (folder / "hello.c").write_text(HELLO)
        subprocess.run([compiler, "hello.c", "-o", "hello"], cwd=folder, check=True)
        return folder / "hello"

    return build


@pytest.fixture
def needs_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")


@pytest.fixture
def needs_cpu_groups() -> None:
    """Machines without them, such as some containers, cannot make hosts slow."""
    name = f"probe-{os.getpid()}"
    try:
        group = cpu_groups.create(name, {"host0": 0.5})
    except MachineError as error:
        pytest.skip(str(error))
    cpu_groups.remove(group)
