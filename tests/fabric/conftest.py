# SPDX-License-Identifier: BSD-3-Clause
"""The MPIs that can load the provider, with one folder of built programs per test session."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "mpi"))
sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from mpi_jobs import Mpi


@pytest.fixture(autouse=True)
def wrong_offsets_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open MPI 4.1.4 uses the transport, too: only what is tested about this sends such types."""
    monkeypatch.setenv("SUIRO_WRONG_OFFSETS", "accept")


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fabric")


@pytest.fixture(params=["openmpi", "openmpi5", "mpich5"])
def mpi(request: pytest.FixtureRequest, programs: Path) -> Mpi:
    return Mpi(str(request.param), programs)


@pytest.fixture
def mpich(programs: Path) -> Mpi:
    return Mpi("mpich", programs)
