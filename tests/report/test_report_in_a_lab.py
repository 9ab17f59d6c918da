# SPDX-License-Identifier: BSD-3-Clause
"""What tune, bench and run write is what the report reads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from small_lab import LAB, SUIRO

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces: run it as root"),
]

PROGRAM = """
from mpi4py import MPI
data = bytearray(5000)
for call in range(3):
    MPI.COMM_WORLD.Bcast(data, root=1)
"""
# In one lab, since a lab takes longer to make than any of these.
SCRIPT = """
suiro tune bcast --sizes 4000,64K --budget 4s --json > /dev/null &&
suiro bench allreduce --sizes 64K --repeat 5 --algorithms native,ring --json > bench.json &&
suiro run --trace trace.jsonl -- $SUIRO_LAB_MPIRUN /usr/bin/python3 program.py
"""


def test_what_others_write_is_read(tmp_path: Path) -> None:
    lab, store = tmp_path / "small.toml", tmp_path / "store"
    lab.write_text(LAB)
    (tmp_path / "program.py").write_text(PROGRAM)
    bin_folder = Path(sys.executable).parent
    environment = os.environ | {
        "SUIRO_STORE": str(store),
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
    }

    def suiro(*arguments: str) -> str:
        done = subprocess.run(
            [*SUIRO, *arguments], cwd=tmp_path, env=environment, text=True, timeout=240,
            capture_output=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    suiro("lab", "run", str(lab), "--mpi", "openmpi", "--", "sh", "-c", SCRIPT)
    inputs = ["--store", "bench.json", "trace.jsonl", "--lab", str(lab)]
    document = json.loads(suiro("report", *inputs, "--json", "--html", "page.html"))
    assert document["left_out"] == [] and document["remarks"] == []
    benched, traced = document["groups"][-2:]
    (tuned,) = document["groups"][:-2]
    assert tuned["setting"]["node_of_rank"] == [0, 0, 1, 1]
    assert tuned["setting"]["place"] == benched["setting"]["place"] == "small"
    assert tuned["prediction_median_error"] is not None
    assert {row["bytes"] for row in tuned["rows"]} >= {4000}
    assert {row["algorithm"] for row in benched["rows"]} >= {"native", "ring"}
    (row,) = (row for row in traced["rows"] if row["bytes"] == 4096)
    assert traced["setting"]["collective"] == "bcast" and traced["setting"]["ranks"] == 4
    assert row["calls"] == 3 and row["spent_s"] > 0
    assert (tmp_path / "page.html").read_text().count("<svg") >= 3
