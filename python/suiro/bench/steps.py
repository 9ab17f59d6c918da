# SPDX-License-Identifier: BSD-3-Clause
"""The paper's per-step figures: each round alone, relative to rounds with one target node."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

from suiro.bench.catalog import schedule_text
from suiro.bench.job import Event, Events
from suiro.bench.plan import Plan
from suiro.bench.result import Steps
from suiro.errors import UsageError


@contextmanager
def printed_schedules(plan: Plan, node_of_rank: list[int]) -> Iterator[list[Path]]:
    """The schedules of the plan's algorithms, one file each; none unless steps are asked for."""
    if not plan.steps:
        yield []
        return
    ppn = node_of_rank.count(0)
    nodes = len(set(node_of_rank))
    if node_of_rank != [rank // ppn for rank in range(nodes * ppn)]:
        raise UsageError("--steps needs equal nodes with consecutive ranks: map the ranks by slot")
    with TemporaryDirectory(prefix="suiro-steps-") as folder:
        files: list[Path] = []
        for algorithm in plan.algorithms:
            if algorithm not in ("native", "auto"):
                files.append(Path(folder) / f"{len(files)}.txt")
                name = algorithm.split(":")[0]
                files[-1].write_text(schedule_text(plan.collective, name, nodes, ppn))
        yield files


def make_steps(events: Events) -> list[Steps]:
    """Rounds with traffic inside a node are left out, as in the paper."""
    groups: dict[tuple[int, str], list[Event]] = {}
    for event in events.steps:
        groups.setdefault((event["bytes"], event["schedule"]), []).append(event)
    ppn = events.node_of_rank.count(0)
    return [
        _steps(block_bytes, algorithm, ppn, group)
        for (block_bytes, algorithm), group in sorted(groups.items())
    ]


def _steps(block_bytes: int, algorithm: str, ppn: int, events: list[Event]) -> Steps:
    seconds: dict[int, list[float]] = {}
    number = _step_numbers(events)
    for event in events:
        if event["home"] == 0 and event["away"] > 0:
            seconds.setdefault(number[event["round"]], []).append(event["seconds"])
    steps = sorted(seconds)
    medians = [median(seconds[step]) for step in steps]
    one_target = [value for step, value in zip(steps, medians, strict=True) if step % ppn == 0]
    reference = mean(one_target or medians) if medians else 1.0
    return Steps(
        algorithm=algorithm,
        bytes=block_bytes,
        ppn=ppn,
        steps=steps,
        seconds=medians,
        relative=[value / reference for value in medians],
        predicted=[predicted_relative(algorithm, step, ppn) for step in steps],
    )


def _step_numbers(events: list[Event]) -> dict[int, int]:
    """Rounds that only synchronise carry no block and get no number."""
    rounds = sorted({event["round"] for event in events if event["home"] + event["away"] > 0})
    return {index: step for step, index in enumerate(rounds)}


def predicted_relative(algorithm: str, step: int, ppn: int) -> float:
    """Head-of-line model: with two targets, shares a and 1 - a, a(1 - a) of packets is blocked."""
    if algorithm != "ring":
        return 1.0
    share = 1 - (step % ppn) / ppn
    return 1 / (1 - share * (1 - share))
