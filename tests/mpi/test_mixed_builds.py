# SPDX-License-Identifier: BSD-3-Clause
"""Files of two builds in one job or in one folder: named in one line, and native runs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from mpi_jobs import SUIRO, Mpi, execute

from suiro import native

OTHER = "0123456789abcdef"


def of_another_build(file: Path, folder: Path) -> Path:
    """A copy that says of itself that it is from another build, or from before builds had ids."""
    copy = folder / file.parent.name / file.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    id_of_all = native.build_of(file).encode()
    copy.write_bytes(file.read_bytes().replace(id_of_all, OTHER.encode()))
    copy.chmod(0o755)
    return copy


def test_every_file_is_of_one_build() -> None:
    files = native.files()
    assert len(files) >= 15
    assert len({native.build_of(file) for file in files}) == 1
    assert re.fullmatch(r"[0-9a-f]{16}", native.build_of(files[0]))
    said = subprocess.run([*SUIRO, "--version"], capture_output=True, text=True, check=True).stdout
    assert f"build {native.build_of(files[0])} in " in said
    assert "serves Open MPI 4.1 and 5 (libsuiro-openmpi.so)" in said
    assert "mixed" not in said


def test_a_mixed_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("openmpi", "mpich", "fi"):
        (tmp_path / "lib").mkdir(exist_ok=True)
        shutil.copy(native.library(f"libsuiro-{name}.so"), tmp_path / "lib")
    of_another_build(native.library("libsuiro-mpich.so"), tmp_path)
    monkeypatch.setenv("SUIRO_NATIVE_DIR", str(tmp_path))
    for command in ("--version", "doctor"):
        said = subprocess.run([*SUIRO, command], capture_output=True, text=True, timeout=60).stdout
        assert f"libsuiro-mpich.so is of build {OTHER}, and others of " in " ".join(said.split())


@pytest.mark.parametrize("mix", ["another build on the second node", "an older one on a rank"])
def test_ranks_of_two_builds_run_natively(mpi: Mpi, tmp_path: Path, mix: str) -> None:
    ours = native.library(f"libsuiro-{mpi.tools.library}.so")
    other = of_another_build(ours, tmp_path)
    if mix.startswith("an older"):
        other.write_bytes(other.read_bytes().replace(OTHER.encode(), b"\0" * len(OTHER)))
    ranks = "-ge 2" if mix.startswith("another") else "= 3"
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(
        "#!/bin/sh\n"
        f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" {ranks} ] &&\n'
        f'  export LD_PRELOAD=$(echo "$LD_PRELOAD" | sed s,{ours},{other},)\n'
        'exec "$@"\n'
    )
    wrapper.chmod(0o755)
    program = str(mpi.build("endings.c", name="plain"))
    outcome = mpi.run([str(wrapper), program, "finish"], SUIRO_ALLTOALL="ring")
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    assert len(outcome.said()) == 1
    assert "the library on" in outcome.said()[0]
    assert outcome.said()[0].endswith("; all ranks use native collectives")


def test_a_folder_that_cannot_be_preloaded(mpi: Mpi, tmp_path: Path) -> None:
    folder = tmp_path / "a blank"
    ours = native.library(f"libsuiro-{mpi.tools.library}.so")
    of_another_build(ours, folder)
    program = str(mpi.build("endings.c", name="plain"))
    words = [*SUIRO, "run", "--", *mpi.launcher(2), program, "finish"]
    outcome = execute(words, SUIRO_NATIVE_DIR=str(folder))
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    said = "has a blank or a colon: install suiro elsewhere; the command runs unchanged"
    assert said in outcome.said()[0]
