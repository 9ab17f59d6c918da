# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro advise` says that native takes, beside what others measured on their clusters: the
tables of JiaweiZhuang/aws-mpi-benchmark (AWS c5n, 2019) and of
converged-computing/metrics-operator-experiments (Google, 2023), in a folder each.

    python tests/advise/against_others.py FOLDER

Networks are as those sources measured them between two nodes. The times are OSU's: means over
ranks of each rank's own time."""

import csv
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from suiro.advise.answer import ask
from suiro.advise.question import Question, parse_mpi
from suiro.bench.catalog import find_collective

SMALLEST = 4096
FACTOR = 1.5
_SECONDS = 600

# AWS c5n.18xlarge: pt2pt_summary-8, pt2pt_multi-8, and the stream of two ranks.
_C5N = {"kind": "voq", "link_Bps": 94e9 / 8, "stream_Bps": 9.42e9 / 8, "latency_s": 30e-6}
# Google c2d-standard-2: run4-osu_latency, run4-osu_bw. c2d-standard-56: run6-c3-osu_latency, whose
# longest messages have a stream's rate; 32 Gbit/s are what the machine is sold with.
_C2D_2 = {"kind": "voq", "link_Bps": 1222e6, "latency_s": 31e-6}
_C2D_56 = {"kind": "voq", "link_Bps": 4e9, "stream_Bps": 1.87e9, "latency_s": 27e-6}


@dataclass(frozen=True)
class Measured:
    """What native took, in seconds."""

    cluster: str
    question: Question
    collective: str
    bytes: int
    seconds: float


def aws(folder: Path) -> Iterator[Measured]:
    tables = {"7": "openmpi-3.1", "12": "openmpi-4.0", "16": "mpich-3.3", "18": "intel-2019"}
    for number, mpi in tables.items():
        question = Question(parse_mpi(mpi), (36,) * 8, dict(_C5N), cores=36)
        for collective in ("bcast", "allreduce"):
            path = folder / "aws-c5n-2019" / f"{collective}_summary-{number}.csv"
            with path.open(newline="") as file:
                for row in csv.reader(file):
                    if row and row[0].isdigit() and int(row[0]) >= SMALLEST:
                        yield Measured(f"c5n {mpi}", question, collective, int(row[0]),
                                       1e-6 * float(row[1]))  # fmt: skip


def aws_scales(folder: Path) -> Iterator[Measured]:
    """From 72 to 1152 ranks with 1 MB, and up to 1 MB on 1152 ranks."""
    tables = {"21": "bcast", "24": "bcast", "26": "allreduce", "28": "allreduce"}
    for number, collective in tables.items():
        path = folder / "aws-c5n-2019" / f"collective_compare_pleiades-{number}.csv"
        for row in csv.DictReader(path.open(newline="")):
            first = next(iter(row.values()))
            if not first.isdigit():
                continue
            ranks, size = (int(first), 1 << 20) if number in ("21", "26") else (1152, int(first))
            question = Question(parse_mpi("openmpi-4.0"), (36,) * (ranks // 36), dict(_C5N),
                                cores=36)  # fmt: skip
            yield Measured("c5n to 32 nodes", question, collective, size,
                           1e-6 * float(row["OpenMPI-TCP"]))  # fmt: skip


def google(folder: Path) -> Iterator[Measured]:
    runs = {"run4": ("c2d-standard-2", _C2D_2, 2), "run6-c3": ("c2d-standard-56", _C2D_56, 28)}
    for run, (machine, network, cores) in runs.items():
        for collective in ("allreduce", "allgather"):
            path = folder / "gke-kubecon-2023" / f"{run}-osu_{collective}.csv"
            found = defaultdict(list)
            for row in csv.DictReader(path.open(newline="")) if path.exists() else ():
                found[int(row["pods"]), int(float(row["Size"]))].append(
                    float(row["Avg Latency(us)"])
                )
            for (nodes, size), times in sorted(found.items()):
                if size >= SMALLEST:
                    question = Question(parse_mpi("openmpi-4.0"), (1,) * nodes, dict(network),
                                        cores=cores)  # fmt: skip
                    yield Measured(machine, question, collective, size, 1e-6 * median(times))


def main(folder: Path) -> None:
    by_cluster: dict[str, list[tuple[Measured, float, str]]] = defaultdict(list)
    groups: dict[tuple[str, int, str], list[Measured]] = defaultdict(list)
    for one in [*aws(folder), *aws_scales(folder), *google(folder)]:
        groups[one.cluster, one.question.ranks, one.collective].append(one)
    for (cluster, _, collective), cells in groups.items():
        calls = [(find_collective(collective), one.bytes) for one in cells]
        answer = ask(cells[0].question, calls, time.monotonic() + _SECONDS)
        told = answer.of(collective)
        for one in cells:
            cell = told[one.bytes]
            on = cell.on[0] if cell.on else None
            predicted = on.native_mean_s if on and on.native_mean_s else float("nan")
            by_cluster[cluster].append((one, predicted, cell.doubt))
            native = cell.choice.outlook.native if cell.choice.outlook else "-"
            print(f"{cluster:18} {one.question.ranks:5} {collective:10} {one.bytes:8} measured "
                  f"{one.seconds:9.6f} predicted {predicted:9.6f} {predicted / one.seconds:5.2f} "
                  f"{'hollow' if cell.doubt else '      '} {native}")  # fmt: skip
    for cluster, rows in by_cluster.items():
        print(f"{cluster:18} {_share(rows)}; not hollow: {_share([r for r in rows if not r[2]])}")


def _share(rows: list[tuple[Measured, float, str]]) -> str:
    good = sum(1 / FACTOR <= told / one.seconds <= FACTOR for one, told, _ in rows)
    return f"{good} of {len(rows)} within {FACTOR}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
