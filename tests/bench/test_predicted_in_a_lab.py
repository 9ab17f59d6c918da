# SPDX-License-Identifier: BSD-3-Clause
"""What the model chooses runs in a job, on all ranks, and delivers what native does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces: run it as root"),
]

LAB = """
[hosts]
count = 4
ranks = 2
[link]
rate = "100M"
[switch]
model = "voq"
"""
# One of these begins a reason, after what that says of the size.
KINDS = ("predicted", "forced", "rule", "ignorance")


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_every_choice_says_why(mpi: str, tmp_path: Path) -> None:
    program, spec = tmp_path / "cases", tmp_path / "small.toml"
    source = Path(__file__).with_name("predicted.c")
    subprocess.run([f"mpicc.{mpi}", "-o", program, source], check=True)
    spec.write_text(LAB)
    suiro = str(Path(sys.executable).parent / "suiro")
    job = f"{suiro} run --check --explain=json -- $SUIRO_LAB_MPIRUN {program}"
    command = [suiro, "lab", "run", str(spec), "--mpi", mpi, "--", "sh", "-c", job]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stderr[done.stderr.index('{\n "collectives"') :])["collectives"]
    assert all(any(f"{kind}: " in row["reason"] for kind in KINDS) for row in rows)
    (large,) = [row for row in rows if row["collective"] == "scan" and row["bytes"][0] >= 65536]
    assert large["algorithm"] == "linear" and "times as fast as" in large["reason"]
