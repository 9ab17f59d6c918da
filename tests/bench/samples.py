# SPDX-License-Identifier: BSD-3-Clause
"""Made-up events of a job: 2 nodes of 2 ranks, three algorithms at one size."""

from typing import Any

from suiro.bench.catalog import find_collective
from suiro.bench.cells import Setting
from suiro.bench.control import Control
from suiro.bench.job import Events

SECONDS = {"native": 0.4, "linear": 0.3, "ring": 0.2}
GOODPUT_BPS = 5_880_000.0


def counters(late_us: float, **more: float) -> dict[str, Any]:
    port = {"utilisation": 0.5, "hol_blocked_s": 0.1, "drops": 3, "pauses": 1, "paused_s": 0.01}
    names = ("host0", "host1")
    return {
        "lateness_us": {"p99": late_us},
        "mtu_time_us": 246.0,
        "ports": [{"name": name, **port} for name in names],
        "elapsed_s": 1.0,
        "stopped_s": 0.001,
        "window_violations": 0,
        **more,
    }


def events(
    block_bytes: int = 65536,
    late_us: float = 10,
    goodput_Bps: float = GOODPUT_BPS,
    collective: str = "alltoall",
) -> Events:
    made = Events()
    made.add({"bench": "start", "node_of_rank": [0, 0, 1, 1], "mpi": "made up"})
    made.add({"bench": "line_rate", "mtu": 1500, "goodput_Bps": [goodput_Bps, goodput_Bps]})
    about = {"collective": collective, "bytes": block_bytes}
    made.add({"bench": "cell", "busiest": -1} | about)
    for repetition in range(5):
        for name, seconds in SECONDS.items():
            sample = {"bench": "sample", "candidate": name} | about
            sample |= {"repetition": repetition, "seconds": seconds * (1 + 0.001 * repetition)}
            sample |= {"mean_s": 0.8 * seconds, "processor_s": 0.1 * seconds}
            made.add(sample | {"counters": counters(late_us)})
    made.add({"bench": "end"})
    return made


def setting(
    block_bytes: int = 65536,
    crowded: bool = False,
    planned: int = 5,
    collective: str = "alltoall",
) -> Setting:
    return Setting(
        collective=find_collective(collective),
        rate_bps=50_000_000,
        crowded=crowded,
        controls={block_bytes: Control("linear")},
        planned={block_bytes: planned},
        algorithms=("native", "ring"),
    )
