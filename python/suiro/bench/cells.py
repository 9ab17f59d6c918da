# SPDX-License-Identifier: BSD-3-Clause
"""From samples to cells. Pure: the same events always give the same cells."""

from collections import Counter
from dataclasses import dataclass

from suiro.bench import innocence
from suiro.bench.job import Event, Events
from suiro.bench.result import Cell, LineRate
from suiro.bench.statistics import median_with_interval, ratio_with_interval

_SMALL_BYTES = 4096


@dataclass(frozen=True)
class Setting:
    """What cells need besides samples.

    `crowded`: more ranks than cores, so ratios of small messages would measure the scheduler.
    """

    collective: str
    rate_bps: int | None
    crowded: bool
    controls: dict[int, str | None]
    planned: dict[int, int]
    algorithms: tuple[str, ...]


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
    """Ordered by size, then as the algorithms were asked for, the control last."""
    line_rate = line_rate_of(events, setting.rate_bps)
    groups: dict[tuple[int, str], list[Event]] = {}
    for sample in events.samples:
        groups.setdefault((sample["bytes"], sample["candidate"]), []).append(sample)
    order = {name: index for index, name in enumerate(setting.algorithms)}
    keys = sorted(groups, key=lambda key: (key[0], order.get(key[1], len(order))))
    return [_cell(key, groups, events.node_of_rank, setting, line_rate) for key in keys]


def _cell(
    key: tuple[int, str],
    groups: dict[tuple[int, str], list[Event]],
    node_of_rank: list[int],
    setting: Setting,
    line_rate: LineRate | None,
) -> Cell:
    block_bytes, algorithm = key
    samples = groups[key]
    seconds = _seconds(samples)
    median_s, interval = median_with_interval(seconds)
    outgoing = block_bytes * _blocks_leaving(node_of_rank)
    counters = [sample["counters"] for sample in samples if sample.get("counters")]
    void_reason = innocence.lateness_reason(counters) or innocence.line_rate_reason(line_rate)
    cell = Cell(
        collective=setting.collective,
        algorithm=algorithm,
        nodes=len(set(node_of_rank)),
        ranks=len(node_of_rank),
        bytes=block_bytes,
        median_s=median_s,
        ci95_s=interval,
        bandwidth_Bps=outgoing / median_s,
        repetitions=len(seconds),
        cpu_limited=void_reason is not None,
        void_reason=void_reason,
        control=setting.controls.get(block_bytes),
        is_control=algorithm not in setting.algorithms,
        lateness_p99_us=innocence.lateness_p99_us(counters),
        switch=innocence.port_totals(counters),
    )
    _add_limits(cell, outgoing, line_rate)
    _add_ratios(cell, groups, setting)
    return cell


def _seconds(samples: list[Event]) -> list[float]:
    return [
        sample["seconds"] for sample in sorted(samples, key=lambda sample: sample["repetition"])
    ]


def _blocks_leaving(node_of_rank: list[int]) -> int:
    """Blocks that the busiest node sends to other nodes."""
    ranks = len(node_of_rank)
    return max(ppn * (ranks - ppn) for ppn in Counter(node_of_rank).values())


def _add_limits(cell: Cell, outgoing: int, line_rate: LineRate | None) -> None:
    if line_rate is None or outgoing == 0:
        return
    stream_Bps = sum(line_rate.goodput_Bps) / len(line_rate.goodput_Bps)
    cell.line_rate_fraction = cell.bandwidth_Bps / stream_Bps
    wire_Bps = line_rate.expected_Bps or max(line_rate.goodput_Bps)
    cell.bound_fraction = outgoing / wire_Bps / cell.median_s


def _add_ratios(cell: Cell, groups: dict[tuple[int, str], list[Event]], setting: Setting) -> None:
    if cell.bytes < _SMALL_BYTES and setting.crowded:
        cell.note = "no ratios: more ranks than cores would measure the scheduler"
        return
    planned = setting.planned.get(cell.bytes, cell.repetitions)
    if cell.repetitions < planned:
        cell.note = f"cut from {planned} repetitions by the budget"
    ours = _seconds(groups[cell.bytes, cell.algorithm])
    native = groups.get((cell.bytes, "native"))
    if native:
        ratio, interval = ratio_with_interval(_seconds(native), ours)
        cell.speedup_over_native, cell.speedup_over_native_ci95 = ratio, interval
    control = groups.get((cell.bytes, cell.control or ""))
    if control:
        ratio, interval = ratio_with_interval(_seconds(control), ours)
        cell.speedup_over_control, cell.speedup_over_control_ci95 = ratio, interval
