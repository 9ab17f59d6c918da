# SPDX-License-Identifier: BSD-3-Clause
"""Says in plain words what a result shows: where 2-Level Ring helps, and where it does not."""

from suiro.bench.result import Cell, Result
from suiro.bench.table import size_text

OURS = "two_level_ring"
RIVAL = "ring"
# Below this a difference is not worth a word, and often not more than noise.
_WORTH = 0.03

_NETWORKS = {
    "hol": "An input-queued switch: what waits at the head of a port blocks all behind it.",
    "voq": "A switch with virtual output queues: nothing blocks anything else.",
    "shared": "Ordinary Ethernet: a shared buffer, and frames are dropped when it is full.",
    "pause": "A shared buffer with pause frames: no drops, but a paused port stops all its flows.",
}


def network_sentence(model: str | None) -> str:
    return _NETWORKS.get(model or "", "Your own network.")


def verdict(result: Result) -> list[str]:
    """One sentence for each size that was measured and is not void."""
    sentences = []
    for size in sorted({cell.bytes for cell in result.cells}):
        cells = {cell.algorithm: cell for cell in result.cells if cell.bytes == size}
        ours = cells.get(OURS)
        if ours is None:
            continue
        sentences.append(f"{size_text(size)} blocks: {_size_verdict(ours, cells)}")
    return sentences or ["2-Level Ring was not among the algorithms measured."]


def _size_verdict(ours: Cell, cells: dict[str, Cell]) -> str:
    if ours.void:
        return f"no verdict, because {ours.void_reason}."
    parts = []
    if ours.line_rate_fraction is not None:
        parts.append(f"2-Level Ring reaches {ours.line_rate_fraction:.0%} of line rate")
    if ours.speedup_over_native is not None and ours.speedup_over_native_ci95 is not None:
        parts.append(_compared(ours.speedup_over_native, ours.speedup_over_native_ci95, "native"))
    rival = cells.get(RIVAL)
    if rival is not None:
        parts.append(f"{rival.median_s / ours.median_s:.2f} times the speed of Ring")
    return ", ".join(parts) + "." + _control_remark(ours)


def _compared(ratio: float, interval: tuple[float, float], other: str) -> str:
    low, high = interval
    if low > 1 + _WORTH:
        return f"it helps: {ratio:.2f} times as fast as {other}"
    if high < 1 - _WORTH:
        return f"it does not help: {ratio:.2f} times as fast as {other}"
    return f"no clear difference from {other} ({ratio:.2f} times as fast)"


def _control_remark(ours: Cell) -> str:
    """A gain over native that the control has too is not the algorithm's."""
    native, control = ours.speedup_over_native, ours.speedup_over_control
    if native is None or control is None or native <= 1 + _WORTH:
        return ""
    if control > 1 + _WORTH:
        return f" The gain is the algorithm's: over the control it is {control:.2f}."
    return " The control gains as much: the gain is the executor's."
