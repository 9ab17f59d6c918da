# SPDX-License-Identifier: BSD-3-Clause
"""How --explain prints what ran: a line for each kind of call, and below the reasons by number."""

import json
from pathlib import Path
from typing import Any, TextIO

from suiro.output import columns, wrapped
from suiro.quantities import size_range_text, size_text, time_text
from suiro.run.hint import hint
from suiro.text_table import NOTHING, lay_out

_WORDS = ("collective", "bytes", "algorithm")
_LEAST = ("max", "native", "x bound")  # left out in this order


def print_json(rows: list[dict[str, Any]], sites: list[dict[str, Any]], stream: TextIO) -> None:
    """One document."""
    json.dump({"collectives": rows, "sites": sites, "hint": hint(rows)}, stream, indent=1)
    stream.write("\n")


def print_table(rows: list[dict[str, Any]], sites: list[dict[str, Any]], stream: TextIO) -> None:
    """By shape; then the reasons; then who told the sites."""
    width = columns(stream)
    lines = table_lines(rows, width)
    for told in sites:
        lines += wrapped(f"sites: {told['count']}, told by {told['told_by']}", width)
    if advice := hint(rows):
        lines += wrapped(f"hint: {advice}", width)
    stream.write("\n".join(lines) + "\n")


def table_lines(rows: list[dict[str, Any]], width: int | None) -> list[str]:
    """At most so many columns wide, unless one name alone is longer; None: as wide as it gets."""
    reasons = list(dict.fromkeys(_reason(row) for row in rows))
    cells = [_cells(row, reasons.index(_reason(row)) + 1) for row in rows]
    layout = lay_out(cells, width, left=_WORDS, least=_LEAST, indent="  ")
    lines = ["suiro: what ran", layout.heading]
    for shape in dict.fromkeys(map(_shape, rows)):
        lines += wrapped(shape, width)
        lines += [
            layout.line(line) for row, line in zip(rows, cells, strict=True) if _shape(row) == shape
        ]
    lines.append("why")
    digits = len(str(len(reasons)))
    for number, reason in enumerate(reasons, 1):
        lines += wrapped(f"  {number:>{digits}}  {reason}", width, " " * (digits + 4))
    lines += layout.remarks(width)
    return lines


def _cells(row: dict[str, Any], reason: int) -> dict[str, str]:
    bound = _over_bound(row["median_s"] / row["bound_s"]) if row["bound_s"] else NOTHING
    return {
        "collective": row["collective"],
        "bytes": NOTHING if row["bytes"] is None else _sizes(*row["bytes"]),
        "algorithm": row["algorithm"],
        "calls": str(row["calls"]),
        "median": time_text(row["median_s"]),
        "max": time_text(row["max_s"]),
        "native": NOTHING if row["native_s"] is None else time_text(row["native_s"]),
        "x bound": bound,
        "why": str(reason),
    }


def _shape(row: dict[str, Any]) -> str:
    shared = row["link_shared_by"]
    shape: str = row["shape"]
    return shape + (f", link shared by {shared} communicators" if shared > 1 else "")


def _reason(row: dict[str, Any]) -> str:
    """A rule file is named as the user would name it."""
    reason: str = row["reason"]
    return reason.replace(f"{_current_folder()}/", "")


def _current_folder() -> str:
    """Empty, if it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _over_bound(ratio: float) -> str:
    """Of a few bytes the way takes all the time, and the bound knows bytes only."""
    return f"{ratio:.2f}" if ratio < 100 else "> 100"


def _sizes(low: int, high: int) -> str:
    return size_text(low) if low == high else size_range_text(low, high + 1)
