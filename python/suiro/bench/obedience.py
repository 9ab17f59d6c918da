# SPDX-License-Identifier: BSD-3-Clause
"""Whether the library ran what was asked for. It falls back to native where an algorithm cannot
run, and a figure of native under another name would be a lie."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

Row = dict[str, Any]
Key = tuple[int, str]  # bytes per block, candidate
_FREE = "auto"


def disobeyed(rows: list[Row], calls: dict[Key, int]) -> dict[Key, str]:
    """The reason for each candidate that did not run in each of its calls.

    Rows are those of `suiro run --explain=json`; sizes of one row share their highest bit.
    """
    expected: Counter[tuple[int, str]] = Counter()
    for (block_bytes, name), count in calls.items():
        expected[block_bytes.bit_length(), name] += count
    reasons = {}
    for block_bytes, name in calls:
        found = sum(row["calls"] for row in _rows(rows, block_bytes) if _obeys(row, name))
        if name != _FREE and found < expected[block_bytes.bit_length(), name]:
            reasons[block_bytes, name] = f"{name} did not run: {_why(rows, block_bytes, name)}"
    return reasons


def chosen(rows: list[Row], block_bytes: int) -> str | None:
    """What "auto" ran."""
    names = {row["algorithm"] for row in _rows(rows, block_bytes) if not _is_forced(row)}
    return " and ".join(sorted(names)) or None


def _rows(rows: list[Row], block_bytes: int) -> Iterable[Row]:
    return (row for row in rows if row["bytes"] and row["bytes"][0] <= block_bytes
            and row["bytes"][1].bit_length() == block_bytes.bit_length())  # fmt: skip


def _obeys(row: Row, name: str) -> bool:
    return bool(row["algorithm"] == name and row["reason"] == f"forced: {name}")


def _is_forced(row: Row) -> bool:
    texts = [row["reason"], *row["passed_over"]]
    return any("forced: " in text for text in texts)


def _why(rows: list[Row], block_bytes: int, name: str) -> str:
    sign = f"(forced: {name}): "
    for row in _rows(rows, block_bytes):
        for text in row["passed_over"]:
            if sign in text:
                return str(text.split(sign, 1)[1])
    return "the library ran something else; `suiro run --explain` tells what"
