# SPDX-License-Identifier: BSD-3-Clause
"""`suiro top` and a real job: its ranks answer while they run, and leave nothing behind."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "mpi"))

import pytest
from mpi_jobs import ENVIRONMENT, SUIRO, Mpi

from small_lab import LAB

HERE = Path(__file__).parent
SECONDS_MAX = 30
PROGRAM = "exchange.openmpi"


def ask(environment: dict[str, str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*SUIRO, "top", "--json", "--once"], env=environment, capture_output=True, check=True
    )
    # Root sees everybody's jobs.
    return [one for one in json.loads(done.stdout)["processes"] if one["program"] == PROGRAM]


def wait_for_messages(environment: dict[str, str]) -> list[dict[str, Any]]:
    until = time.monotonic() + SECONDS_MAX
    while time.monotonic() < until:
        found = ask(environment)
        if len(found) == 2 and all(one["counters"]["bulk_bytes_sent"] for one in found):
            return found
    raise AssertionError("two ranks never told of messages")


def test_ranks_answer_while_they_run(tmp_path: Path) -> None:
    mpi = Mpi("openmpi", tmp_path)
    end = tmp_path / "end"
    program = [str(mpi.build(str(HERE / "exchange.c"))), str(end)]
    command = [*SUIRO, "run", "--transport", "suiro", "--explain", "--"]
    environment = os.environ | ENVIRONMENT | {"XDG_RUNTIME_DIR": str(tmp_path)}
    environment["SUIRO_WRONG_OFFSETS"] = "accept"  # Open MPI 4.1.4 uses the transport, too
    with subprocess.Popen(
        [*command, *mpi.launcher(2), *program], env=environment, stderr=subprocess.PIPE, text=True
    ) as job:
        try:
            found = wait_for_messages(environment)
        finally:
            end.touch()
            said = job.communicate(timeout=SECONDS_MAX)[1]
    assert job.returncode == 0, said
    assert [one["rank"] for one in found] == [0, 1]
    for one in found:
        assert one["counters"]["refused_streams"] == 0, "of a job that nobody attacks"
        memory = one["rails"][-1]
        assert memory["name"] == "shared memory"
        assert memory["sent_bytes"] >= one["counters"]["bulk_bytes_sent"]
    assert said.count("suiro: transport of rank 0 on") == 1
    assert "suiro: transport of rank 1" not in said
    assert list((tmp_path / "suiro").iterdir()) == []


# Asks until both ranks have told of messages, then ends the job. Root sees jobs of others, too.
SCRIPT = """
"$PYTHON" -m suiro run --transport suiro -- mpirun.openmpi -np 2 --map-by node "$1" "$END" &
while kill -0 $!; do
  "$PYTHON" -m suiro top --json --once -- mpirun.openmpi -np 2 --map-by node >"$SEEN"
  [ "$(grep -o '"program": "asked' "$SEEN" | wc -l)" -lt 2 ] || break
  sleep 0.5
done
touch "$END"
wait $!
"""


@pytest.mark.lab
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_all_nodes_are_asked_through_the_launcher(tmp_path: Path) -> None:
    spec, seen = tmp_path / "small.toml", tmp_path / "seen.json"
    spec.write_text(LAB)
    program = Mpi("openmpi", tmp_path).build(str(HERE / "exchange.c"), name="asked")
    variables = {"PYTHON": sys.executable, "END": str(tmp_path / "end"), "SEEN": str(seen)}
    variables["SUIRO_WRONG_OFFSETS"] = "accept"
    words = ["lab", "run", str(spec), "--mpi", "openmpi", "--", "sh", "-c", SCRIPT, "sh"]
    done = subprocess.run(
        [*SUIRO, *words, str(program)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    processes = json.loads(seen.read_text())["processes"]
    found = [one for one in processes if one["program"] == "asked.openmpi"]
    assert [(one["rank"], one["host"]) for one in found] == [(0, "host0"), (1, "host1")]
    assert [one["counters"]["refused_streams"] for one in found] == [0, 0], "nobody attacks it"
