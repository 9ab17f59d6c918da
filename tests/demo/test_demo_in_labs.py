# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration as a user sees it, whatever its numbers are; and what an interrupt leaves."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from suiro import lab
from suiro.bench.launcher import suiro_command

pytestmark = [pytest.mark.lab, pytest.mark.every]


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    """In a group of its own, as a terminal starts it. What it makes, it makes in the folder."""
    return subprocess.Popen(
        suiro_command("demo", "--report", str(folder / "report"), *options),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0,
        env={**os.environ, "TMPDIR": str(folder)},
    )  # fmt: skip


def test_three_numbers_and_a_page(tmp_path: Path) -> None:
    said, told = start(tmp_path, "--pairs", "1", "--json").communicate(timeout=300)
    shown = json.loads(said)["shown"]
    assert [one["lab"] for one in shown] == ["8x4-shared", "4x16-bridge", "4x4-hol"], told
    assert all(one["speedup"] > 0 and one["ran"] for one in shown)
    assert "with suiro, 1 of 1" in told
    page = (tmp_path / "report" / "index.html").read_text()
    assert page.count("times as fast<br>") == 3


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    process = start(tmp_path)
    assert process.stderr is not None
    while "without suiro, 1 of 3" not in process.stderr.readline():
        assert process.poll() is None
    name = f"8x4-shared-{process.pid}"
    assert name in {one["name"] for one in lab.list_labs()}
    os.killpg(process.pid, signal.SIGINT)
    said, told = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, ""), told
    assert "Traceback" not in told
    assert name not in {one["name"] for one in lab.list_labs()}
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    assert not list((tmp_path / "report").iterdir())
