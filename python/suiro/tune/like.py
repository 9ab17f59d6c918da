# SPDX-License-Identifier: BSD-3-Clause
"""What a program calls, from a trace that `suiro run --trace` has written: what is worth tuning for
it, and on how many ranks."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from suiro.bench.catalog import Collective, collectives
from suiro.errors import UsageError
from suiro.report.sources import LeftOut, trace_calls
from suiro.tune.plans import Wish, named, why_not

_SHARE_MIN = 0.01  # of the time in collectives: what takes less is not worth a measurement
_FACTOR_APART = 1.4  # sizes that are closer run the same algorithm
_UNITS_APART = 64  # candidates of the MPI's own stand on sizes beside each other
_SIZES_MAX = 8  # of one kind of call

_Seconds = dict[int | None, float]  # by bytes; None: not known


@dataclass
class Like:
    """`remarks`: what was not read, and what of the program's time is not tuned, and why."""

    wishes: list[Wish] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def like(path: Path, names: str, owner: str) -> Like:
    """Of the collectives that are named, the calls that take the program time, the costliest
    first. `owner`: the MPI whose own algorithms are compared, or nothing."""
    left_out: list[LeftOut] = []
    seconds = _seconds(path, left_out)
    found = Like(remarks=list(map(str, left_out)))
    total_s = sum(sum(one.values()) for one in seconds.values())
    wanted = {one.name for one in named(names, owner)}
    for (name, ranks), by_size in sorted(seconds.items(), key=lambda one: -sum(one[1].values())):
        share = sum(by_size.values()) / total_s if total_s > 0 else 0.0
        if share < _SHARE_MIN:
            break
        collective = collectives().get(name)
        reason = _why_not(collective, ranks, wanted, owner)
        if collective is not None and reason is None:
            sizes = _worth_it(by_size, _SHARE_MIN * total_s, collective.unit_bytes)
            found.wishes += [Wish(collective, ranks, sizes, _FACTOR_APART)] if sizes else []
            reason = None if sizes else "its sizes are not known, or too many for one to matter"
        if reason is not None:
            said = f"{name} on {ranks} ranks, {share:.0%} of the time in collectives"
            found.remarks.append(f"{said}, is not tuned: {reason}")
    if not found.wishes:
        raise UsageError("; ".join([f"--like {path}: nothing in it can be tuned", *found.remarks]))
    return found


def _seconds(path: Path, left_out: list[LeftOut]) -> Mapping[tuple[str, int], _Seconds]:
    """Of all ranks together, by collective and ranks of the communicator."""
    seconds: dict[tuple[str, int], _Seconds] = defaultdict(lambda: defaultdict(float))
    try:
        with path.open("rb") as file:
            for call in trace_calls(path, file, left_out):
                seconds[call.collective, call.comm_ranks][call.bytes] += call.seconds
    except OSError as error:
        raise UsageError(f"--like {path}: {error.strerror}") from None
    if not seconds:
        said = f"--like {path}: no call of a collective is in it; expected what `suiro run --trace"
        raise UsageError("; ".join([f"{said} FILE` writes", *map(str, left_out[:1])]))
    return seconds


def _why_not(collective: Collective | None, ranks: int, wanted: set[str], owner: str) -> str | None:
    if collective is None:
        return "there is no such collective"
    if ranks < 2:
        return "one rank has nobody to talk to"
    reason = why_not(collective, owner)
    if reason is None and collective.name not in wanted:
        reason = "it was not asked for"
    return reason


def _worth_it(by_size: _Seconds, least_s: float, unit: int) -> list[int]:
    """Sizes that take the most time, ascending; each stands for those near it."""
    kept: list[int] = []
    order = [size for size in by_size if size]
    for size in sorted(order, key=lambda one: (-by_size[one], one)):
        near = [one for one in order if not _apart(one, size, unit)]
        enough = sum(by_size[one] for one in near) >= least_s
        if enough and len(kept) < _SIZES_MAX and all(_apart(one, size, unit) for one in kept):
            kept.append(size)
    return sorted(kept)


def _apart(one: int, other: int, unit: int) -> bool:
    low, high = sorted((one, other))
    return high > _FACTOR_APART * low and high - low >= _UNITS_APART * unit
