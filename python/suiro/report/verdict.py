# SPDX-License-Identifier: BSD-3-Clause
"""Says in plain words what a result shows: where suiro's algorithms help, and where they do not."""

from suiro.bench.result import Cell, Result
from suiro.quantities import size_text

OURS = ("two_level_ring", "two_level_pairwise")
RIVAL = "ring"
_TITLES = {
    "native": "native",
    "ring": "Ring",
    "two_level_ring": "2-Level Ring",
    "two_level_pairwise": "2-Level Pairwise",
}
# Below this a difference is not worth a word, and often not more than noise.
_WORTH = 0.03

_NETWORKS = {
    "hol": "An input-queued switch: what waits at the head of a port blocks all behind it.",
    "voq": "A switch with virtual output queues: nothing blocks anything else.",
    "shared": "Ordinary Ethernet: a shared buffer, and frames are dropped when it is full.",
    "pause": "A shared buffer with pause frames: no drops, but a paused port stops all its flows.",
}

_STANDINGS = {
    "ahead": "2-Level algorithms help, over native and over Ring",
    "beside": "2-Level algorithms help over native, but not clearly over Ring",
    "equal": "2-Level algorithms make no clear difference to native",
    "behind": "2-Level algorithms do not help, native is faster",
    "void": "There is no verdict",
}


def network_sentence(model: str | None) -> str:
    return _NETWORKS.get(model or "", "Your own network.")


def title(algorithm: str) -> str:
    """The name as people say it."""
    return _TITLES.get(algorithm, algorithm)


def conclusion(results: list[Result]) -> list[str]:
    """In which networks it helps, and in which it does not."""
    places: dict[str, list[str]] = {}
    for result in results:
        for size, cells in _by_size(result).items():
            where = f"{result.machine.lab or 'your network'} ({size_text(size)} blocks)"
            places.setdefault(_standing(cells), []).append(where)
    return [
        f"{sentence}: in {', '.join(places[standing])}."
        for standing, sentence in _STANDINGS.items()
        if standing in places
    ]


def verdict(result: Result) -> list[str]:
    """One sentence or more for each size that was measured."""
    return [
        f"{size_text(size)} blocks: {_size_verdict(cells)}"
        for size, cells in _by_size(result).items()
    ]


def _by_size(result: Result) -> dict[int, dict[str, Cell]]:
    sizes = sorted({cell.bytes for cell in result.cells})
    return {
        size: {cell.algorithm: cell for cell in result.cells if cell.bytes == size}
        for size in sizes
    }


def _best_of_ours(cells: dict[str, Cell]) -> Cell | None:
    ours = [cells[name] for name in OURS if name in cells and not cells[name].void]
    return min(ours, key=lambda cell: cell.median_s, default=None)


def _standing(cells: dict[str, Cell]) -> str:
    ours = _best_of_ours(cells)
    if ours is None or ours.over_native is None:
        return "void"
    _, (low, high) = ours.over_native
    if high < 1 - _WORTH:
        return "behind"
    if low <= 1 + _WORTH:
        return "equal"
    rival = cells.get(RIVAL)
    return "ahead" if rival and not rival.void and _clearly_faster(ours, rival) else "beside"


def _clearly_faster(one: Cell, other: Cell) -> bool:
    return one.ci95_s[1] * (1 + _WORTH) < other.ci95_s[0]


def _size_verdict(cells: dict[str, Cell]) -> str:
    ours = _best_of_ours(cells)
    if ours is None:
        reasons = [cells[name].void_reason for name in OURS if name in cells]
        return f"no verdict, because {reasons[0]}." if reasons else "no algorithm of suiro's ran."
    parts = []
    if ours.line_rate_fraction is not None:
        parts.append(f"{title(ours.algorithm)} reaches {ours.line_rate_fraction:.0%} of line rate")
    if ours.over_native is not None:
        parts.append(_compared(*ours.over_native))
    rival = cells.get(RIVAL)
    if rival is not None and not rival.void:
        ratio = f"{rival.median_s / ours.median_s:.2f} times the speed of Ring"
        parts.append(ratio if _clearly_faster(ours, rival) else f"{ratio} (not certain)")
    remarks = [_control_remark(ours), _switch_remark(ours, cells.get("native"))]
    return " ".join([", ".join(parts) + ".", *filter(None, remarks)])


def _compared(ratio: float, interval: tuple[float, float]) -> str:
    low, high = interval
    if low > 1 + _WORTH:
        return f"it helps: {ratio:.2f} times the speed of native"
    if high < 1 - _WORTH:
        return f"it does not help: {ratio:.2f} times the speed of native"
    return f"no clear difference from native ({ratio:.2f} times its speed)"


def _control_remark(ours: Cell) -> str:
    """A gain over native that the control has too is not the algorithm's."""
    native, control = ours.speedup_over_native, ours.speedup_over_control
    if native is None or control is None or native <= 1 + _WORTH:
        return ""
    if control > 1 + _WORTH:
        return f"The gain is the algorithm's: over native's own, run by suiro, it is {control:.2f}."
    return "Native's own algorithm gains as much when suiro runs it: the gain is the executor's."


def _switch_remark(ours: Cell, native: Cell | None) -> str:
    """What the switch did to native and not to us, in the word of its kind."""
    if native is None or not native.switch or not ours.switch:
        return ""
    for field, words in (("drops", "dropped {} frames"), ("pauses", "sent {} pauses")):
        theirs = sum(getattr(port, field) for port in native.switch)
        mine = sum(getattr(port, field) for port in ours.switch)
        if theirs >= 1 or mine >= 1:
            said = words.format(f"{theirs:.0f}")
            return f"The switch {said} in a call of native, {mine:.0f} in one of ours."
    blocked, mine = blocked_share(native), blocked_share(ours)
    if blocked < 0.01 and mine < 0.01:
        return ""
    return f"A port was blocked for {blocked:.0%} of native's time, {mine:.0%} of ours."


def blocked_share(cell: Cell) -> float:
    """The mean over ports of the time that head-of-line blocking took."""
    blocked_s = sum(port.hol_blocked_s for port in cell.switch) / max(1, len(cell.switch))
    return blocked_s / cell.median_s
