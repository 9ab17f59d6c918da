# SPDX-License-Identifier: BSD-3-Clause
"""Wrong command lines are one line each, and nothing is started for them."""

import subprocess
import sys

import pytest

SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to probe: --switch, --sites, or both"),
        (["--sites", "--ppn", "2"], "--ppn is for --switch: leave it out"),
        (["--switch", "--svg", "x.svg"], "--svg is for --sites: leave it out"),
        (["--switch", "--sites", "--write-cluster", __file__], "exists already: give another"),
        (["--sites", "--write-cluster", __file__], "exists already: give another name"),
        (["--switch"], "no launcher: add --lab SPEC, or your launcher after --"),
        (["--switch", "--mpi", "lam"], "--mpi lam: expected openmpi or mpich"),
        (["--switch", "--lab", "4x4-hol", "--", "mpirun"], "--lab brings its own launcher"),
        (["--switch", "--write-cluster", __file__], "exists already: give another name"),
        (["--switch", "--lab", "absent"], "no lab spec absent"),
        (["--switch", "--", "absent"], 'launcher "absent" is not on the PATH'),
    ],
)
def test_wrong_command_lines(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUIRO_LAB_MPIRUN", raising=False)
    done = subprocess.run([*SUIRO, "probe", *arguments], text=True, capture_output=True)
    assert done.returncode == 2
    assert done.stderr.startswith("suiro: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
