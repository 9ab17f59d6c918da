# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of launchers: whose they are, and where the program is."""

from pathlib import Path

import pytest

from suiro.run.launchers import Launcher, commands, program_index, recognise

OPENMPI = Launcher("/usr/bin/mpirun", "openmpi")


@pytest.mark.parametrize(
    ("mpi", "words", "program"),
    [
        ("openmpi", "-np 4 ./app -n 3", "./app"),
        ("openmpi", "--mca btl self,tcp --hostfile hosts --oversubscribe ./app", "./app"),
        ("openmpi", "-x A=1 --map-by node --tag-output ./app", "./app"),
        ("mpich", "-n 4 -genv A 1 -ppn 2 ./app -env x", "./app"),
        ("mpich", "-genv A=1 -n 4 -env B=2 ./app -env x", "./app"),
        ("openmpi", "--prtemca a 1 --pmixmca b 2 --display map --rtos x --np 2 ./app", "./app"),
        ("mpich", "-f hosts -bind-to none -prepend-rank ./app", "./app"),
        ("mpich", "-perhost 1 -gtool x:0 -rankmap (block) -nolocal -n 2 ./app", "./app"),
    ],
)
def test_program_comes_after_the_options(mpi: str, words: str, program: str) -> None:
    part = words.split()
    assert part[program_index(mpi, part)] == program


@pytest.mark.parametrize(
    ("name", "says", "known"),
    [
        ("mpirun", "mpirun (Open MPI) 4.1.4", ("openmpi", "Open MPI", "4.1.4", 4)),
        ("mpirun", "mpirun (Open MPI) 5.0.11", ("openmpi", "Open MPI", "5.0.11", 5)),
        ("orterun", "orterun (OpenRTE) 4.1.4", ("openmpi", "Open MPI", "4.1.4", 4)),
        ("mpirun", "mpirun (Open MPI) 6rc1", ("openmpi", "Open MPI", "6rc1", 6)),
        ("prterun", "prterun (PRRTE) 3.0.14", ("openmpi", "Open MPI", "", 0)),
        ("mpiexec", "HYDRA build details:", ("mpich", "MPICH", "", 0)),
        ("mpiexec", "HYDRA build details:\n    Version:   5.0.2", ("mpich", "MPICH", "5.0.2", 5)),
        (
            "mpiexec.hydra",
            "Intel(R) MPI Library for Linux* OS, Version 2021.19.0",
            ("mpich", "Intel MPI", "2021.19.0", 2021),
        ),
        ("mpiexec", "Strange MPI", None),
        ("mpirun_rsh", "Version: mvapich2-2.3.7", None),
    ],
)
def test_launchers_say_whose_they_are(
    name: str, says: str, known: tuple[str, str, str, int] | None, tmp_path: Path
) -> None:
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    it = recognise(str(program))
    assert (it and (it.mpi, it.product, it.version, it.major)) == known


def test_several_programs_and_none() -> None:
    both = list(commands(OPENMPI, ["-n", "1", "./a", ":", "-n", "2", "./b", "x"]))
    assert both == [["./a"], ["./b", "x"]]
    assert list(commands(OPENMPI, ["--version"])) == []
    assert list(commands(OPENMPI, ["-np"])) == []
