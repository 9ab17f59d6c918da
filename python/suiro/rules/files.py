# SPDX-License-Identifier: BSD-3-Clause
"""Files of all kinds, told apart by how they begin."""

import json
from dataclasses import dataclass
from pathlib import Path

from suiro import native_json
from suiro.errors import UsageError
from suiro.rules import mpich_file, openmpi_file
from suiro.tune import openmpi

SUIRO, OPENMPI, MPICH = "suiro", "openmpi", "mpich"


@dataclass(frozen=True)
class Line:
    """One rule, as a table shows it."""

    line: int
    collective: str
    where: str
    bytes: str
    algorithm: str


@dataclass(frozen=True)
class File:
    path: Path
    kind: str
    lines: list[Line]
    warnings: list[str]


def kind_of(path: Path) -> str:
    """UsageError if it is none."""
    try:
        text = path.read_text().lstrip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"{path}: {reason}") from None
    if not text.startswith("{"):
        return OPENMPI
    try:
        keys = json.loads(text)
    except ValueError:  # the parser of its kind says in which line what is wrong
        return MPICH if mpich_file.begins_one(text) else SUIRO
    return MPICH if mpich_file.is_one(list(keys)) else SUIRO


def read(path: Path) -> File:
    """UsageError with file, line and what was expected."""
    readers = {OPENMPI: _read_openmpi, MPICH: _read_mpich, SUIRO: _read_suiro}
    return readers[kind_of(path)](path)


def _read_mpich(path: Path) -> File:
    found = mpich_file.read(path)
    lines = [
        Line(leaf.line, leaf.collective, mpich_file.where_text(leaf), mpich_file.bytes_text(leaf),
             leaf.name)
        for leaf in found.leaves
    ]  # fmt: skip
    return File(path, MPICH, lines, found.warnings)


def _read_openmpi(path: Path) -> File:
    rules = openmpi_file.parse(path)
    lines = []
    for name, blocks in rules.blocks.items():
        for index, block in enumerate(blocks):
            last = blocks[index + 1].ranks - 1 if index + 1 < len(blocks) else None
            where = _range_text(block.ranks, last) + " ranks"
            for row, following in zip(block.rows, [*block.rows[1:], None], strict=True):
                end = following.from_bytes - 1 if following else None
                lines.append(
                    Line(
                        row.line,
                        name,
                        where,
                        _range_text(row.from_bytes, end),
                        rule_text(name, row),
                    )
                )
    return File(path, OPENMPI, lines, rules.warnings)


def rule_text(collective: str, row: openmpi_file.Row) -> str:
    if row.number == openmpi.FIXED:
        return "built in"
    given = [f"fanout={row.fanout}"] if row.fanout else []
    given += [f"segment={row.segment}"] if row.segment else []
    given += [f"max_requests={row.max_requests}"] if row.max_requests else []
    name = openmpi.numbers(collective)[row.number]
    return f"{row.number} {name}" + (":" + ",".join(given) if given else "")


def _range_text(first: int, last: int | None) -> str:
    return f"{first}" if first == last else f"{first} on" if last is None else f"{first} to {last}"


def _read_suiro(path: Path) -> File:
    rows = native_json.call("suiro-schedule", ["rules", str(path)], "reading rules").document
    lines = [
        Line(row["line"], row["collective"], row["where"], row["bytes"], row["algorithm"])
        for row in rows["rules"]
    ]
    return File(path, SUIRO, lines, [])
