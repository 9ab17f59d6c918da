# SPDX-License-Identifier: BSD-3-Clause
"""What is forced on suiro, one setting after the other: every algorithm of its catalog has its turn
in one of them, those of different collectives at once."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import zip_longest
from typing import Any

from jobs import Forced, Setting, reductions, rows_of

from suiro.errors import UsageError

# Cuts also the short messages of tests into many pieces.
# With shorter ones a sender runs ahead by thousands of messages, which UCX searches one by one.
_SHORT_SEGMENT = 256


# How `suiro run` is started.
MODES = {"plain": (), "check": ("--check",), "transport": ("--transport", "suiro")}


def chosen_settings(
    collectives: Sequence[str] = (),
    algorithms: Sequence[str] = (),
    rounds: Sequence[int] = (),
    modes: Sequence[str] = ("plain",),
) -> list[Setting]:
    """The defaults and all rounds; what is asked for by name is forced alone. All that in each
    mode."""
    found = list(
        _alone(collectives, algorithms) if collectives or algorithms else _in_rounds(rounds)
    )
    if not found:
        raise UsageError(
            "no algorithm fits --collective, --algorithm and --round: `suiro algorithms` lists them"
        )
    return [
        replace(one, name=" ".join([one.name, *MODES[mode]]), options=MODES[mode])
        for mode in modes
        for one in found
    ]


def _alone(collectives: Sequence[str], algorithms: Sequence[str]) -> Iterator[Setting]:
    """Each of these, first as it is; its parameters are the user's where given. Other collectives
    that reduce are native, as in rounds."""
    if "defaults" in algorithms:
        yield Setting()
    for row, runs in _catalog():
        if collectives and not set(collectives) & set(runs):
            continue
        given = [wanted for wanted in algorithms if wanted.startswith(f"{row['name']}:")]
        if not algorithms or any(fnmatchcase(row["name"], wanted) for wanted in algorithms):
            given = [row["name"], *_short(row), *given]
        for form in dict.fromkeys(given):
            forced = Forced(form, runs)
            left = tuple(sorted(reductions() - set(runs)))
            yield Setting(forced.name, (forced,), left)


def _in_rounds(numbers: Sequence[int]) -> Iterator[Setting]:
    """Round i forces the i-th algorithm of each collective: as it is, and then those again that cut
    messages, with short segments. What reduces has rounds of its own, and is native in all others,
    in which a program's results have to be native's to the last bit. Round 0 forces nothing."""
    if not numbers or 0 in numbers:
        yield Setting()
    by_collective = defaultdict(list)
    for row, runs in _catalog():
        by_collective[row["collective"]].append((row, runs))
    moving = [rows for name, rows in by_collective.items() if name not in reductions()]
    reducing = [rows for name, rows in by_collective.items() if name in reductions()]
    sums = tuple(sorted(reductions()))
    for what, several, left in (("", moving, sums), (" of reductions", reducing, ())):
        for number, turns in enumerate(zip_longest(*several), 1):
            if not numbers or number in numbers:
                rows = [turn for turn in turns if turn]
                yield from _round(f"round {number}{what}", rows, left)


def _round(
    name: str, rows: list[tuple[dict[str, Any], tuple[str, ...]]], native: tuple[str, ...]
) -> Iterator[Setting]:
    yield Setting(name, tuple(Forced(row["name"], runs) for row, runs in rows), native)
    cut = tuple(Forced(form, runs) for row, runs in rows for form in _short(row))
    if cut:
        yield Setting(f"{name} in short segments", cut, native)


def _catalog() -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Every algorithm with the collectives that it can run, its own first. Where only the root
    knows the sizes, no other rank could hand blocks on."""
    extended = defaultdict(list)
    for row in rows_of("collectives"):
        extended[row["regular"]].append((row["name"], row["sizes"]))
    for row in rows_of("algorithms"):
        own, direct = row["collective"], "direct" in row["properties"]
        others = sorted(
            name
            for name, sizes in extended[own]
            if name != own and (direct or sizes != "known to the root")
        )
        yield row, (own, *others)


def _short(row: dict[str, Any]) -> list[str]:
    """With short segments, if it cuts messages."""
    return [
        f"{row['name']}:segment={max(_SHORT_SEGMENT, parameter['minimum'])}"
        for parameter in row["parameters"]
        if parameter["name"] == "segment"
    ]
