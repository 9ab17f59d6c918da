# SPDX-License-Identifier: BSD-3-Clause
"""suiro's own MPI programs: which one a launcher starts, and which MPI that then finds."""

from pathlib import Path

import pytest

from suiro.bench.launcher import started
from suiro.bench.transports import TRANSPORTS, compare, parse_transports
from suiro.bench.workloads import parse_kernels
from suiro.errors import UsageError

WHEELS = Path(__file__).parents[2] / "build" / "mpi"


def launcher(folder: Path, says: str, library: str = "") -> list[str]:
    """Of an MPI that has a folder of its own."""
    program = folder / "bin" / "mpirun"
    for directory in (program.parent, folder / "lib"):
        directory.mkdir()
    if library:
        (folder / "lib" / library).touch()
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    return [str(program), "-n", "4"]


@pytest.mark.parametrize(
    ("mpi", "says", "library", "program", "forwarded"),
    [
        ("mpich", "HYDRA Version: 5.0.2", "libmpi_abi.so.1", "suiro-bench-mpi_abi", []),
        ("mpich", "HYDRA Version: 4.0.2", "libmpich.so.12", "suiro-bench-mpich", []),
        (
            "openmpi",
            "mpirun (Open MPI) 5.0.11",
            "libmpi.so.40",
            "suiro-bench-openmpi",
            ["-x", "LD_LIBRARY_PATH"],
        ),
    ],
)
def test_the_launchers_own_library_is_found(
    mpi: str,
    says: str,
    library: str,
    program: str,
    forwarded: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/theirs")
    prefix = launcher(tmp_path, says, library)
    words, variables = started(prefix, mpi, "bench")
    assert words[:-1] == [prefix[0], *forwarded, *prefix[1:]]
    assert Path(words[-1]).name == program
    assert variables == {"LD_LIBRARY_PATH": f"{tmp_path / 'lib'}:/theirs"}


def test_a_library_of_the_system_is_found_without(tmp_path: Path) -> None:
    prefix = launcher(tmp_path, "mpirun (Open MPI) 4.1.4")
    words, variables = started(prefix, "openmpi", "kernels")
    assert (words[:-1], variables) == (prefix, {})


def test_another_mpich_is_refused(tmp_path: Path) -> None:
    """Rather than measuring the system's."""
    prefix = launcher(tmp_path, "HYDRA Version: 4.1.2", "libmpi.so.12")
    with pytest.raises(UsageError, match="run under MPICH 5 and Debian's MPICH, and find no other"):
        started(prefix, "mpich", "bench")


def test_scripts_are_not_asked(tmp_path: Path) -> None:
    """They may do anything."""
    script, trace = tmp_path / "start.sh", tmp_path / "trace"
    script.write_text(f"#!/bin/sh\ntouch {trace}\n")
    script.chmod(0o755)
    words, variables = started([str(script)], "mpich5", "kernels")
    assert (Path(words[-1]).name, variables) == ("suiro-kernels-mpi_abi", {})
    assert not trace.exists()


@pytest.mark.parametrize(
    ("mpi", "program", "others"),
    [
        ("openmpi5", "openmpi/bin/mpirun", ["--oversubscribe", "--allow-run-as-root"]),
        ("mpich5", "mpich/bin/mpiexec", []),
    ],
)
def test_transports_of_other_mpis(mpi: str, program: str, others: list[str]) -> None:
    """With the real ones, beside those of the system."""
    (kernel,) = parse_kernels("pingpong", [100], calls=1)
    compared = compare(
        kernel,
        mpi=mpi,
        prefix=[str(WHEELS / program), *others, "-n", "2"],
        transports=parse_transports(mpi, list(TRANSPORTS[mpi])),
        jobs=1,
    )
    assert [row.transport for row in compared.rows] == list(TRANSPORTS[mpi])
