# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of launchers: where the program is, and how variables reach ranks."""

from pathlib import Path

import pytest

from suiro.run.launchers import Launcher, program_index, programs, recognise, with_preload

OPENMPI = Launcher("/usr/bin/mpirun", "openmpi")
MPICH = Launcher("/usr/bin/mpiexec", "mpich")


def words_of(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize(
    ("mpi", "words", "program"),
    [
        ("openmpi", "-np 4 ./app -n 3", "./app"),
        ("openmpi", "--mca btl self,tcp --hostfile hosts --oversubscribe ./app", "./app"),
        ("openmpi", "-x A=1 --map-by node --tag-output ./app", "./app"),
        ("mpich", "-n 4 -genv A 1 -ppn 2 ./app -env x", "./app"),
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
    assert list(programs(OPENMPI, words_of("-n 1 ./a : -n 2 ./b x"))) == ["./a", "./b"]
    assert list(programs(OPENMPI, ["--version"])) == []
    assert list(programs(OPENMPI, ["-np"])) == []


def test_openmpi_forwards_by_name_in_every_part() -> None:
    words = with_preload(OPENMPI, words_of("-n 1 ./a : -n 1 ./b"), "/s.so", ["SUIRO_TOKEN"])
    start = "-x LD_PRELOAD=/s.so -x SUIRO_TOKEN"
    assert words == words_of(f"{start} -n 1 ./a : {start} -n 1 ./b")


def test_openmpi_joins_the_users_preload() -> None:
    words = with_preload(OPENMPI, words_of("-x LD_PRELOAD=/p.so -x FOO ./a"), "/s.so", [])
    assert words == words_of("-x LD_PRELOAD=/s.so:/p.so -x FOO ./a")


def test_hydra_gets_one_variable_and_hands_its_environment_on() -> None:
    words = with_preload(MPICH, words_of("-n 2 ./a : -n 1 ./b"), "/s.so", ["SUIRO_TOKEN"])
    assert words == words_of("-genv LD_PRELOAD /s.so -n 2 ./a : -n 1 ./b")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("-genvlist A,B", "-genvlist A,B,SUIRO_TOKEN"),
        ("-genvnone", "-genvlist SUIRO_TOKEN"),
        ("-envnone", "-envlist SUIRO_TOKEN"),
        ("-env LD_PRELOAD /p.so", "-env LD_PRELOAD /s.so:/p.so"),
    ],
)
def test_hydra_with_a_list_of_its_own(given: str, wanted: str) -> None:
    words = with_preload(MPICH, [*given.split(), "./a"], "/s.so", ["SUIRO_TOKEN"])
    assert words == ["-genv", "LD_PRELOAD", "/s.so", *wanted.split(), "./a"]


def test_arguments_of_the_program_stay() -> None:
    words = with_preload(MPICH, ["./a", "-genvnone", "-x", "LD_PRELOAD"], "/s.so", [])
    assert words[-4:] == ["./a", "-genvnone", "-x", "LD_PRELOAD"]
