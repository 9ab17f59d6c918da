# SPDX-License-Identifier: BSD-3-Clause
"""Made-up records, results and traces for the report."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from suiro.bench.result import Cell, Result
from suiro.provenance import Machine
from suiro.tune.store import Key, Record, Sample

KEY = Key(
    cluster="lab-4x4-hol", mpi="Open MPI v4.1.4", family="suiro",
    node_of_rank=[rank // 4 for rank in range(16)], collective="bcast", root=1,
)  # fmt: skip


def times(seconds: float, count: int = 10) -> list[float]:
    """That scatter by less than a per cent."""
    return [seconds * (1 + 0.001 * (call % 5)) for call in range(count)]


def decided(size: int, **seconds: float) -> list[Sample]:
    """A first round of two calls, and one that decides."""
    return [
        Sample(bytes=size, candidate=name, seconds=times(s, count), final=final)
        for count, final in ((2, False), (10, True))
        for name, s in seconds.items()
    ]


def record(*samples: Sample, key: Key = KEY, day: int = 1) -> Record:
    return Record(at=datetime(2026, 1, day, tzinfo=UTC), key=key, samples=list(samples))


def cell(size: int, algorithm: str, seconds: float, native_s: float, **more: Any) -> Cell:
    ratio = native_s / seconds
    return Cell(
        collective="allreduce", algorithm=algorithm, nodes=4, ranks=16, bytes=size,
        median_s=seconds, ci95_s=(0.99 * seconds, 1.01 * seconds), bandwidth_Bps=1.0,
        speedup_over_native=ratio, speedup_over_native_ci95=(0.98 * ratio, 1.02 * ratio),
        repetitions=10, control="rabenseifner",
    ).model_copy(update=more)  # fmt: skip


def result(*cells: Cell, lab: str = "4x4-hol", measured_at: str = "2026-01-01") -> Result:
    machine = Machine(
        cores=2, processor="p", kernel="k", system="s", suiro="0", mpi="Open MPI v4.1.4", lab=lab
    )
    return Result(
        machine=machine, cells=list(cells), command="suiro bench <x>", measured_at=measured_at
    )


def trace_line(rank: int, size: int | None, seconds: float) -> str:
    call = {"t": 1.0, "rank": rank, "comm_first_rank": 0, "comm_ranks": 2, "collective": "bcast",
            "bytes": size, "algorithm": "native", "seconds": seconds}  # fmt: skip
    return json.dumps(call) + "\n"


def write_all(folder: Path) -> None:
    """One of each."""
    samples = [*decided(1000, default=1e-3, chain=2e-3), *decided(65536, default=0.2, chain=0.1)]
    samples += decided(1 << 20, default=2.0, chain=0.5, linear=3.0)
    (folder / "store.json").write_text(record(*samples).model_dump_json() + "\n")
    cells = [cell(65536, "native", 0.2, 0.2), cell(65536, "ring", 0.1, 0.2)]
    (folder / "bench.json").write_text(result(*cells).model_dump_json(indent=1) + "\n")
    (folder / "trace.jsonl").write_text(trace_line(0, 4096, 0.5) + trace_line(1, 5000, 0.7))
