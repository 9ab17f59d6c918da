# SPDX-License-Identifier: BSD-3-Clause
"""`--transport suiro`: what ranks are told, by name, and when it is not possible."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from suiro.run import launchers, transport
from suiro.run.elf import Kind, Program
from suiro.run.launchers import Launcher


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test sets is taken back."""
    monkeypatch.setattr(os, "environ", os.environ.copy())


@pytest.mark.usefixtures("environment")
def test_ranks_get_the_secret_by_its_name() -> None:
    assert transport.variables_for_ranks() == set()
    os.environ["SUIRO_NETS"] = "lo"
    assert transport.choose()
    secret = os.environ["SUIRO_JOB_SECRET"]
    assert len(bytes.fromhex(secret)) == 32
    names = transport.variables_for_ranks()
    assert {"SUIRO_JOB_SECRET", "SUIRO_NETS", "FI_PROVIDER_PATH", "FI_PROVIDER"} <= names
    assert not any(name.startswith("OMPI_") for name in names), "Open MPI hands them on itself"
    assert "OMPI_MCA_pml" in transport.variables_under_slurm()
    words = launchers.with_preload(
        Launcher("mpirun", "openmpi"), ["-n", "2", "app"], "library", sorted(names)
    )
    assert words[words.index("SUIRO_JOB_SECRET") - 1] == "-x"
    assert not any(secret in word for word in words)


@pytest.mark.usefixtures("environment")
def test_what_the_user_has_set_stays_where_it_may() -> None:
    os.environ |= {"SUIRO_NETS": "lo", "I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"}
    assert transport.choose()
    assert os.environ["I_MPI_FABRICS"] == "ofi"
    assert os.environ["FI_PROVIDER"] == "suiro"
    assert os.environ["MPIR_CVAR_CH4_OFI_ENABLE_RMA"] == "0"
    names = transport.variables_for_ranks()
    assert {"I_MPI_FABRICS", "MPIR_CVAR_CH4_OFI_ENABLE_RMA"} <= names <= set(os.environ)


@pytest.mark.usefixtures("environment")
def test_a_library_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUIRO_NATIVE_DIR", str(tmp_path))
    assert not transport.choose()
    assert not transport.chosen()
    said = capsys.readouterr().err
    assert said.startswith("suiro: libsuiro-fi.so is not in ")
    assert said.endswith("; messages go over the MPI's own transport\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libsuiro-fi.so").write_text("no library")
    assert not transport.choose()
    assert "too short; messages go over" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("SUIRO_NET", "carrier_pigeon", "SUIRO_NET=carrier_pigeon: expected auto"),
        ("SUIRO_NETS", "nowhere0", "nowhere0"),
    ],
)
@pytest.mark.usefixtures("environment")
def test_the_provider_tells_what_does_not_fit(name: str, value: str, reason: str) -> None:
    """In a process of its own, since the provider looks once."""
    asked = [sys.executable, "-m", "suiro.run.transport"]
    answer = subprocess.run(
        asked, env=os.environ | {name: value}, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1
    (line,) = answer.stderr.splitlines()
    assert line.startswith("suiro: ")
    assert reason in line
    assert line.endswith("; suiro's transport is not used")


def test_an_mpich_without_libfabric(monkeypatch: pytest.MonkeyPatch) -> None:
    without = Program(Path("/app"), Kind.MPICH, "libmpich.so.12")
    having = Program(Path("/app"), Kind.MPICH, "libmpi.so.12", loads_providers=True)
    unknown = Program(Path("/python"), Kind.UNKNOWN)
    ucx = Launcher("/mpiexec", "mpich", loads_providers=False)
    monkeypatch.setenv("SUIRO_COLLECTIVES", "")  # to have it restored
    monkeypatch.delenv("SUIRO_COLLECTIVES")
    assert transport.obstacle([without], ucx) == ""
    monkeypatch.setenv("SUIRO_TRANSPORT", "suiro")
    assert transport.obstacle([having], ucx) == ""
    assert "SUIRO_COLLECTIVES" not in transport.variables_for_ranks()
    assert transport.obstacle([without], ucx) == "app uses an MPICH without libfabric"
    assert os.environ["SUIRO_COLLECTIVES"] == "net"
    assert "SUIRO_COLLECTIVES" in transport.variables_for_ranks()
    assert transport.obstacle([having], ucx) == ""
    assert transport.obstacle([unknown], ucx).startswith("/mpiexec starts programs of an MPICH")
    assert transport.obstacle([unknown], Launcher("/mpirun", "openmpi")) == ""


@pytest.mark.parametrize(
    ("device", "loads"),
    [("ch4:ucx", False), ("ch3:nemesis", False), ("ch4:ofi", True), ("ch4:ucx,ofi", True)],
)
def test_launchers_tell_how_their_mpi_was_made(device: str, loads: bool, tmp_path: Path) -> None:
    program = tmp_path / "mpiexec"
    program.write_text(f"#!/bin/sh\necho \"HYDRA '--with-device={device}' 'CC=gcc'\"\n")
    program.chmod(0o755)
    launcher = launchers.recognise(str(program))
    assert launcher is not None
    assert launcher.loads_providers is loads
