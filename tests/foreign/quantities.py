# SPDX-License-Identifier: BSD-3-Clause
"""What a program computed, as it wrote it, and whether it is what it computes natively."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Fortran writes 1.0D-9; a word such as "4th" or "Si_2" is no number.
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[EeDd][-+]?\d+)?|\.\d+(?:[EeDd][-+]?\d+)?|nan|inf)(?!\w)",
    re.IGNORECASE,
)

Readings = Mapping[str, Sequence[str]]  # the numbers of each quantity, as they are written


@dataclass(frozen=True)
class Quantity:
    """Numbers that a program writes to its standard output, or into a file."""

    name: str
    pattern: str  # of lines; the numbers are in its groups
    # What another order of operands may change, as a share of the largest of these numbers.
    tolerance: float
    file: str = ""  # a pattern of names, of which one is there

    def read(self, out: str, folder: Path) -> list[str]:
        files = sorted(folder.glob(self.file)) if self.file else []
        text = files[0].read_text(errors="replace") if files else "" if self.file else out
        return [
            number
            for match in re.finditer(self.pattern, text, re.MULTILINE)
            for group in match.groups()
            for number in _NUMBER.findall(group)
        ]

    def difference(self, native: Sequence[str], other: Sequence[str], exact: bool) -> str:
        """In one line; empty if there is none."""
        if len(native) != len(other):
            return f"{self.name}: {len(other)} numbers, natively {len(native)}"
        values = [_value(text) for text in native]
        allowed = 0.0 if exact else self.tolerance * max(map(abs, values), default=0.0)
        for index, (was, text) in enumerate(zip(values, other, strict=True)):
            equal = text == native[index] or abs(_value(text) - was) <= allowed
            if not equal:
                return f"{self.name}: number {index + 1} is {text}, natively {native[index]}"
        return ""


def read_all(quantities: Sequence[Quantity], out: str, folder: Path) -> Readings:
    """Of what has ended; a file that is missing has no numbers."""
    return {quantity.name: quantity.read(out, folder) for quantity in quantities}


def unread(quantities: Sequence[Quantity], readings: Readings) -> str:
    """What is wrong with a run by itself: it computed nothing, or no numbers."""
    for quantity in quantities:
        numbers = readings[quantity.name]
        if not numbers:
            return f"it tells no {quantity.name}"
        if not all(math.isfinite(_value(text)) for text in numbers):
            return f"{quantity.name} is not finite"
    return ""


def first_difference(
    quantities: Sequence[Quantity], native: Readings, other: Readings, exact: bool
) -> str:
    found = (q.difference(native[q.name], other[q.name], exact) for q in quantities)
    return next(filter(None, found), "")


def _value(text: str) -> float:
    return float(text.upper().replace("D", "E"))
