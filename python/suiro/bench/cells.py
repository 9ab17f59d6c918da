# SPDX-License-Identifier: BSD-3-Clause
"""From samples to cells. Pure: the same events always give the same cells."""

from dataclasses import dataclass, field
from statistics import median

from suiro.bench import innocence, obedience
from suiro.bench.catalog import Collective, busiest_link_bytes
from suiro.bench.control import Control
from suiro.bench.job import Event, Events
from suiro.bench.network import Busiest, Network, ranks_of_nodes
from suiro.bench.result import Cell, LineRate
from suiro.bench.statistics import median_with_interval, ratio_with_interval

SMALL_BYTES = 4096

Seconds = dict[tuple[int, str], list[float]]  # by bytes and algorithm, in order of repetition


@dataclass(frozen=True)
class Setting:
    """What cells need besides samples.

    `crowded`: more ranks than cores, so ratios of small messages would measure the scheduler.
    `rate_bps` is what the control flow may use of its link; `network` is known inside a lab;
    `others` is the share of processors that others used, where these are the limit.
    """

    collective: Collective
    rate_bps: int | None
    crowded: bool
    controls: dict[int, Control]
    planned: dict[int, int]
    algorithms: tuple[str, ...]
    network: Network | None = None
    spread_percent: int = 0
    root: int = 0  # of a rooted collective
    others: float | None = None
    port_bytes: dict[int, int] = field(default_factory=dict)  # by size, what it was made from

    @property
    def sizeless(self) -> bool:
        """Whether the library may not know of a size."""
        return not self.collective.size_is_known

    def control(self, size: int) -> Control:
        return self.controls.get(size, Control())


def line_rate_of(events: Events, rate_bps: int | None) -> LineRate | None:
    """The control flow with what it should have reached."""
    if events.line_rate is None:
        return None
    mtu_bytes = events.line_rate["mtu"]
    expected = innocence.wire_goodput_Bps(rate_bps, mtu_bytes) if rate_bps and mtu_bytes else None
    return LineRate(
        goodput_Bps=events.line_rate["goodput_Bps"],
        mtu_bytes=mtu_bytes,
        expected_Bps=expected,
    )


def make_cells(events: Events, setting: Setting) -> list[Cell]:
    """Of the setting's collective, ordered by size, then as the algorithms were asked for, the
    control last."""
    line_rate = line_rate_of(events, setting.rate_bps)
    groups: dict[tuple[int, str], list[Event]] = {}
    for sample in events.samples:
        if sample["collective"] != setting.collective.name:
            continue
        groups.setdefault((sample["bytes"], sample["candidate"]), []).append(sample)
    order = {name: index for index, name in enumerate(setting.algorithms)}
    keys = sorted(groups, key=lambda key: (key[0], order.get(key[1], len(order))))
    rows = _rows(events, setting)
    # Each candidate's first call, which warms up, is not among the samples.
    calls = {key: 1 + len(groups[key]) for key in keys}
    reasons = obedience.disobeyed(rows, calls, setting.sizeless) if rows is not None else {}
    cells = [_cell(key, groups[key], events, setting, line_rate) for key in keys]
    obeyed = {key: _seconds(samples) for key, samples in groups.items() if key not in reasons}
    for key, cell in zip(keys, cells, strict=True):
        if key in reasons:
            cell.void_reason = reasons[key]
            continue
        _add_limits(cell, events, line_rate, setting)
        comparable = cell.bytes >= SMALL_BYTES or not setting.crowded
        _add_notes(cell, rows, setting, comparable)
        if comparable:
            _add_ratios(cell, obeyed)
    return cells


def _rows(events: Events, setting: Setting) -> list[Event] | None:
    """What the library ran for the collective; the program itself calls others, too."""
    if events.explained is None:
        return None
    return [row for row in events.explained if row["collective"] == setting.collective.name]


