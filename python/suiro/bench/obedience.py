# SPDX-License-Identifier: BSD-3-Clause
"""Whether the library ran what was asked for. It falls back to native where an algorithm cannot
run, and a figure of native under another name would be a lie."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

Row = dict[str, Any]
Key = tuple[int, str]  # bytes per block, candidate
_FREE = "auto"
# Of calls in which what is chosen does not run yet, or never as they are too few.
_EARLY = (
    "the first small calls",
    "a prediction would take longer than these calls",
    "trial: native's turn",
)
_WON = "; tried: "  # in the reason of what has won a trial
_RIVAL = " times as fast as "  # in what was tried: the algorithm that had won before
_LEFT = "nothing surely beats"  # of native, when nothing else is left to be tried
_ADVICE = "the library ran something else; `suiro run --explain` tells what"


def disobeyed(rows: list[Row], calls: dict[Key, int], sizeless: bool = False) -> dict[Key, str]:
    """The reason for each candidate that did not run in each of its calls.

    Rows are those of `suiro run --explain=json`; sizes of one row share their highest bit. They
    are `sizeless` where there is no data, and where blocks differ, since the library does not ask
    for their size when an algorithm is forced.
    """
    expected: Counter[tuple[int, str]] = Counter()
    for (block_bytes, name), count in calls.items():
        expected[0 if sizeless else block_bytes.bit_length(), name] += count
    reasons = {}
    for block_bytes, name in calls:
        of_size = rows if sizeless else list(_rows(rows, block_bytes))
        found = sum(row["calls"] for row in of_size if _obeys(row, name))
        if name != _FREE and found < expected[0 if sizeless else block_bytes.bit_length(), name]:
            reasons[block_bytes, name] = f"{name} did not run: {_ADVICE}"
    return reasons


def chosen(rows: list[Row], block_bytes: int, sizeless: bool = False) -> str | None:
    """What "auto" ran. The size that ranks agree on is that of the rank with least in its blocks
    that differ, which is less than the mean, but more than half of it. Where every size would run
    the same, they agree on none."""
    free = [row for row in rows if not _is_forced(row)]
    of_size = [*_rows(free, block_bytes), *(_rows(free, block_bytes // 2) if sizeless else ())]
    agreed_on_none = sizeless and not any(row["bytes"] for row in free)
    ran = free if agreed_on_none else of_size
    settled = [row for row in ran if not row["reason"].endswith(_EARLY)]
    last = [row for row in settled if _WON in row["reason"] or _LEFT in row["reason"]]
    names = {row["algorithm"] for row in last or settled or ran}
    beaten = {row["reason"].rpartition(_RIVAL)[2] for row in last if _RIVAL in row["reason"]}
    names = {name for name in names if name.partition(":")[0] not in beaten} or names
    return " and ".join(sorted(names)) or None


def _rows(rows: list[Row], block_bytes: int) -> Iterable[Row]:
    return (row for row in rows if row["bytes"] and row["bytes"][0] <= block_bytes
            and row["bytes"][1].bit_length() == block_bytes.bit_length())  # fmt: skip


def _obeys(row: Row, name: str) -> bool:
    return bool(row["algorithm"] == name and row["reason"] == f"forced: {name}")


def _is_forced(row: Row) -> bool:
    return "forced: " in row["reason"]
