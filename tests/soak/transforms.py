# SPDX-License-Identifier: BSD-3-Clause
"""What 2-Level Ring gains over Ring in programs that are made of all-to-alls (paper A, table 3).

    ./dev run .venv/bin/python tests/soak/transforms.py --lab 4x4-hol

A Fourier transform of FFTW (examples/fftw_transform.c) has the place of NPB's FT, the integer sort
of suiro-kernels, which communicates only, that of IS; each in two classes. Both algorithms are
forced by turns inside one lab. Prints seconds of one transform there and back, or of one sort, of
these in all-to-all, and the ratios with their 95 % intervals. Exit code 1 if a job ended wrongly.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import result_file

from suiro.bench.statistics import ratio_with_interval
from suiro.native import example, tool
from suiro.provenance import now

ALGORITHMS = ("ring", "two_level_ring")
SORTS = 3  # of a job
TRANSFORMS = 3
PATIENCE_S = 900
# What a program prints, and how many of its units a job has, the sort's first being a warm-up.
FT_SECONDS = re.compile(r": (\d+\.\d+) s there and back")
IS_SECONDS = re.compile(r'"kernel", "seconds": (\d+\.\d+)')


def cases(mpi: str, folder: Path) -> list[tuple[str, str, list[str], int]]:
    transform = folder / "fftw_transform"
    source = example("fftw_transform.c")
    libraries = ["-lfftw3_mpi", "-lfftw3", "-lm"]
    subprocess.run([f"mpicc.{mpi}", "-O2", source, "-o", transform, *libraries], check=True)
    sort = str(tool(f"suiro-kernels-{mpi}"))
    transforms = [
        ("FT", f"{size} x {size}", [str(transform), str(size), str(TRANSFORMS)], TRANSFORMS)
        for size in (1024, 2048)
    ]
    sorts = [
        ("IS", f"{kib} KiB to each", [sort, "is", str(kib << 10), str(SORTS)], SORTS + 1)
        for kib in (64, 256)
    ]
    return transforms + sorts


def run(lab: str, mpi: str, words: list[str], turns: int) -> list[tuple[str, float, float]]:
    """Algorithm, seconds of one unit, and how many of a whole job are in all-to-all."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        jobs = " ".join(
            f"suiro run --no-store --explain=json --force alltoall={one} --force alltoallv={one}"
            f" -- $SUIRO_LAB_MPIRUN {' '.join(words)}"
            f" > {out}/$turn.{one} 2> {out}/$turn.{one}.told || exit 1;"
            for one in ALGORITHMS
        )
        script = f"for turn in $(seq {turns}); do {jobs} done"
        command = ["suiro", "lab", "run", lab, "--mpi", mpi, "--", "sh", "-c", script]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        if done.returncode != 0:
            sys.exit(f"{words}: {done.stdout}{done.stderr}")
        for turn in range(1, turns + 1):
            for one in ALGORITHMS:
                printed = (out / f"{turn}.{one}").read_text()
                seconds = [float(word) for word in (FT_SECONDS.findall(printed) or
                                                    IS_SECONDS.findall(printed))]  # fmt: skip
                told = (out / f"{turn}.{one}.told").read_text()
                document = told[told.index('{\n "collectives"') : told.rindex("}") + 1]
                rows = json.loads(document)["collectives"]
                exchanging = sum(
                    row["calls"] * row["median_s"]
                    for row in rows
                    if row["collective"] in ("alltoall", "alltoallv")
                )
                found.append((one, statistics.median(seconds), exchanging))
    return found


def row(
    case: tuple[str, str, list[str], int], found: list[tuple[str, float, float]]
) -> dict[str, Any]:
    kernel, size, _, units = case
    times = {one: [seconds for name, seconds, _ in found if name == one] for one in ALGORITHMS}
    parts = {
        one: statistics.median(all_s / units for name, _, all_s in found if name == one)
        for one in ALGORITHMS
    }
    ratio, interval = ratio_with_interval(*(times[one] for one in ALGORITHMS))
    medians = {one: statistics.median(times[one]) for one in ALGORITHMS}
    print(
        f"{kernel} {size:16} ring {medians['ring']:.3f} s, of these {parts['ring']:.3f} in "
        f"all-to-all; two_level_ring {medians['two_level_ring']:.3f}, "
        f"{parts['two_level_ring']:.3f}; {ratio:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]",
        flush=True,
    )
    return {
        "kernel": kernel,
        "size": size,
        "seconds": medians,
        "exchanging_s": parts,
        "ratio": ratio,
        "ratio_interval": interval,
        "turns": len(times["ring"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lab", default="4x4-hol")
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--turns", type=int, default=5)
    result_file.add_option(parser)
    arguments = parser.parse_args()
    began, rows = now(), []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(arguments.mpi, Path(folder)):
            rows.append(row(case, run(arguments.lab, arguments.mpi, case[2], arguments.turns)))
    result_file.write(
        arguments.json, began, {"rows": rows}, mpis=[arguments.mpi], lab=arguments.lab
    )


if __name__ == "__main__":
    main()
