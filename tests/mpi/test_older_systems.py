# SPDX-License-Identifier: BSD-3-Clause
"""The libraries by themselves: on systems as old as RHEL 8, without Python, without `suiro run`,
and with a module file."""

import re
import subprocess
from pathlib import Path

import pytest
from mpi_jobs import SUIRO, Mpi, execute

from suiro.native import library

LIBRARIES = ["openmpi", "mpich", "mpi_abi"]
NATIVE = library("libsuiro-openmpi.so").parents[1]
SHIPPED = sorted(
    f"{file.parent.name}/{file.name}"
    for pattern in ("bin/suiro-*", "lib/libsuiro-*.so")
    for file in NATIVE.glob(pattern)
)
GLIBC_OF_RHEL_8 = (2, 28)
RING = {"SUIRO_ALLTOALL": "ring", "SUIRO_ALLTOALLV": "ring"}


def _say(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", SHIPPED)
def test_file_needs_no_symbol_younger_than_rhel_8(name: str) -> None:
    table = _say("objdump", "-T", str(NATIVE / name))
    needed = re.findall(r"\*UND\*.*\((\w+?)_([\d.]+)\)\s+(\S+)", table)
    assert needed
    assert {owner for owner, _, _ in needed} == {"GLIBC"}
    young = [
        f"{symbol} of {version}"
        for _, version, symbol in needed
        if tuple(map(int, version.split("."))) > GLIBC_OF_RHEL_8
    ]
    assert not young, "define them in src/compat/older_glibc.c or src/compat/older_threads.c"


@pytest.mark.parametrize("name", SHIPPED)
def test_file_is_not_packed_in_a_younger_way(name: str) -> None:
    """Relative relocations and the like, which an older dynamic linker does not know."""
    dynamic = _say("readelf", "-d", str(NATIVE / name))
    assert "RELR" not in dynamic
    versions = _say("readelf", "-V", str(NATIVE / name))
    assert "GLIBC_ABI" not in versions


def _variable(mpi: Mpi, name: str, value: str) -> list[str]:
    """How a launcher hands a variable to ranks."""
    if mpi.tools.library == "openmpi":
        return ["-x", f"{name}={value}"]
    return ["-genv", name, value]


def test_one_line_is_enough(every_mpi: Mpi) -> None:
    """Preloaded by the launcher's own option, and with nothing on the ranks' PATH."""
    preload = str(library(f"libsuiro-{every_mpi.tools.library}.so"))
    options = [
        *_variable(every_mpi, "LD_PRELOAD", preload),
        *_variable(every_mpi, "PATH", "/nowhere"),
    ]
    program = str(every_mpi.build("endings.c", name="plain"))
    outcome = execute(
        [*every_mpi.launcher(4), *options, program, "hints"], SUIRO_ALTOALL="ring", **RING
    )
    assert outcome.code == 0, outcome.err
    unknown, wrong = outcome.said()
    assert unknown.endswith('there is no variable SUIRO_ALTOALL; did you mean "SUIRO_ALLTOALL"?')
    assert 'unknown algorithm "no_such_thing"' in wrong, "the library tells it"


def test_ranks_need_no_python(mpi: Mpi) -> None:
    program = str(mpi.build("endings.c", name="plain"))
    words = [*mpi.launcher(4), *_variable(mpi, "PATH", "/nowhere"), program, "finish"]
    outcome = execute([*SUIRO, "run", "--explain=json", "--", *words], **RING)
    assert (outcome.code, outcome.said()) == (0, [])
    assert {row["algorithm"] for row in outcome.explained()} == {"ring"}


def test_the_module_file_names_what_was_installed(tmp_path: Path) -> None:
    build = library("libsuiro-openmpi.so").parents[1]
    subprocess.run(
        ["cmake", "--install", str(build), "--prefix", str(tmp_path)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    script = (
        f". /usr/share/modules/init/sh; module use {tmp_path}/share/modulefiles; "
        "module load suiro; "
        'echo "$SUIRO_PRELOAD_OPENMPI $SUIRO_PRELOAD_MPICH $SUIRO_PRELOAD_MPI_ABI"; '
        "command -v suiro-schedule"
    )
    *preloads, tool = _say("sh", "-c", script).split()
    assert preloads == [f"{tmp_path}/lib/libsuiro-{name}.so" for name in LIBRARIES]
    assert all(Path(path).is_file() for path in preloads)
    assert tool == f"{tmp_path}/bin/suiro-schedule"
