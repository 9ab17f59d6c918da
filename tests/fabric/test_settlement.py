# SPDX-License-Identifier: BSD-3-Clause
"""What carries an MPI's messages is settled where the ranks run: all use the provider, or none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from mpi_jobs import SUIRO, Mpi, Outcome, execute

from suiro.native import build_of, library

HERE = Path(__file__).parent
OWN = "; messages go over the MPI's own transport"
BUT_COLLECTIVES = f"{OWN}, but for those of suiro's collectives"
ON_RANK_1 = """#!/bin/sh
if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then
  %s
fi
exec "$@"
"""

Run = Callable[..., Outcome]


@pytest.fixture
def differing(mpi: Mpi, tmp_path: Path) -> Run:
    """Runs a job whose rank 1 does something else first."""

    def run(command: str) -> Outcome:
        wrapper = tmp_path / "wrapper.sh"
        wrapper.write_text(ON_RANK_1 % command)
        wrapper.chmod(0o755)
        words = [str(wrapper), str(mpi.build("endings.c", name="plain"))]
        return mpi.run([*words, "finish"], "--transport", "suiro", ranks=2)

    return run


def elsewhere(mpi: Mpi, folder: Path) -> str:
    """Has rank 1 load the library from a folder of its own."""
    ours = library(f"libsuiro-{mpi.tools.library}.so")
    (folder / ours.name).symlink_to(ours)
    return f'export LD_PRELOAD=$(echo "$LD_PRELOAD" | sed s,{ours},{folder}/{ours.name},)'


def ran_alike(outcome: Outcome) -> str:
    """What was said, once."""
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome
    (line,) = outcome.said()
    assert line.startswith("suiro: rank 1 on ")
    return line


def test_a_provider_that_is_missing_on_one_host(mpi: Mpi, differing: Run, tmp_path: Path) -> None:
    line = ran_alike(differing(elsewhere(mpi, tmp_path)))
    assert f"{tmp_path}/libsuiro-fi.so: cannot open shared object file" in line
    assert line.endswith(BUT_COLLECTIVES)


@pytest.mark.parametrize("mpi", ["openmpi5"], indirect=True)
def test_a_provider_of_another_build(mpi: Mpi, differing: Run, tmp_path: Path) -> None:
    ours = library("libsuiro-fi.so")
    other = ours.read_bytes().replace(build_of(ours).encode(), b"0" * 16)
    (tmp_path / ours.name).write_bytes(other)
    line = ran_alike(differing(elsewhere(mpi, tmp_path)))
    assert "libsuiro-fi.so is of another build than the library beside it" in line


@pytest.mark.parametrize("mpi", ["openmpi5"], indirect=True)
def test_a_host_without_a_network_that_fits(differing: Run) -> None:
    line = ran_alike(differing("export SUIRO_NETS=nowhere0"))
    assert "SUIRO_NETS=nowhere0 fits no interface" in line
    assert line.endswith(OWN)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)
def test_an_open_mpi_that_has_no_libfabric(differing: Run) -> None:
    """Here its part for libfabric cannot be read."""
    hidden = "for part in /usr/lib/*/openmpi/lib/openmpi3/mca_mtl_ofi.so; do"
    mount = f"{hidden} mount --bind /dev/null $part; done"
    line = ran_alike(differing(f'exec unshare -m sh -c \'{mount}; exec "$@"\' sh "$@"'))
    assert "this Open MPI cannot use libfabric: " in line


def test_what_a_job_spawns_uses_what_the_job_uses(mpi: Mpi) -> None:
    program = mpi.build("endings.c", name="plain")
    outcome = mpi.run([str(program), "spawn"], "--transport", "suiro", ranks=2)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])


RIGHT, WRONG = "2 3, 2 3 2 3", "0 1, 0 1 2 3"


def test_offsets_are_right(mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open MPI 4.1.4 is refused the transport."""
    monkeypatch.delenv("SUIRO_WRONG_OFFSETS")
    program = mpi.build(str(HERE / "offsets.c"))
    outcome = mpi.run(program, "--transport", "suiro", "--check", ranks=2)
    assert (outcome.code, outcome.out.strip()) == (0, RIGHT)
    said = [line for line in outcome.said() if "sends datatypes with an offset" in line]
    assert outcome.complaints() == said
    assert len(said) == (mpi.name == "openmpi")
    if said:
        assert mpi.run(program, "--transport", "suiro", "--strict", ranks=2).code == 3


@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)
def test_ranks_know_their_open_mpi(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Better than a launcher that does not tell its version."""
    monkeypatch.delenv("SUIRO_WRONG_OFFSETS")
    launcher = tmp_path / "mpirun"
    launcher.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && exec echo Open MPI\nexec {mpi.tools.launcher} "$@"\n'
    )
    launcher.chmod(0o755)
    program = str(mpi.build(str(HERE / "offsets.c")))
    job = [*SUIRO, "run", "--transport", "suiro", "--", str(launcher), "-n", "2", program]
    outcome = execute(job)
    assert (outcome.code, outcome.out.strip()) == (0, RIGHT)
    (line,) = outcome.said()
    assert ": Open MPI v4.1.4 sends datatypes with an offset from the wrong place" in line
    assert line.endswith(BUT_COLLECTIVES)


@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)
def test_check_finds_wrong_offsets(mpi: Mpi) -> None:
    program = mpi.build(str(HERE / "offsets.c"))
    outcome = mpi.run(program, "--transport", "suiro", "--check", ranks=2)
    assert (outcome.code, outcome.out.strip()) == (1, WRONG)
    (line,) = outcome.said()
    assert "check: MPI_Send_init on " in line
