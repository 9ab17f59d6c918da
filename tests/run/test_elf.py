# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI a program uses."""

import subprocess
from pathlib import Path

import pytest

from suiro.run.elf import Kind, examine

MAIN = "int MPI_Init(int*, char***); int main(void) { return MPI_Init(0, 0); }\n"


def compiled(folder: Path, text: str, *command: str) -> Path:
    source = folder / "main.c"
    source.write_text(text)
    subprocess.run([*command, "-o", str(folder / "main"), str(source)], check=True)
    return folder / "main"


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_mpi_programs(mpi: str, tmp_path: Path) -> None:
    assert examine(compiled(tmp_path, MAIN, f"mpicc.{mpi}")).kind == Kind(mpi)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("libmpi.so.40", Kind.OPENMPI),
        ("libmpi.so.12", Kind.MPICH),
        ("libmpi_abi.so.1", Kind.MPI_ABI),
        ("libmpi.so.20", Kind.OTHER_MPI),
        ("libmpi_abi.so.2", Kind.OTHER_MPI),
        ("libmpi_cray.so.12", Kind.OTHER_MPI),
    ],
)
def test_libraries_by_their_names(name: str, kind: Kind, tmp_path: Path) -> None:
    library = tmp_path / name
    subprocess.run(
        ["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-x", "c", "-", "-o", str(library)],
        input="int MPI_Init(int* a, char*** b) { return !a + !b; }\n",
        text=True,
        check=True,
    )
    link = ["-Wl,--no-as-needed", f"-Wl,-rpath,{tmp_path}", str(library)]
    program = compiled(tmp_path, MAIN, "cc", *link)
    assert examine(program).kind is kind
    library.unlink()
    assert examine(program).kind is (Kind.UNKNOWN if kind is Kind.OTHER_MPI else kind)


def test_mpi_behind_another_library(tmp_path: Path) -> None:
    library = tmp_path / "libinner.so"
    subprocess.run(
        ["mpicc.mpich", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)],
        input="int MPI_Init(int*, char***); int inner(void) { return MPI_Init(0, 0); }\n",
        text=True,
        check=True,
    )
    text = "int inner(void); int main(void) { return inner(); }\n"
    source = tmp_path / "main.c"
    source.write_text(text)
    target = tmp_path / "main"
    link = ["-L", str(tmp_path), "-linner", f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["cc", str(source), "-o", str(target), *link], check=True)
    assert examine(target).kind is Kind.MPICH


@pytest.mark.parametrize("options", [[], ["-static"]])
def test_mpi_inside_the_program(options: list[str], tmp_path: Path) -> None:
    text = "int PMPI_Init(int* a, char*** b) { return !a + !b; }\nint main(void) { return 0; }\n"
    assert examine(compiled(tmp_path, text, "cc", *options)).kind is Kind.STATIC_MPI


def test_neither_here_nor_there(tmp_path: Path) -> None:
    plain = "int main(void) { return 0; }\n"
    assert examine(compiled(tmp_path, plain, "cc")).kind is Kind.NOT_MPI
    assert examine(Path("/bin/sh").resolve()).kind is Kind.UNKNOWN
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert examine(script).kind is Kind.UNKNOWN
    assert examine(tmp_path / "nothing").kind is Kind.UNKNOWN


def test_damaged_files(tmp_path: Path) -> None:
    whole = compiled(tmp_path, "int main(void) { return 0; }\n", "cc").read_bytes()
    damaged = tmp_path / "damaged"
    for length in (4, 5, 20, 54, 60, 64, 100, 700):
        damaged.write_bytes(whole[:length])
        assert examine(damaged).kind in (Kind.UNKNOWN, Kind.NOT_MPI)
    damaged.write_bytes(b"\x7fELF" + b"\xff" * 200)
    assert examine(damaged).kind in (Kind.UNKNOWN, Kind.NOT_MPI)
