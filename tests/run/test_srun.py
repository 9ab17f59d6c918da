# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of srun: where the programs are, and how variables reach ranks."""

from pathlib import Path

import pytest

from suiro.run.srun import commands, with_preload


@pytest.mark.parametrize(
    "words",
    [
        "-n 16 ./app -n 3",
        "-n16 -lv --mpi=pmi2 ./app",
        "-lN 4 --ntasks 16 --exclusive ./app",
        "--ntasks 16 --job-n x --kill-on-bad-exit=1 -K ./app --export=NONE",
        "--pty -I5 -k -- ./app",
    ],
)
def test_program_comes_after_the_options(words: str) -> None:
    assert [command[0] for command in commands(words.split())] == ["./app"]


def test_several_programs_and_none(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    tasks.write_text("# who does what\n0 ./first x\n1-3 ./second \\\n  %t\n\n")
    both = commands(["-n4", "--multi-prog", str(tasks)])
    assert both == [["./first", "x"], ["./second", "%t"]]
    assert commands(["-n4", "--multi-prog", str(tmp_path / "none")]) == []
    assert commands(["-n1", "./a", ":", "-n2", "./b", "x"]) == [["./a"], ["./b", "x"]]
    assert commands(["--mpi=list"]) == []
    assert commands(["-n"]) == []


@pytest.mark.parametrize(
    ("given", "environment", "export"),
    [
        ("", {}, "ALL"),
        ("--export=ALL,A=1,'B=2,3'", {}, "ALL,A=1,'B=2,3'"),
        ("--export NONE", {}, "LD_PRELOAD,SUIRO_TOKEN"),
        ("--export=NIL", {}, "LD_PRELOAD,SUIRO_TOKEN"),
        ("--exp=A=1,B", {}, "A=1,B,LD_PRELOAD,SUIRO_TOKEN"),
        ("--export=A --export=B", {}, "B,LD_PRELOAD,SUIRO_TOKEN"),
        ("", {"SLURM_EXPORT_ENV": "NONE"}, "LD_PRELOAD,SUIRO_TOKEN"),
        ("", {"SLURM_EXPORT_ENV": "NONE", "SRUN_EXPORT_ENV": "A"}, "A,LD_PRELOAD,SUIRO_TOKEN"),
        ("--export=ALL", {"SLURM_EXPORT_ENV": "NONE"}, "ALL"),
    ],
)
def test_what_ranks_get(given: str, environment: dict[str, str], export: str) -> None:
    words = [*given.split(), "-n", "2", "./a", "--export=NONE"]
    changed, preload = with_preload(words, environment, "/s.so", ["SUIRO_TOKEN"])
    assert changed == [f"--export={export}", "-n", "2", "./a", "--export=NONE"]
    assert preload == "/s.so"


@pytest.mark.parametrize(
    ("export", "wanted"),
    [
        ("ALL", "/s.so:/e.so"),
        ("A,LD_PRELOAD", "/s.so:/e.so"),
        ("A,LD_PRELOAD=/p.so", "/s.so:/p.so"),
        ("A", "/s.so"),
        ("NONE", "/s.so"),
    ],
)
def test_the_users_preload_goes_where_it_would(export: str, wanted: str) -> None:
    words = [f"--export={export}", "./a"]
    assert with_preload(words, {"LD_PRELOAD": "/e.so"}, "/s.so", [])[1] == wanted


def test_every_preload_of_the_user_stays() -> None:
    words = ["--export=ALL,LD_PRELOAD=/p.so", "./a", ":", "--export=LD_PRELOAD=/q.so", "./b"]
    changed, preload = with_preload(words, {"LD_PRELOAD": "/e.so /f.so"}, "/s.so", [])
    assert changed == ["--export=ALL", "./a", ":", "--export=LD_PRELOAD", "./b"]
    assert preload == "/s.so:/e.so:/f.so:/p.so:/q.so"
