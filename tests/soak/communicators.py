# SPDX-License-Identifier: BSD-3-Clause
"""What communicators cost that are made, used and freed by the thousand, without suiro and with it.

    ./dev run .venv/bin/python tests/soak/communicators.py --mpi openmpi,mpich

In the lab 4x4-bridge, by turns; prints microseconds per communicator, of both the median, and the
ratio with its 95 % interval. Exit code 1 if a job ended wrongly.
"""

import argparse
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import result_file

from suiro.bench.statistics import ratio_with_interval
from suiro.provenance import now

HERE = Path(__file__).parent
# What is done with each: (title, communicators, calls on each, bytes of a broadcast, alive at once)
CASES = [
    ("made and freed", 4000, 0, 1, 1),
    ("with a broadcast of 8 bytes", 4000, 1, 8, 1),
    ("with a broadcast of 1 MiB", 200, 1, 1 << 20, 1),
    ("with 20 broadcasts of 1 MiB", 60, 20, 1 << 20, 1),
    ("1,500 alive, each with a broadcast of 1 MiB", 1500, 1, 1 << 20, 1500),
]
PATIENCE_S = 900


def times(lab: str, mpi: str, program: Path, case: tuple[int, ...], turns: int) -> list[float]:
    """Microseconds, alone and with suiro by turns."""
    words = " ".join([shlex.quote(str(program)), *map(str, case)])
    script = (
        f"for turn in $(seq {turns}); do for word in '' 'suiro run --'; do "
        f"$word $SUIRO_LAB_MPIRUN {words} || exit 1; done; done"
    )
    command = ["suiro", "lab", "run", lab, "--mpi", mpi, "--", "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode != 0:
        sys.exit(f"{mpi}, {case}: {done.stdout}{done.stderr}")
    return [float(word) for word in done.stdout.split()]


def row(mpi: str, title: str, both: list[float]) -> dict[str, Any]:
    """Of microseconds, alone and with suiro by turns."""
    alone, ours = both[::2], both[1::2]
    ratio, interval = ratio_with_interval(ours, alone)
    middle = [statistics.median(side) for side in (alone, ours)]
    print(
        f"{mpi:8} {title:45} {middle[0]:9.1f} {middle[1]:9.1f} us  {ratio:.2f} "
        f"[{interval[0]:.2f}, {interval[1]:.2f}]",
        flush=True,
    )
    return {
        "mpi": mpi,
        "case": title,
        "alone_s": middle[0] / 1e6,
        "suiro_s": middle[1] / 1e6,
        "ratio": ratio,
        "ratio_interval": interval,
        "turns": len(alone),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lab", default="4x4-bridge")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--turns", type=int, default=7)
    result_file.add_option(parser)
    arguments = parser.parse_args()
    began, mpis, rows = now(), arguments.mpi.split(","), []
    with tempfile.TemporaryDirectory() as folder:
        for mpi in mpis:
            program = Path(folder, f"communicators-{mpi}")
            source = HERE / "communicators.c"
            subprocess.run([f"mpicc.{mpi}", "-O1", "-o", program, source], check=True)
            for title, *case in CASES:
                both = times(arguments.lab, mpi, program, tuple(case), arguments.turns)
                rows.append(row(mpi, title, both))
    result_file.write(arguments.json, began, {"rows": rows}, mpis=mpis, lab=arguments.lab)


if __name__ == "__main__":
    main()
