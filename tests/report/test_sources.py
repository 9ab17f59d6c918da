# SPDX-License-Identifier: BSD-3-Clause
"""What a report is made from: told apart by content, and what is wrong is named with its line."""

import os
import threading
from pathlib import Path

import pytest
from made_up import trace_line, write_all

from suiro.errors import UsageError
from suiro.json_lines import line_of
from suiro.report.sources import read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_all(tmp_path)
    return tmp_path


def test_kinds_are_told_apart(folder: Path) -> None:
    (folder / "samples.jsonl").write_text('{"bench": "start"}\n')  # beside a bench's result
    (folder / "candidates.rules").write_text("of a tuner that runs")
    sources = read([folder])
    assert (len(sources.records), len(sources.results), len(sources.traces)) == (1, 1, 1)
    assert not sources.left_out and not sources.empty
    (trace,) = sources.traces
    assert trace.seconds == {(2, "bcast", 13, "native"): [0.5, 0.7]}
    assert len(read([folder / "store.json", folder / "bench.json"]).results) == 1


@pytest.mark.parametrize(
    ("name", "change", "line", "said"),
    [
        ("store.json", ('"root":1', '"root":-1'), 1, "key.root"),
        ("store.json", ('"bytes":1000', '"bytes":"many"'), 1, "samples.0.bytes"),
        ("store.json", ("}]}\n", ""), 1, "expected a file of the store"),
        ("bench.json", ('"median_s": 0.1', '"median_s": "long"'), 62, "cells.1.median_s"),
        ("bench.json", ('"median_s": 0.1', '"median_s": 0'), 62, "greater than 0"),
        ("bench.json", ('"cores": 2', '"cores": '), 3, "expected a file of the store"),
        ("bench.json", ('"machine"', '"motor"'), 1, "machine: Field required"),
        ("trace.jsonl", ("0.7", "-0.7"), 2, "seconds"),
        ("trace.jsonl", ('"rank": 1', '"rank": 1, '), 2, "expected a line of `suiro run --trace`"),
        ("trace.jsonl", ('{"t"', 'half a line"t"'), 1, "expected a line of `suiro run --trace`"),
    ],
)
def test_mistakes_are_named(
    folder: Path, name: str, change: tuple[str, str], line: int, said: str
) -> None:
    path = folder / name
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    sources = read([folder])
    (left_out,) = sources.left_out
    assert left_out.file == str(path)
    assert left_out.line == line and said in left_out.what
    # Nothing else is lost: the other files, and the other lines of a trace.
    kinds = (sources.records, sources.results, [one for one in sources.traces if one.seconds])
    assert sum(map(bool, kinds)) == (3 if name == "trace.jsonl" else 2)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"[1, 2]", b"{}", b"plain text"])
def test_what_is_neither(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    (left_out,) = read([path]).left_out
    assert str(left_out).startswith(f"{path}:1 is left out: expected a file of the store")


@pytest.mark.parametrize("name", ["store.json", "bench.json", "trace.jsonl"])
def test_a_pipe_is_read(folder: Path, tmp_path: Path, name: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes((folder / name).read_bytes()))
    writer.start()
    sources = read([pipe])
    writer.join()
    assert not sources.empty and not sources.left_out


def test_many_broken_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(trace_line(0, None, 1.0) + "broken\n" * 50 + trace_line(1, None, 1.0))
    sources = read([path])
    assert len(sources.left_out) == 11
    assert "40 more lines" in sources.left_out[-1].what
    assert sources.traces[0].seconds == {(2, "bcast", None, "native"): [1.0, 1.0]}


def test_raw_samples_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text('{"bench": "start"}\n')
    assert "result.json" in read([path]).left_out[0].what
    with pytest.raises(UsageError, match="no such file"):
        read([tmp_path / "nowhere"])


def test_lines_of_json() -> None:
    text = '{\n "a": [\n  1,\n  {"b, :": "]}"}\n ],\n "c": {}\n}'
    assert line_of(text, ("a", 1, "b, :")) == 4
    assert line_of(text, ("a", 7)) == 2
    assert line_of(text, ("c",)) == 6
    assert line_of("[]", ("x",)) == 1
