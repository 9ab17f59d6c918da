# SPDX-License-Identifier: BSD-3-Clause
"""The probe on real devices: one try per model; 20 of each are in docs/probe.md."""

import json
import os
import shlex
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.lab,
    pytest.mark.timing,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces: run it as root"),
]

SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]


def suiro(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*SUIRO, *arguments], text=True, capture_output=True, timeout=40)


@pytest.mark.parametrize(
    ("lab", "kind"),
    [
        ("4x4-hol", "head_of_line"),
        ("4x4-pause", "pause"),
        ("4x4-shared", "drop"),
        ("4x4-voq", "virtual_output_queues"),
    ],
)
def test_tells_the_model(lab: str, kind: str) -> None:
    done = suiro("probe", "--switch", "--lab", lab, "--mpi", "openmpi", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["finding"]["kind"] == kind
    assert document["machine"]["lab"] == lab
    assert document["cost"]["ppn"] == 4
    assert "filling the links of 4 hosts" in done.stderr


def test_two_hosts_are_not_enough() -> None:
    done = suiro("probe", "--switch", "--lab", "2x1-voq")
    assert done.returncode == 1
    assert "it takes 4 hosts" in done.stdout


def test_all_processes_on_one_host() -> None:
    inside = shlex.join([*SUIRO, "probe", "--switch", "--", "mpirun.openmpi", "-np", "2"])
    done = suiro("lab", "run", "4x4-voq", "--mpi", "openmpi", "--", "sh", "-c", inside)
    assert done.returncode == 2
    assert "started all processes on host0: the probe needs 4 hosts" in done.stderr
