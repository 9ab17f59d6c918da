# SPDX-License-Identifier: BSD-3-Clause
"""Reads Open MPI's rule files as Open MPI does, and says what it would not say.

Source: ompi/mca/coll/tuned/coll_tuned_dynamic_file.c and coll_base_util.c in 4.1.4 and 5.0.10. A
file with a mistake is ignored as a whole, without a word, in the builds that people have."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from suiro.errors import UsageError
from suiro.tune import openmpi

_VERSION_2 = "rule-file-version-2"
_COUNT_MAX = 1 << 20
_IGNORED = "Open MPI would ignore the whole file"
# All that Open MPI takes; of the latter it has one algorithm or asks for none.
_NAMES = {number: name for name, number in openmpi.COLLECTIVES.items()} | openmpi.WITHOUT_CHOICE


@dataclass(frozen=True)
class Row:
    line: int
    from_bytes: int
    number: int
    fanout: int
    segment: int
    max_requests: int = 0


@dataclass(frozen=True)
class Block:
    """For communicators of this many ranks, and more until the next block."""

    line: int
    ranks: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Rules:
    version: int
    blocks: dict[str, tuple[Block, ...]]
    warnings: list[str] = field(default_factory=list)

    def find(self, collective: str, ranks: int, size: int) -> Row | None:
        """What Open MPI would run for a size of ours; None: what is built in."""
        blocks = self.blocks.get(collective, ())
        if not blocks:
            return None
        index = bisect_right([block.ranks for block in blocks], ranks) - 1
        rows = blocks[max(index, 0)].rows  # the first block, if all are of more ranks
        asked = openmpi.rule_bytes(collective, size, ranks)
        if collective in openmpi.SIZELESS:
            asked = 0
        row = rows[bisect_right([row.from_bytes for row in rows], asked) - 1]
        return row if row.number != openmpi.FIXED else None


@dataclass(frozen=True)
class _Token:
    line: int
    text: str


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._tokens = _tokens(text)
        self._line = 1

    def fail(self, line: int, what: str) -> UsageError:
        return UsageError(f"{self._path}:{line}: {what}")

    def word(self, what: str) -> _Token:
        token = next(self._tokens, None)
        if token is None:
            raise self.fail(self._line, f"expected {what}, but the file ends; {_IGNORED}")
        self._line = token.line
        return token

    def number(self, what: str, maximum: int = 2**63 - 1) -> tuple[int, int]:
        """The line, and the number as C reads it: 010 is 8."""
        token = self.word(what)
        if not re.fullmatch(r"-?(0[0-7]*|[1-9]\d*)", token.text):
            raise self.fail(token.line, f'expected {what}, got "{token.text}"')
        value = int(token.text, 8 if re.match(r"-?0[0-7]", token.text) else 10)
        if not 0 <= value <= maximum:
            raise self.fail(token.line, f"expected {what} from 0 to {maximum}, got {value}")
        return token.line, value

    def rest(self) -> _Token | None:
        return next(self._tokens, None)


def _tokens(text: str) -> Iterator[_Token]:
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.split("#", 1)[0].split():
            yield _Token(number, word)


def parse(path: Path) -> Rules:
    """UsageError with file, line and what was expected."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"{path}: {reason}") from None
    version = 2 if text.startswith(_VERSION_2) else 1
    if version == 2:
        text = text.replace(_VERSION_2, " " * len(_VERSION_2), 1)
    reader = _Reader(path, text)
    _, count = reader.number("the number of collectives", len(_NAMES) + 8)
    blocks: dict[str, tuple[Block, ...]] = {}
    warnings: list[str] = []
    for _ in range(count):
        line, number = reader.number("the number of a collective", 1000)
        if number not in _NAMES:
            raise reader.fail(line, f"there is no collective {number} that has rules")
        name = _NAMES[number]
        blocks[name] = tuple(_blocks(reader, name, version))
        warnings += [f"{path}:{one}" for one in _warnings(name, blocks[name])]
    left = reader.rest()
    if left is not None:
        warnings.append(
            f'{path}:{left.line}: "{left.text}" and what comes after it is not read: a number of '
            "rows before it is too small"
        )
    return Rules(version, blocks, warnings)


def _blocks(reader: _Reader, name: str, version: int) -> Iterator[Block]:
    _, count = reader.number(f"how many numbers of ranks {name} has", _COUNT_MAX)
    previous = -1
    for _ in range(count):
        line, ranks = reader.number("a number of ranks", 2**31 - 1)
        if ranks <= previous:
            raise reader.fail(line, f"expected more than {previous} ranks, got {ranks}")
        previous = ranks
        yield Block(line, ranks, tuple(_rows(reader, name, version)))


def _rows(reader: _Reader, name: str, version: int) -> Iterator[Row]:
    line, count = reader.number("a number of rows", _COUNT_MAX)
    if count == 0:
        raise reader.fail(line, "expected at least one row")
    previous = -1
    for index in range(count):
        line, size = reader.number("bytes from which a row holds")
        if index == 0 and size != 0:
            raise reader.fail(
                line, f"expected the first row to be from 0 bytes on, got {size}; {_IGNORED}"
            )
        if size <= previous:
            raise reader.fail(line, f"expected more than {previous} bytes, got {size}")
        previous = size
        _, number = reader.number("the number of an algorithm", 1000)
        _, fanout = reader.number("a fan-out", 2**31 - 1)
        _, segment = reader.number("bytes of a segment", 2**31 - 1)
        requests = reader.number("a number of requests", 2**31 - 1)[1] if version == 2 else 0
        if number != openmpi.FIXED and number not in openmpi.numbers(name):
            raise reader.fail(
                line, f"{name} has no algorithm {number}; calls for which it is chosen would fail"
            )
        yield Row(line, size, number, fanout, segment, requests)


def _warnings(name: str, blocks: tuple[Block, ...]) -> Iterator[str]:
    if blocks and blocks[0].ranks > 2:
        yield (
            f"{blocks[0].line}: holds for fewer than {blocks[0].ranks} ranks, too, since there is "
            "no block for fewer: begin with one of 0 ranks"
        )
    for block in blocks:
        if name in openmpi.UNSAFE and len(block.rows) > 1:
            yield (
                f"{block.rows[1].line}: rules of {name} that depend on bytes read arguments that "
                "mean nothing on most ranks, and can crash right programs: keep one row"
            )
