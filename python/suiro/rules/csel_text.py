# SPDX-License-Identifier: BSD-3-Clause
"""Reads the text of a decision tree of MPICH's, with its lines: objects in objects, and nothing
else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suiro.errors import UsageError

_TOKEN = re.compile(r'\s+|"([^"\\\n]*)"|([{}:,])')


@dataclass(frozen=True)
class Entry:
    """A key and what is below it. Blanks in keys mean nothing to MPICH."""

    line: int
    key: str
    below: tuple["Entry", ...]


@dataclass(frozen=True)
class _Token:
    line: int
    text: str
    is_key: bool = False


def parse(path: Path, text: str) -> tuple[Entry, ...]:
    """UsageError with file, line and what was expected."""
    tokens = _tokens(path, text)
    _expect(path, next(tokens), "{")
    found = tuple(_entries(path, tokens))
    last = next(tokens)
    if last.text:
        raise UsageError(f'{path}:{last.line}: expected the end, got "{last.text}"')
    return found


def _tokens(path: Path, text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UsageError(f'{path}:{line}: expected a brace or a key, got "{text[at]}"')
        if match[1] is not None:
            yield _Token(line, "".join(match[1].split()), True)
        elif match[2] is not None:
            yield _Token(line, match[2])
        line += match[0].count("\n")
        at = match.end()
    while True:
        yield _Token(line, "")


def _expect(path: Path, token: _Token, text: str) -> None:
    if token.is_key or token.text != text:
        got = f'"{token.text}"' if token.text else "the end"
        raise UsageError(f'{path}:{token.line}: expected "{text}", got {got}')


def _entries(path: Path, tokens: Iterator[_Token]) -> Iterator[Entry]:
    """After an opening brace; to the closing one."""
    token = next(tokens)
    if token.text == "}" and not token.is_key:
        return
    while True:
        if not token.is_key:
            got = f'"{token.text}"' if token.text else "the end"
            raise UsageError(f"{path}:{token.line}: expected a key in quotation marks, got {got}")
        _expect(path, next(tokens), ":")
        _expect(path, next(tokens), "{")
        yield Entry(token.line, token.text, tuple(_entries(path, tokens)))
        after = next(tokens)
        if after.text == "}" and not after.is_key:
            return
        _expect(path, after, ",")
        token = next(tokens)
