# SPDX-License-Identifier: BSD-3-Clause
"""Reads what a report is made from: files of the store, results of `suiro bench --json`, traces of
`suiro run --trace`, told apart by what is in them. What is wrong is named, and the rest goes on."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from suiro.bench.result import Result
from suiro.errors import UsageError
from suiro.json_lines import WrongJsonError, parse
from suiro.quantities import size_text
from suiro.tune.store import FILE_BYTES_MAX, Record

_EXPECTED = (
    "expected a file of the store, what `suiro bench --json` prints, or a trace of "
    "`suiro run --trace`"
)
_SUFFIXES = (".json", ".jsonl")
_TOLD_MAX = 10  # lines of one file that are each named
_LINES_TRIED = 4  # until one shows that it is a trace, if its first ones are broken


class LeftOut(BaseModel):
    """What a file does not tell, and why."""

    file: str
    line: int | None
    what: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where} is left out: {self.what}"


class Call(BaseModel):
    """A line of a trace: one rank's part of one call. `bytes`: None where a size is not known."""

    model_config = ConfigDict(strict=True)
    rank: int = Field(ge=0)
    comm_ranks: int = Field(ge=1)
    collective: str = Field(min_length=1)
    bytes: int | None = Field(ge=0)
    algorithm: str = Field(min_length=1)
    seconds: float = Field(ge=0, allow_inf_nan=False)


# Ranks of the communicator, collective, size class (as bits of the size; None: unknown), algorithm.
Kind = tuple[int, str, int | None, str]


@dataclass
class Trace:
    """Seconds of every rank's part, by kind of call."""

    path: Path
    seconds: dict[Kind, list[float]] = field(default_factory=dict)

    def add(self, call: Call) -> None:
        size_class = None if call.bytes is None else call.bytes.bit_length()
        kind = (call.comm_ranks, call.collective, size_class, call.algorithm)
        self.seconds.setdefault(kind, []).append(call.seconds)


@dataclass
class Sources:
    """All that was read, in the order in which it was named."""

    records: list[Record] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.records or self.results or any(trace.seconds for trace in self.traces))


def read(paths: Iterable[Path]) -> Sources:
    """Files, and all those in folders; UsageError if one is not there."""
    sources = Sources()
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
        for file in _files(path) if path.is_dir() else [path]:
            try:
                _read(file, sources, raw_samples_are_wrong=file == path)
            except OSError as error:
                what = f"cannot be read: {error.strerror}"
                sources.left_out.append(LeftOut(file=str(file), line=None, what=what))
            except WrongJsonError as error:
                left_out = LeftOut(file=str(file), line=error.line, what=str(error))
                sources.left_out.append(left_out)
    return sources


def _files(folder: Path) -> list[Path]:
    return sorted(
        path for path in folder.rglob("*") if path.suffix in _SUFFIXES and not path.is_dir()
    )


def _read(path: Path, sources: Sources, raw_samples_are_wrong: bool) -> None:
    with path.open("rb") as opened:
        # What comes through a pipe can be read but once.
        file = opened if opened.seekable() else BytesIO(opened.read(FILE_BYTES_MAX + 1))
        first = [_object(line) for _, line in zip(range(_LINES_TRIED), file, strict=False)]
        file.seek(0)
        if any(isinstance(one.get("collective"), str) and "rank" in one for one in first):
            _read_trace(path, file, sources)
        elif not any("bench" in one for one in first):
            _read_document(file.read(FILE_BYTES_MAX + 1), sources)
        elif raw_samples_are_wrong:
            raise WrongJsonError(1, "raw samples of a bench; give the result.json beside them")


def _object(line: bytes) -> dict[str, Any]:
    """Nothing, if it is not one."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _read_document(data: bytes, sources: Sources) -> None:
    if len(data) > FILE_BYTES_MAX:
        raise WrongJsonError(1, f"{_EXPECTED}, of at most {size_text(FILE_BYTES_MAX)}")
    whole = _object(data)
    if "cells" in whole:
        sources.results.append(parse(Result, data))
    elif "samples" in whole or "key" in whole:
        sources.records.append(parse(Record, data))
    else:
        raise _neither(data)


def _neither(data: bytes) -> WrongJsonError:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return WrongJsonError(error.lineno, f"{_EXPECTED}; {error.msg}, at column {error.colno}")
    except ValueError:
        return WrongJsonError(1, f"{_EXPECTED}; this is no text")
    return WrongJsonError(1, _EXPECTED)


def _read_trace(path: Path, lines: Iterable[bytes], sources: Sources) -> None:
    trace = Trace(path)
    sources.traces.append(trace)
    for call in trace_calls(path, lines, sources.left_out):
        trace.add(call)


def trace_calls(path: Path, lines: Iterable[bytes], left_out: list[LeftOut]) -> Iterator[Call]:
    """Of a trace; lines that are none are added to what is left out."""
    wrong = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield parse(Call, line)
        except WrongJsonError as error:
            wrong += 1
            if wrong <= _TOLD_MAX:
                what = f"expected a line of `suiro run --trace`: {error}"
                left_out.append(LeftOut(file=str(path), line=number, what=what))
    if wrong > _TOLD_MAX:
        what = f"{wrong - _TOLD_MAX} more lines like these"
        left_out.append(LeftOut(file=str(path), line=None, what=what))
