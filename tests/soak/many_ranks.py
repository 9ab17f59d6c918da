# SPDX-License-Identifier: BSD-3-Clause
"""Real jobs of as many ranks as this machine can run, in labs of a bridge.

    ./dev run .venv/bin/python tests/soak/many_ranks.py 16x16 4x64 --mpi openmpi,mpich

Under `suiro run --check` every collective must be right. Then a program that only begins and ends
is started by turns without suiro and with it: prints both medians, and their ratio with its 95 %
interval. Exit code 1 if anything was wrong.
"""

import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import result_file

from suiro.bench.statistics import ratio_with_interval
from suiro.provenance import now

HERE = Path(__file__).parent
COMPILERS = {"openmpi": "mpicc.openmpi", "mpich": "mpicc.mpich"}
PATIENCE_S = 900


def lab_of(shape: str, folder: Path) -> Path:
    hosts, _, ranks = shape.partition("x")
    path = folder / f"{shape}-bridge.toml"
    path.write_text(
        f"[hosts]\ncount = {int(hosts)}\nranks = {int(ranks)}\n"
        '[link]\nrate = "10G"\nmtu = 1500\n[switch]\nmodel = "bridge"\n[tcp]\nwindow = "6M"\n'
    )
    return path


def program_of(mpi: str, folder: Path) -> Path:
    program = folder / f"every_collective-{mpi}"
    source = HERE / "every_collective.c"
    subprocess.run([COMPILERS[mpi], "-O1", "-o", program, source], check=True)
    return program


def in_lab(lab: Path, mpi: str, script: str) -> subprocess.CompletedProcess[str]:
    words = ["suiro", "lab", "run", lab, "--mpi", mpi, "--", "sh", "-c", script]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def check(lab: Path, mpi: str, program: Path, calls: int) -> dict[str, Any]:
    """Whether every collective is right, how many calls ran by suiro's algorithms and were compared
    with native's, and how long that took."""
    began = time.monotonic()
    quoted = shlex.quote(str(program))
    script = f"suiro run --check --explain -- $SUIRO_LAB_MPIRUN {quoted} {calls}"
    done = in_lab(lab, mpi, script)
    print(done.stdout, done.stderr, sep="", end="")
    right = done.returncode == 0 and ": 0 wrong" in done.stdout
    took = time.monotonic() - began
    print(
        f"{lab.stem} {mpi}: {'right' if right else 'WRONG'}, {took:.0f} s with the lab", flush=True
    )
    compared = re.search(r"check: (\d+) calls", done.stderr)
    return {"right": right, "compared": int(compared[1]) if compared else 0, "check_s": took}


def starts(lab: Path, mpi: str, program: Path, turns: int) -> dict[str, Any]:
    """The commands take turns inside one lab, and the first turn is not counted. Without numbers
    where a job ended wrongly."""
    bare = f"$SUIRO_LAB_MPIRUN {shlex.quote(str(program))} 0 > /dev/null"
    timed = (
        f"for turn in $(seq {turns + 1}); do for word in '' 'suiro run --'; do "
        f"a=$(date +%s%N); $word {bare} || exit 1; b=$(date +%s%N); echo $((b - a)); done; done"
    )
    done = in_lab(lab, mpi, timed)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="", end="")
        return {}
    found = turns_of([int(word) / 1e9 for word in done.stdout.split()][2:])
    low, high = found["ratio_interval"]
    print(
        f"{lab.stem} {mpi}: start to end {found['alone_s']:.2f} s alone, {found['suiro_s']:.2f} s "
        f"with suiro: {found['ratio']:.2f} times [{low:.2f}, {high:.2f}]",
        flush=True,
    )
    return found


def turns_of(both: list[float]) -> dict[str, Any]:
    """Of seconds, alone and with suiro by turns."""
    alone, ours = both[::2], both[1::2]
    ratio, interval = ratio_with_interval(ours, alone)
    return {
        "alone_s": statistics.median(alone),
        "suiro_s": statistics.median(ours),
        "ratio": ratio,
        "ratio_interval": interval,
        "turns": len(alone),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shapes", nargs="+", metavar="HOSTSxRANKS")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--calls", type=int, default=2, help="of each collective and size")
    parser.add_argument("--turns", type=int, default=7, help="in which starts are timed")
    result_file.add_option(parser)
    arguments = parser.parse_args()
    began, mpis, rows = now(), arguments.mpi.split(","), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for mpi in mpis:
            program = program_of(mpi, folder)
            for shape in arguments.shapes:
                lab = lab_of(shape, folder)
                row = {"shape": shape, "mpi": mpi, "calls": arguments.calls}
                row |= check(lab, mpi, program, arguments.calls)
                rows.append(row | starts(lab, mpi, program, arguments.turns))
    result_file.write(arguments.json, began, {"rows": rows}, mpis=mpis)
    sys.exit(0 if all(row["right"] and "ratio" in row for row in rows) else 1)


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()
