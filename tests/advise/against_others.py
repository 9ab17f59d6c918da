# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro advise` says that native takes, beside what others measured on their clusters: the
tables of JiaweiZhuang/aws-mpi-benchmark (AWS c5n, 2019) and of
converged-computing/metrics-operator-experiments (Google, 2023), in a folder each.

    ./dev run .venv/bin/python tests/advise/against_others.py FOLDER --json docs/results/advise.json

Networks are as those sources measured them between two nodes. The times are OSU's: means over
ranks of each rank's own time."""

import argparse
import csv
import json
import shlex
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from suiro.advise.answer import Answer, ask
from suiro.advise.question import Question, parse_mpi
from suiro.bench.catalog import find_collective
from suiro.provenance import describe_machine, now, provenance

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
    """What native took, in seconds. The question tells the cores of the machine."""

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
                        yield Measured("c5n.18xlarge", question, collective, int(row[0]),
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
            yield Measured("c5n.18xlarge, many nodes", question, collective, size,
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


@dataclass(frozen=True)
class Compared:
    """A cell, and whether it is without an open mark: where cores are told, and where not."""

    measured: Measured
    predicted_s: float
    solid: bool
    solid_without_cores: bool

    @property
    def within(self) -> bool:
        return 1 / FACTOR <= self.predicted_s / self.measured.seconds <= FACTOR


def compare(folder: Path) -> list[Compared]:
    groups: dict[tuple[str, str, int, str], list[Measured]] = defaultdict(list)
    for one in [*aws(folder), *aws_scales(folder), *google(folder)]:
        question = one.question
        groups[one.cluster, question.mpi.full_name, question.ranks, one.collective].append(one)
    return [cell for cells in groups.values() for cell in _compare(cells)]


def _compare(cells: list[Measured]) -> Iterator[Compared]:
    """Of one question and collective."""
    question, collective = cells[0].question, cells[0].collective
    sizes = [one.bytes for one in cells]
    told = _ask(question, collective, sizes).of(collective)
    without_cores = _ask(replace(question, cores=0), collective, sizes).of(collective)
    for one in cells:
        cell = told[one.bytes]
        predicted = cell.on[0].native_mean_s if cell.on else None
        yield Compared(one, predicted or float("nan"), not cell.doubt,
                       not without_cores[one.bytes].doubt)  # fmt: skip


def _ask(question: Question, collective: str, sizes: list[int]) -> Answer:
    calls = [(find_collective(collective), size) for size in sizes]
    return ask(question, calls, time.monotonic() + _SECONDS)


def shares(compared: list[Compared]) -> list[dict[str, Any]]:
    """A row for each cluster and MPI: how many cells, and how many are right."""
    clusters: dict[tuple[str, str], list[Compared]] = defaultdict(list)
    for one in compared:
        clusters[one.measured.cluster, one.measured.question.mpi.full_name].append(one)
    return [
        {
            "cluster": cluster,
            "mpi": mpi,
            "nodes": [min(nodes), max(nodes)],
            "ppn": cells[0].measured.question.ranks_of_node[0],
            "cells": len(cells),
            "within": sum(one.within for one in cells),
            "solid": sum(one.solid for one in cells),
            "solid_within": sum(one.solid and one.within for one in cells),
            "solid_without_cores": sum(one.solid_without_cores for one in cells),
        }
        for (cluster, mpi), cells in clusters.items()
        for nodes in [[len(one.measured.question.ranks_of_node) for one in cells]]
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="write a result there, too (docs/results)")
    options = parser.parse_args()
    began = now()
    compared = compare(options.folder)
    for one in compared:
        cell = one.measured
        print(f"{cell.cluster:23} {cell.question.mpi.full_name:14} {cell.question.ranks:5} "
              f"{cell.collective:10} {cell.bytes:8} measured {cell.seconds:9.6f} predicted "
              f"{one.predicted_s:9.6f} {one.predicted_s / cell.seconds:5.2f} "
              f"{'' if one.solid else 'open'}")  # fmt: skip
    rows = shares(compared)
    for row in rows:
        print(f"{row['cluster']} {row['mpi']}: {row['within']} of {row['cells']} within {FACTOR}; "
              f"not open: {row['solid_within']} of {row['solid']}")  # fmt: skip
    if options.json is not None:
        words = [sys.argv[0], "FOLDER", *sys.argv[2:]]
        command = f"./dev run .venv/bin/python {shlex.join(words)}"
        document = provenance(command, describe_machine("", None), began).model_dump()
        options.json.write_text(json.dumps(document | {"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
