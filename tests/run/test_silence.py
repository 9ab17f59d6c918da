# SPDX-License-Identifier: BSD-3-Clause
"""What is said when no rank reported is so."""

from pathlib import Path

import pytest

from suiro.run.command import Plan
from suiro.run.silence import told


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("LD_PRELOAD=/p.so exec ./a", "LD_PRELOAD="),
        ("unset LD_PRELOAD\nexec ./a", "unset LD_PRELOAD"),
        ("exec env -u LD_PRELOAD ./a", "-u LD_PRELOAD"),
        ("exec env -i ./a", "env -i"),
        ('LD_PRELOAD=/p.so:$LD_PRELOAD exec ./a; B="LD_PRELOAD=x:${LD_PRELOAD}"', ""),
        ("# LD_PRELOAD=/p.so\nexec /usr/bin/mpirun ./a", ""),
    ],
)
def test_what_takes_the_library_out(text: str, found: str, tmp_path: Path) -> None:
    script = tmp_path / "wrap.sh"
    script.write_text(f"#!/bin/sh\n{text}\n")
    plan = Plan(["mpirun", str(script)], preload="/s/libsuiro-mpich.so", commands=[[str(script)]])
    line = told(plan, called=True)
    assert "no process called MPI_Init that has libsuiro-mpich.so and reaches this host" in line
    assert ("line 2 of wrap.sh has `" in line) == bool(found)
    assert found in line


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/opt/openmpi/bin/mpirun -n 2 ./a", "`/opt/openmpi/bin/mpirun`"),
        ("'$MPI/bin/mpiexec.hydra' -n 2 ./a", "`$MPI/bin/mpiexec.hydra`"),
        ("module load openmpi; mpirun -n 2 ./a", "`module load`"),
        ("PATH=/opt/bin:$PATH mpirun -n 2 ./a", "`PATH=`"),
        ("LD_PRELOAD=/p.so ls", ""),
    ],
)
def test_what_passes_by(text: str, found: str) -> None:
    plan = Plan(["sh"], starts_launchers=True, commands=[["sh", "-c", text]])
    line = told(plan, called=False)
    assert line.startswith("no rank reported: the command called none of MPI's launchers by its")
    assert found in line
    assert ("line 1 of the command" in line) == bool(found)


def test_a_program_that_there_is_not_is_the_cause() -> None:
    plan = Plan(
        ["mpirun"], preload="/s.so", commands=[["./none", "x"], ["env", "A=1", "./nor"], ["sh"]]
    )
    assert told(plan, called=True) == (
        "no rank reported, and on this machine there is no ./none and no ./nor"
    )


def test_a_program_that_may_not_be_looked_at_is_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    plan = Plan(["mpirun"], commands=[["/closed/program"]])
    assert told(plan, called=True) == (
        "no rank reported, and on this machine there is no /closed/program (Permission denied)"
    )
