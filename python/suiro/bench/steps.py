# SPDX-License-Identifier: BSD-3-Clause
"""The paper's per-step figures: each round alone, relative to rounds with one target node."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any

from suiro.bench.catalog import phases, schedule_text
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
                files[-1].write_text(schedule_text(plan.collective.name, algorithm, nodes, ppn))
        yield files


def make_steps(events: Events, collective: str) -> list[Steps]:
    """Rounds with traffic inside a node are left out, as in the paper."""
    groups: dict[tuple[int, str], list[Event]] = {}
    for event in events.steps:
        groups.setdefault((event["bytes"], event["schedule"]), []).append(event)
    ppn = events.node_of_rank.count(0)
    nodes = len(set(events.node_of_rank))
    made = []
    for (block_bytes, algorithm), group in sorted(groups.items()):
        predicted = predicted_relative(phases(collective, algorithm, nodes, ppn))
        made.append(_steps(block_bytes, algorithm, ppn, group, predicted))
    return made


def _steps(
    block_bytes: int, algorithm: str, ppn: int, events: list[Event], predicted: dict[int, float]
) -> Steps:
    seconds: dict[int, list[float]] = {}
    for event in events:
        if event["home"] == 0 and event["away"] > 0:
            seconds.setdefault(event["round"], []).append(event["seconds"])
    rounds = sorted(seconds)
    medians = [median(seconds[round_]) for round_ in rounds]
    free = [time for round_, time in zip(rounds, medians, strict=True) if predicted[round_] == 1]
    reference = mean(free or medians) if medians else 1.0
    number = _step_numbers(events)
    return Steps(
        algorithm=algorithm,
        bytes=block_bytes,
        ppn=ppn,
        steps=[number[round_] for round_ in rounds],
        seconds=medians,
        relative=[value / reference for value in medians],
        predicted=[predicted[round_] for round_ in rounds],
    )


def _step_numbers(events: list[Event]) -> dict[int, int]:
    """Rounds that only synchronise carry no block and get no number."""
    rounds = sorted({event["round"] for event in events if event["home"] + event["away"] > 0})
    return {index: step for step, index in enumerate(rounds)}


def predicted_relative(phases: list[dict[str, Any]]) -> dict[int, float]:
    """By round, the model's time over that of the busiest link if nothing blocked it. Rounds that
    the model puts into one phase share its figure."""
    return {
        phase["first_round"] + index: phase["head_of_line_blocks"] / (phase["leaving_blocks"] or 1)
        for phase in phases
        for index in range(phase["rounds"])
    }
