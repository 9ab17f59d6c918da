# SPDX-License-Identifier: BSD-3-Clause
"""Real jobs of as many ranks as this machine can run, in labs of a bridge.

    ./dev run .venv/bin/python tests/soak/many_ranks.py 16x16 4x64 --mpi openmpi,mpich

Under `suiro run --check` every collective must be right. Then a program that only begins and ends
is started by turns without suiro and with it: prints both medians, which of the two is longer by
how much, and the least and the most of the turns' ratios. Exit code 1 if anything was wrong.
"""

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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


def check(lab: Path, mpi: str, program: Path, calls: int) -> bool:
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
    return right


def starts(lab: Path, mpi: str, program: Path, turns: int) -> bool:
    """The commands take turns inside one lab, and the first turn is not counted."""
    bare = f"$SUIRO_LAB_MPIRUN {shlex.quote(str(program))} 0 > /dev/null"
    timed = (
        f"for turn in $(seq {turns + 1}); do for word in '' 'suiro run --'; do "
        f"a=$(date +%s%N); $word {bare} || exit 1; b=$(date +%s%N); echo $((b - a)); done; done"
    )
    done = in_lab(lab, mpi, timed)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="", end="")
        return False
    seconds = [int(word) / 1e9 for word in done.stdout.split()][2:]
    native, ours = seconds[::2], seconds[1::2]
    ratios = [b / a for a, b in zip(native, ours, strict=True)]
    middle = [statistics.median(side) for side in (native, ours)]
    print(
        f"{lab.stem} {mpi}: start to end {middle[0]:.2f} s alone, {middle[1]:.2f} s with suiro: "
        f"{middle[1] / middle[0]:.2f} times ({min(ratios):.2f} to {max(ratios):.2f})",
        flush=True,
    )
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shapes", nargs="+", metavar="HOSTSxRANKS")
    parser.add_argument("--mpi", default="openmpi,mpich")
    parser.add_argument("--calls", type=int, default=2, help="of each collective and size")
    parser.add_argument("--turns", type=int, default=5, help="in which starts are timed")
    arguments = parser.parse_args()
    all_right = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for mpi in arguments.mpi.split(","):
            program = program_of(mpi, folder)
            for shape in arguments.shapes:
                lab = lab_of(shape, folder)
                all_right &= check(lab, mpi, program, arguments.calls)
                all_right &= starts(lab, mpi, program, arguments.turns)
    sys.exit(0 if all_right else 1)


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()
