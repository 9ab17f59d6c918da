# SPDX-License-Identifier: BSD-3-Clause
"""What tables of numbers are made of."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def result_paths(names: Iterable[str]) -> Iterator[Path]:
    """In the order of the names; one that no result has is a mistake."""
    for name in names:
        found = sorted(RESULTS.glob(f"{name}.json"))
        if not found:
            raise ValueError(f"docs/results has no {name}.json")
        yield from found


def markdown(header: str, rows: Iterable[list[str]]) -> list[str]:
    names = [name.strip() for name in header.split("|")]
    return [f"| {' | '.join(row)} |" for row in [names, ["---"] * len(names), *rows]]


def ratio(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None or interval is None:
        return "-"
    return f"{value:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]"


def rows_of(names: list[str]) -> Iterator[dict[str, Any]]:
    """Of the programs in tests/soak."""
    for path in result_paths(names):
        yield from json.loads(path.read_bytes())["rows"]
