# SPDX-License-Identifier: BSD-3-Clause
"""The MPIs, with one folder of built programs per test session."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mpi_jobs import TOOLS, Mpi


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mpi")


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest, programs: Path) -> Mpi:
    return Mpi(str(request.param), programs)


@pytest.fixture(params=list(TOOLS))
def every_mpi(request: pytest.FixtureRequest, programs: Path) -> Mpi:
    return Mpi(str(request.param), programs)


@pytest.fixture
def openmpi(programs: Path) -> Mpi:
    return Mpi("openmpi", programs)
