# SPDX-License-Identifier: BSD-3-Clause
"""The verb: carries out plans in the environment that it finds, which may be a lab."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from suiro import variables
from suiro.bench.cells import Setting, line_rate_of, make_cells
from suiro.bench.control import Control, find_control
from suiro.bench.every import Everything
from suiro.bench.innocence import others_share
from suiro.bench.job import Events, run_job
from suiro.bench.native_algorithm import Call
from suiro.bench.network import network_of_lab
from suiro.bench.plan import Plan
from suiro.bench.result import Result
from suiro.bench.steps import make_steps, printed_schedules
from suiro.lab import cables
from suiro.output import Lines
from suiro.provenance import describe_machine, now, provenance

_LINE_RATE_PHASE_S = 1.2
_STEPS_REPETITIONS_MAX = 5


def measure(
    plan: Plan, prefix: list[str], mpi: str, command: str, record: Lines | None = None
) -> Result:
    """One collective."""
    return _measure(lambda node_of_rank: [plan], prefix, mpi, command, record)


def measure_all(
    everything: Everything, prefix: list[str], mpi: str, command: str, record: Lines | None = None
) -> Result:
    """All collectives in one job."""
    plans_for = partial(everything.plans, network=network_of_lab())
    return _measure(plans_for, prefix, mpi, command, record)


def _measure(
    plans_for: Callable[[list[int]], list[Plan]],
    prefix: list[str],
    mpi: str,
    command: str,
    record: Lines | None,
) -> Result:
    """A first, empty job tells the node of each rank, which decides what is planned, the controls
    and the schedules. All plans have the same budget and network."""
    measured_at = now()
    shape = run_job(prefix, mpi, ["--budget", "1"], with_suiro=False)
    plans = plans_for(shape.node_of_rank)
    machine = describe_machine(shape.start["mpi"], plans[0].link_rate_bps)
    others = others_share() if machine.model in cables.MODELS else None
    settings = [_setting(plan, shape, others) for plan in plans]
    needs_suiro = any(name != "native" for plan in plans for name in plan.algorithms)
    with ExitStack() as stack:
        arguments = _common_arguments(plans[0])
        for plan, setting in zip(plans, settings, strict=True):
            schedules = stack.enter_context(printed_schedules(plan, shape.node_of_rank))
            arguments += _arguments(plan, setting, schedules)
        total = sum(map(_samples_planned, plans, settings))
        events = run_job(prefix, mpi, arguments, with_suiro=needs_suiro, record=record, total=total)
    return Result(
        **dict(provenance(command, machine, measured_at)),
        cells=[cell for setting in settings for cell in make_cells(events, setting)],
        steps=[
            steps
            for plan in plans
            if plan.steps
            for steps in make_steps(events, plan.collective.name)
        ],
        line_rate=line_rate_of(events, settings[0].rate_bps),
    )


def _setting(plan: Plan, shape: Events, others: float | None) -> Setting:
    """No rate is expected where cables have none."""
    ranks = len(shape.node_of_rank)
    machine = describe_machine("", plan.link_rate_bps)
    per_machine = ranks if machine.lab else max(map(shape.node_of_rank.count, shape.node_of_rank))
    compared = "native" in plan.algorithms and len(plan.algorithms) > 1
    network = network_of_lab()
    rate_bps = network.connection_bps if network is not None else machine.rate_bps
    return Setting(
        collective=plan.collective,
        rate_bps=None if machine.model in cables.MODELS else rate_bps,
        crowded=per_machine > machine.cores,
        controls=_controls(plan, shape) if compared else {},
        planned={size: plan.repetitions(size) for size in plan.sizes},
        algorithms=plan.algorithms,
        spread_percent=plan.spread_percent,
        network=network,
        root=plan.root_among(ranks),
        others=others,
        port_bytes=plan.port_bytes,
    )


def _controls(plan: Plan, shape: Events) -> dict[int, Control]:
    nodes = tuple(shape.node_of_rank)
    root = plan.root_among(len(nodes))
    return {
        size: find_control(shape.start["mpi"], Call(plan.collective.name, nodes, root, size))
        for size in plan.sizes
    }


def _candidates(plan: Plan, setting: Setting, size: int) -> list[str]:
    control = setting.control(size).algorithm
    added = [control] if control is not None and control not in plan.algorithms else []
    return [*plan.algorithms, *added]


def _common_arguments(plan: Plan) -> list[str]:
    arguments = ["--budget", str(plan.budget_s)]
    arguments += ["--line-rate", str(_LINE_RATE_PHASE_S), _interface(plan)]
    counters = variables.text("SUIRO_LAB_CONTROL")
    return [*arguments, "--counters", counters] if counters else arguments


def _arguments(plan: Plan, setting: Setting, schedules: list[Path]) -> list[str]:
    name, spread = plan.collective.name, plan.spread_percent
    arguments = ["--collective", name, str(spread), str(setting.root)]
    for size in plan.sizes:
        joined = "+".join(_candidates(plan, setting, size))
        arguments += ["--cell", str(size), str(plan.repetitions(size)), joined]
        for schedule in schedules:
            arguments += ["--steps", str(schedule), str(size), str(_steps_repetitions(plan, size))]
    return arguments


def _steps_repetitions(plan: Plan, size: int) -> int:
    """A schedule has many rounds, and each is timed: few repetitions do."""
    return min(plan.repetitions(size), _STEPS_REPETITIONS_MAX)


def _interface(plan: Plan) -> str:
    return "eth0" if plan.interface == "-" and variables.text("SUIRO_LAB_NAME") else plan.interface


def _samples_planned(plan: Plan, setting: Setting) -> int:
    return sum(
        len(_candidates(plan, setting, size)) * plan.repetitions(size) for size in plan.sizes
    )
