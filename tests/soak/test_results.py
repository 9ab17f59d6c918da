# SPDX-License-Identifier: BSD-3-Clause
"""What measures scale writes results, of which a table can be made."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import communicators
import many_ranks

HERE = Path(__file__).parent


def result_of(folder: Path, program: str, *words: str) -> dict[str, Any]:
    """As a program of this folder writes it."""
    path = folder / "result.json"
    command = [sys.executable, str(HERE / program), "--json", str(path), *words]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    result: dict[str, Any] = json.loads(path.read_bytes())
    assert result["command"].startswith("./dev run ") and "--json" in result["command"]
    assert result["measured_at"] and result["machine"]["processor"]
    return result


def test_ranks_arrive_in_every_way(tmp_path: Path) -> None:
    options = ["40,70", "--descriptors", "64,128", "--over", "0,0.1", "--ppn", "16"]
    rows = result_of(tmp_path, "crowd.py", *options)["rows"]
    combinations = {(row["ranks"], row["descriptors"], row["over_s"]) for row in rows}
    assert len(rows) == len(combinations) == 8
    for row in rows:
        assert row["on"] == row["registered"] == row["ranks"], row
        assert row["seconds"] >= row["over_s"] * (row["ranks"] - 1) / row["ranks"]
        assert row["peak_bytes"] > 0 and row["said"] == []


def test_what_is_said_of_ranks_that_never_come(tmp_path: Path) -> None:
    options = ["40", "--descriptors", "64", "--over", "0", "--ppn", "16", "--lack", "3"]
    [row] = result_of(tmp_path, "crowd.py", *options)["rows"]
    assert (row["on"], row["answers"]) == (0, {"off": 37})
    assert "3 of 8 on n32" in row["said"][0] and row["said_lines"] == 1


def test_rows_of_a_program_become_a_result(tmp_path: Path) -> None:
    lines = ['{"what": "a", "bytes": 1}', '{"what": "b", "bytes": 2}']
    result = result_of(tmp_path, "recorded.py", "--", "printf", r"%s\n%s\n", *lines)
    assert result["rows"] == [json.loads(line) for line in lines]


def test_ratios_are_of_turns() -> None:
    both = [1.0, 1.5, 2.0, 3.0, 3.0, 4.5]
    found = many_ranks.turns_of(both)
    assert (found["alone_s"], found["suiro_s"], found["ratio"]) == (2.0, 3.0, 1.5)
    assert found["ratio_interval"] == (1.5, 1.5) and found["turns"] == 3
    row = communicators.row("mpich", "made and freed", both)
    assert row["ratio"] == 1.5 and row["alone_s"] == 2e-6
