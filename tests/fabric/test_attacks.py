# SPDX-License-Identifier: BSD-3-Clause
"""A job that is attacked while it runs: it is neither disturbed nor joined, and counts them."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lab_command import SUIRO as LAB_SUIRO
from lab_command import wait_until
from mpi_jobs import SUIRO, Mpi

HERE = Path(__file__).parent
SPECIFICATION = """
[hosts]
count = 3
ranks = 1
[link]
rate = "100M"
[switch]
model = "voq"
[tcp]
window = "256K"
"""
# The job begins when somebody listens to it, and is attacked from a host that it does not use.
SCRIPT = """
suiro-lab-rsh host1 "$PYTHON $ATTACK record $RECORD" &
until [ -e "${RECORD%.json}.ready" ]; do sleep 0.05; done
"$@" &
until [ -e "$RECORD" ]; do sleep 0.05; done
suiro-lab-rsh host2 "$PYTHON $ATTACK attack $RECORD" >"$RECORD.done.new"
mv "$RECORD.done.new" "$RECORD.done"
wait $!
"""
MESSAGES, BYTES = 400, 50_000


def counters(program: str) -> dict[str, Any]:
    """Of each process of the job, by its host."""
    done = subprocess.run(
        [*SUIRO, "top", "--json", "--once"], check=True, capture_output=True, text=True
    )
    processes = json.loads(done.stdout)["processes"]
    return {one["host"]: one["counters"] for one in processes if one["program"] == program}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_strangers_do_no_harm(tmp_path: Path) -> None:
    program = Mpi("openmpi", tmp_path).build(str(HERE / "outage.c"), name="victim")
    spec, record = tmp_path / "three.toml", tmp_path / "record.json"
    spec.write_text(SPECIFICATION)
    job = [*SUIRO, "run", "--transport", "suiro", "--", "mpirun.openmpi", "-n", "2"]
    words = [*job, "--map-by", "node", str(program), "alltoall", str(MESSAGES), str(BYTES)]
    words.append(str(tmp_path / "end"))
    variables = {"PYTHON": sys.executable, "ATTACK": str(HERE / "attack.py")}
    # Native's messages need not go over suiro's transport, which some releases cannot use rightly.
    variables |= {"SUIRO_ALLTOALL": "pairwise"}
    variables |= {"RECORD": str(record)}
    with subprocess.Popen(
        [*LAB_SUIRO, "lab", "run", str(spec), "--", "sh", "-c", SCRIPT, "sh", *words],
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            done = Path(f"{record}.done")
            wait_until(lambda: done.exists() or process.poll() is not None)
            counted = counters(program.name)
            (tmp_path / "end").touch()
            out, error = process.communicate(timeout=60)
        finally:
            process.terminate()
    assert (process.returncode, error) == (0, "")
    arrivals = [float(line.split()[1]) for line in out.splitlines() if line.startswith("at ")]
    assert len(arrivals) >= MESSAGES
    tried = json.loads(done.read_text())
    assert tried["believed"] == 0
    assert {"host0", "host1"} == set(counted), "the job ended before it was asked"
    attacked = counted[f"host{int(tried['address'].split('.')[-1]) - 1}"]
    assert attacked["refused_streams"] >= tried["strangers"]
    assert sum(one["refused_streams"] for one in counted.values()) >= (
        tried["strangers"] + tried["wrong_secrets"]
    )
    assert {one["peers_connected"] for one in counted.values()} == {1}
    # Nobody waits for a stranger's answer; a busy machine may pause for seconds.
    assert max(after - before for before, after in pairwise(arrivals)) < 10
