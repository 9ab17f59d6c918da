# SPDX-License-Identifier: BSD-3-Clause
"""What a short program of equal calls pays for trials, and what it has of them.

    ./dev run .venv/bin/python tests/soak/equal_calls.py 4x4-bridge --json FILE

A program makes 120 calls of one kind: alone and with suiro by turns, several times, in one lab.
Nothing is known from earlier jobs. Prints for each kind of call

    total   time of all calls over that of the MPI alone, and its lowest and highest
    end     median of the last quarter over the MPI's own
    late    how much longer the longest call is than the MPI's longest
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import result_file
from wrong_model import ALIKE, HERE, end_of

from suiro.provenance import now

KEYS = (
    "bcast:65536", "allgather:16384", "alltoall:8192", "reduce:65536", "allreduce:65536",
    "allreduce:8",
)  # fmt: skip
PATIENCE_S = 1800


def words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("lab")
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--calls", type=int, default=120)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--keys", default=",".join(KEYS))
    result_file.add_option(parser)
    return parser.parse_args()


def script(program: Path, keys: list[str], calls: int, turns: int) -> Iterator[str]:
    for _ in range(turns):
        for key in keys:
            job = f"$SUIRO_LAB_MPIRUN {program} {calls} {key}"
            yield job
            yield f"{ALIKE} suiro run --no-store -- {job}"


def row_of(key: str, alone: list[list[float]], with_suiro: list[list[float]]) -> dict[str, Any]:
    """Of jobs that took turns: seconds of each call of each job."""
    pairs = list(zip(alone, with_suiro, strict=True))
    totals = sorted(sum(ours) / sum(native) for native, ours in pairs)
    return {
        "key": key,
        "alone_s": median(map(median, alone)),
        "total": median(totals),
        "totals": [totals[0], totals[-1]],
        "end": median(end_of(ours) / end_of(native) for native, ours in pairs),
        "late_s": median(map(max, with_suiro)) - median(map(max, alone)),
    }


def main() -> None:
    arguments = words()
    began = now()
    keys = arguments.keys.split(",")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "keys")
        compiler = f"mpicc.{arguments.mpi}"
        subprocess.run([compiler, "-O1", "-o", program, HERE / "keys.c"], check=True)
        lines = "\n".join(script(program, keys, arguments.calls, arguments.turns))
        lab = ["suiro", "lab", "run", arguments.lab, "--mpi", arguments.mpi, "--"]
        done = subprocess.run(
            [*lab, "sh", "-ec", lines], capture_output=True, text=True, timeout=PATIENCE_S
        )
    if done.returncode != 0:
        sys.exit(done.stderr)
    jobs = [[float(word) for word in line.split()] for line in done.stdout.splitlines() if line]
    rows = []
    for number, key in enumerate(keys):
        first, step = 2 * number, 2 * len(keys)
        row = row_of(key, jobs[first::step], jobs[first + 1 :: step])
        rows.append(row)
        low, high = row["totals"]
        print(f"{key:16} {1e3 * row['alone_s']:8.2f} ms  total {row['total']:.2f} "
              f"[{low:.2f}, {high:.2f}]  end {row['end']:.2f}  "
              f"late {1e3 * row['late_s']:.1f} ms", flush=True)  # fmt: skip
    result_file.write(
        arguments.json, began, {"calls": arguments.calls, "rows": rows},
        mpis=[arguments.mpi], lab=arguments.lab,
    )  # fmt: skip


if __name__ == "__main__":
    main()
