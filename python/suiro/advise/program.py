# SPDX-License-Identifier: BSD-3-Clause
"""What a traced program calls, and which of its calls would be touched."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from suiro.advise.answer import NATIVE, Answer
from suiro.bench.catalog import Collective, collectives
from suiro.errors import UsageError
from suiro.quantities import size_text, time_text
from suiro.report.sources import LeftOut, trace_calls

_SHARE_MIN = 0.01  # of the time in collectives: what takes less is not worth a line
_KINDS_MAX = 24


@dataclass(frozen=True)
class Kind:
    """Calls of a collective on communicators of so many ranks, of one size (None: not known), by
    one algorithm; seconds that a rank spent in them, in the mean."""

    collective: str
    ranks: int
    bytes: int | None
    algorithm: str
    calls: int
    seconds: float


@dataclass
class Program:
    path: Path
    ranks: int
    kinds: list[Kind] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Of a rank, in all collectives."""
        return sum(kind.seconds for kind in self.kinds)

    @property
    def costly(self) -> list[Kind]:
        """The costliest first."""
        ordered = sorted(self.kinds, key=lambda kind: -kind.seconds)
        return [one for one in ordered if one.seconds >= _SHARE_MIN * self.seconds][:_KINDS_MAX]

    def calls(self) -> list[tuple[Collective, int]]:
        """That can be asked about: of all ranks, and of known sizes."""
        asked = [(one.collective, one.bytes or 0) for one in self.costly if not self.why_not(one)]
        return [(collectives()[name], size) for name, size in dict.fromkeys(asked)]

    def why_not(self, kind: Kind) -> str:
        """Why nothing is said of it; empty where something is."""
        known = collectives().get(kind.collective)
        if known is None:
            return "there is no such collective"
        if kind.ranks < self.ranks:
            return (
                f"a communicator of {kind.ranks} of {self.ranks} ranks: who is where is not known"
            )
        if known.has_data and not kind.bytes:
            return "sizes are not known, or nothing is sent"
        return ""


def read(path: Path) -> Program:
    """A trace; UsageError if no call is in it."""
    left_out: list[LeftOut] = []
    found: dict[tuple[str, int, int | None, str], list[float]] = defaultdict(list)
    ranks = 0
    try:
        with path.open("rb") as file:
            for call in trace_calls(path, file, left_out):
                key = (call.collective, call.comm_ranks, call.bytes, call.algorithm)
                found[key].append(call.seconds)
                ranks = max(ranks, call.rank + 1, call.comm_ranks)
    except OSError as error:
        raise UsageError(f"--like {path}: {error.strerror}") from None
    if not found:
        said = f"--like {path}: no call of a collective is in it; expected what `suiro run --trace"
        raise UsageError("; ".join([f"{said} FILE` writes", *map(str, left_out[:1])]))
    kinds = [Kind(*key, max(1, len(its) // key[1]), sum(its) / ranks) for key, its in found.items()]
    return Program(path, ranks, kinds, list(map(str, left_out)))


def program_lines(program: Program, answer: Answer) -> list[str]:
    """A line for each kind of call that matters, and what all comes to."""
    lines = [f"{program.path}: {time_text(program.seconds)} of each rank in collectives"]
    if program.ranks != answer.question.ranks:
        lines.append(f"It ran on {program.ranks} ranks, not on {answer.question.ranks}: calls of "
                     "all ranks are taken as they are")  # fmt: skip
    spared = [0.0, 0.0]
    for kind in program.costly:
        said, least, most = _verdict(program, kind, answer)
        share = kind.seconds / program.seconds if program.seconds else 0.0
        size = f" {size_text(kind.bytes)}" if kind.bytes else ""
        lines.append(f"{share:4.0%}  {kind.collective}{size}, {kind.calls} calls: {said}")
        spared = [spared[0] + least * kind.seconds, spared[1] + most * kind.seconds]
    left = [program.seconds - one for one in reversed(spared)]
    between = "" if time_text(left[0]) == time_text(left[1]) else f"{time_text(left[0])} to "
    lines.append(f"in all: {time_text(program.seconds)} would be {between}{time_text(left[1])}")
    return lines


def _verdict(program: Program, kind: Kind, answer: Answer) -> tuple[str, float, float]:
    """In words, and which part of its time is spared, at least and at most."""
    why_not = program.why_not(kind)
    if why_not:
        return f"not told: {why_not}", 0.0, 0.0
    cell = answer.of(kind.collective).get(kind.bytes or 0)
    if cell is None:
        return "not told in time: --within 60s", 0.0, 0.0
    if kind.algorithm != NATIVE:
        return f"ran {kind.algorithm} there already", 0.0, 0.0
    if cell.is_native:
        return "the MPI's own runs, as before", 0.0, 0.0
    gains = cell.gains if cell.measured_gain is None else [cell.measured_gain]
    if not gains:
        return f"{cell.choice.algorithm}; how fast is not known", 0.0, 0.0
    low, high = min(gains), max(gains)
    times = f"{low:.3g} to {high:.3g}" if high > 1.02 * low else f"{low:.3g}"
    mark = " (may be otherwise)" if cell.doubt else ""
    return f"{cell.choice.algorithm}, {times} times as fast{mark}", 1 - 1 / low, 1 - 1 / high
