# SPDX-License-Identifier: BSD-3-Clause
"""Where a key of a TOML document is written, which its parser does not tell."""

import re
from collections import Counter
from collections.abc import Iterator

Location = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"\s*([\w.-]+)\s*=")


def line_of(text: str, location: Location) -> int | None:
    """The line of a key, or else of what is in it, or of the nearest table around it."""
    best, length = None, 0
    unnumbered = tuple(part for part in location if isinstance(part, str))
    for number, written in _written(text):
        for wanted in (location, unnumbered):
            if wanted[: len(written)] == written and len(written) > length:
                best, length = number, len(written)
        if best is None and written[: len(location)] == location:
            best = number
    return best


def _written(text: str) -> Iterator[tuple[int, Location]]:
    """Every header and key, with its line. Elements of arrays of tables are numbered."""
    table: Location = ()
    elements: Counter[Location] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = tuple(header[2].split("."))
            if header[1] == "[[":
                elements[table] += 1
                table = (*table, elements[table] - 1)
            yield number, table
        elif key := _KEY.match(line):
            yield number, (*table, *key[1].split("."))
