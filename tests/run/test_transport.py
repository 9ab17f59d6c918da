# SPDX-License-Identifier: BSD-3-Clause
"""`--transport suiro`: what ranks are told, by name, and when it is not possible."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from suiro.run import launchers, transport
from suiro.run.command import prepare
from suiro.run.elf import Kind, Program
from suiro.run.launchers import Launcher


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test sets is taken back."""
    monkeypatch.setattr(os, "environ", os.environ.copy())


@pytest.mark.usefixtures("environment")
def test_ranks_get_the_secret_by_its_name() -> None:
    """And nothing that an MPI understands: it is told once all ranks have agreed."""
    os.environ |= {"SUIRO_NETS": "lo", "FI_PROVIDER": "tcp", "SUIRO_WRONG_OFFSETS": "accept"}
    before = dict(os.environ)
    assert transport.choose()
    assert set(os.environ) - set(before) == {"SUIRO_TRANSPORT", "SUIRO_JOB_SECRET"}
    assert os.environ["FI_PROVIDER"] == "tcp"
    secret = os.environ["SUIRO_JOB_SECRET"]
    assert len(bytes.fromhex(secret)) == 32
    words = prepare(["mpirun.openmpi", "-n", "2", "sh"], None).words
    assert not any(secret in word for word in words)
    for name in ("SUIRO_JOB_SECRET", "SUIRO_NETS", "SUIRO_TRANSPORT", "SUIRO_WRONG_OFFSETS"):
        assert words[words.index(name) - 1] == "-x"


@pytest.mark.parametrize(
    ("mpi", "version", "wrong"),
    [
        ("openmpi", "4.0.7", True),
        ("openmpi", "4.1.5", True),
        ("openmpi", "4.1.6", False),
        ("openmpi", "4.1.10rc1", False),
        ("openmpi", "5.0.0", False),
        ("openmpi", "", False),  # the ranks know
        ("mpich", "4.0.2", False),
    ],
)
@pytest.mark.usefixtures("environment")
def test_an_open_mpi_with_wrong_offsets(mpi: str, version: str, wrong: bool) -> None:
    launcher = Launcher("/mpirun", mpi, product="Open MPI", version=version)
    os.environ.pop("SUIRO_COLLECTIVES", None)
    os.environ["SUIRO_TRANSPORT"] = "suiro"
    told = transport.obstacle([], launcher)
    assert told.startswith(f"Open MPI {version} sends datatypes with an offset") is wrong
    assert transport.chosen() is not wrong
    assert os.environ.get("SUIRO_COLLECTIVES") == ("net" if wrong else None)
    os.environ |= {"SUIRO_WRONG_OFFSETS": "accept", "SUIRO_TRANSPORT": "suiro"}
    assert transport.obstacle([], launcher) == ""


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
        ("SUIRO_NET_RAILS", "one", "SUIRO_NET_RAILS=one: expected balanced, static or"),
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


@pytest.mark.usefixtures("environment")
def test_an_mpich_without_libfabric() -> None:
    without = Program(Path("/app"), Kind.MPICH, "libmpich.so.12")
    having = Program(Path("/app"), Kind.MPICH, "libmpi.so.12", loads_providers=True)
    unknown = Program(Path("/python"), Kind.UNKNOWN)
    ucx = Launcher("/mpiexec", "mpich", loads_providers=False)
    os.environ.pop("SUIRO_COLLECTIVES", None)
    assert transport.obstacle([without], ucx) == ""
    os.environ["SUIRO_TRANSPORT"] = "suiro"
    assert transport.obstacle([having], ucx) == ""
    assert "SUIRO_COLLECTIVES" not in os.environ
    assert transport.obstacle([without], ucx) == "app uses an MPICH without libfabric"
    assert os.environ["SUIRO_COLLECTIVES"] == "net"
    os.environ["SUIRO_TRANSPORT"] = "suiro"
    assert transport.obstacle([unknown], ucx).startswith("/mpiexec starts programs of an MPICH")
    os.environ["SUIRO_TRANSPORT"] = "suiro"
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
