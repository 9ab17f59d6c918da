# SPDX-License-Identifier: BSD-3-Clause
"""The MPIs, with one folder of built programs per test session."""

import os
import sys
import zlib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mpi_jobs import TOOLS, Mpi


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all workers."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = folder / "mpi_programs"
    made.mkdir(exist_ok=True)
    return made


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest, programs: Path) -> Mpi:
    return Mpi(str(request.param), programs)


@pytest.fixture
def an_mpi(request: pytest.FixtureRequest, programs: Path) -> Mpi:
    """One or the other, by the case's name: for many cases of what does not depend on the MPI."""
    return Mpi(["openmpi", "mpich"][zlib.crc32(request.node.name.encode()) % 2], programs)


@pytest.fixture(params=list(TOOLS))
def every_mpi(request: pytest.FixtureRequest, programs: Path) -> Mpi:
    return Mpi(str(request.param), programs)


@pytest.fixture
def openmpi(programs: Path) -> Mpi:
    return Mpi("openmpi", programs)