def _cell(
    key: tuple[int, str],
    samples: list[Event],
    events: Events,
    setting: Setting,
    line_rate: LineRate | None,
) -> Cell:
    block_bytes, algorithm = key
    seconds = _seconds(samples)
    median_s, interval = median_with_interval(seconds)
    counters = [sample["counters"] for sample in samples if sample.get("counters")]
    void_reason = (
        innocence.switch_reason(counters)
        or innocence.line_rate_reason(line_rate)
        or innocence.others_reason(setting.others)
    )
    nodes = ranks_of_nodes(events.node_of_rank)
    return Cell(
        collective=setting.collective.name,
        algorithm=algorithm,
        nodes=len(nodes),
        ranks=len(events.node_of_rank),
        bytes=block_bytes,
        port_bytes=setting.port_bytes.get(block_bytes),
        spread_percent=setting.spread_percent,
        root=setting.root if setting.collective.rooted else None,
        median_s=median_s,
        ci95_s=interval,
        mean_s=median(sample["mean_s"] for sample in samples),
        processor_s=median(sample["processor_s"] for sample in samples),
        bandwidth_Bps=_busiest(events, setting, block_bytes)(nodes) / median_s,
        repetitions=len(seconds),
        cpu_limited=void_reason is not None,
        void_reason=void_reason,
        control=setting.control(block_bytes).algorithm,
        is_control=algorithm not in setting.algorithms,
        lateness_p99_us=innocence.lateness_p99_us(counters),
        switch=innocence.port_totals(counters),
    )


def _seconds(samples: list[Event]) -> list[float]:
    return [
        sample["seconds"] for sample in sorted(samples, key=lambda sample: sample["repetition"])
    ]


def _busiest(events: Events, setting: Setting, size: int) -> Busiest:
    """By the table of collectives, or, where blocks differ, as the program counted."""
    counted = events.busiest_bytes.get((setting.collective.name, size))
    if counted is not None:
        return lambda nodes: counted
    return lambda nodes: busiest_link_bytes(setting.collective.name, nodes) * size


def _add_limits(cell: Cell, events: Events, line_rate: LineRate | None, setting: Setting) -> None:
    """The control flow uses one link; what it reached is no limit where hosts have several."""
    network = setting.network
    busiest = _busiest(events, setting, cell.bytes)
    outgoing = busiest(ranks_of_nodes(events.node_of_rank))
    if line_rate is None or outgoing == 0:
        return
    if network is None or len(network.link_rates_bps) == 1:
        stream_Bps = sum(line_rate.goodput_Bps) / len(line_rate.goodput_Bps)
        cell.line_rate_fraction = cell.bandwidth_Bps / stream_Bps
    if network is None:
        wire_Bps = line_rate.expected_Bps or max(line_rate.goodput_Bps)
        bound_s: float | None = outgoing / wire_Bps
    elif cell.spread_percent and network.cuts:
        bound_s = None  # what crosses a cut was not counted
    else:
        bound_s = network.bound_s(events.node_of_rank, busiest, line_rate.mtu_bytes)
    cell.bound_fraction = bound_s / cell.median_s if bound_s is not None else None


def _add_notes(cell: Cell, rows: list[Event] | None, setting: Setting, comparable: bool) -> None:
    notes = []
    planned = setting.planned.get(cell.bytes, cell.repetitions)
    if cell.repetitions < planned:
        notes.append(f"cut from {planned} repetitions by the budget")
    if cell.algorithm == "auto" and rows is not None:
        cell.ran = obedience.chosen(rows, cell.bytes, setting.sizeless)
    if cell.algorithm == "native" and setting.control(cell.bytes).why:
        notes.append(f"no control: {setting.control(cell.bytes).why}")
    if not comparable:
        notes.append("no ratios of small messages: more ranks than cores, so the scheduler decides")
    cell.note = "; ".join(notes) or None


def _add_ratios(cell: Cell, seconds: Seconds) -> None:
    """Over native, and over native's algorithm as a schedule."""
    ours = seconds[cell.bytes, cell.algorithm]
    native = seconds.get((cell.bytes, "native"))
    control = seconds.get((cell.bytes, cell.control or ""))
    if native:
        ratio, interval = ratio_with_interval(native, ours)
        cell.speedup_over_native, cell.speedup_over_native_ci95 = ratio, interval
    if control:
        ratio, interval = ratio_with_interval(control, ours)
        cell.speedup_over_control, cell.speedup_over_control_ci95 = ratio, interval
