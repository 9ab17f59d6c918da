# SPDX-License-Identifier: BSD-3-Clause
"""How wide results are: as the terminal, else as COLUMNS, else as a file wants."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from typer.testing import CliRunner

from suiro import lab
from suiro.bench import transports
from suiro.bench.transports import Comparison, Row
from suiro.cli.main import app
from suiro.output import columns
from suiro.text_table import lay_out

SUIRO = str(Path(sys.executable).parent / "suiro")
RESULTS = Path(__file__).parents[2] / "docs/results"
RULES = [
    {"collective": "reduce_scatter_block", "nodes": [2, 8], "ppn": [1, 4],
     "bytes": [1, 65536], "algorithm": "native"},
    {"collective": "bcast", "algorithm": "pipeline", "parameters": {"segment": 8192}},
]  # fmt: skip


def printed(words: list[str], width: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [SUIRO, *words], env=os.environ | {"COLUMNS": width}, cwd=folder,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "narrow"),
    [
        (["--version"], 80),
        (["verify", "bcast", "--max-ranks", "4"], 80),
        (["lab", "specs"], 80),
        (["rules", "show", "rules.json"], 64),
        (["report", *map(str, sorted(RESULTS.glob("4x4-bridge-mpich-al*.json")))], 80),
    ],
)
def test_columns_are_kept_and_words_whole(words: list[str], narrow: int, tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text(json.dumps({"suiro_rules": 1, "rules": RULES}))
    wide = printed(words, "", tmp_path)
    lines = printed(words, str(narrow), tmp_path)
    assert max(map(len, lines)) <= narrow < max(map(len, wide))
    assert sorted(" ".join(lines).split()) == sorted(" ".join(wide).split())


def test_columns_that_are_told_come_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "w") as _, os.fdopen(theirs, "w") as terminal:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, 70, 0, 0))
        for told, on_terminal, in_file in (("50", 50, 50), ("", 70, 90), ("0", 70, 90)):
            monkeypatch.setenv("COLUMNS", told)
            assert columns(terminal) == on_terminal
            with (tmp_path / "file").open("w") as file:
                assert columns(file, 90) == in_file
        monkeypatch.delenv("COLUMNS")
        with (tmp_path / "file").open("w") as file:
            assert columns(file) is None


def test_sentences_go_on_below_themselves() -> None:
    rows = [{"name": "a", "where": "four nodes, one switch", "time": "1 ms"}]
    layout = lay_out(rows, 21, left=("name",), least=("time",), sentences=("where",))
    assert layout.heading == "name where       time"
    assert layout.line(rows[0]) == "a    four nodes, 1 ms\n     one switch"
    layout = lay_out(rows, 15, left=("name",), least=("time",), sentences=("where",))
    assert layout.line(rows[0]) == "a    four\n     nodes, one\n     switch"
    assert layout.left_out == ["time"]


def test_what_happened_in_a_lab_is_left_out_last(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {"name": "host0", "rx_bytes": 10**6, "drops": 7, "pauses": 0, "unroutable": 0}
    monkeypatch.setattr(lab, "status", lambda _: {"turns": 1, "ports": [dict(counted)]})
    shown = CliRunner().invoke(app, ["lab", "status", "x"], env={"COLUMNS": "24"}).stdout
    assert shown.splitlines()[1].split() == ["name", "rx_bytes", "drops"]
    assert "without unroutable, pauses:" in " ".join(shown.split())


def test_transports_are_in_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        Row(transport="suiro", seconds=1e-3, seconds_interval=(1e-3, 1e-3), processor_s=2e-3),
        Row(transport="tcp", seconds=2e-3, seconds_interval=(2e-3, 2e-3), processor_s=3e-3,
            ratio=2.0, ratio_interval=(1.9, 2.1)),
    ]  # fmt: skip
    result = Comparison(kernel="pingpong", bytes=8, jobs=1, calls=1, rows=rows)
    monkeypatch.setattr(transports, "compare", lambda *_, **__: result)
    words = ["bench-transport", "--mpi", "openmpi", "--", "srun"]
    lines = CliRunner().invoke(app, words, env={"COLUMNS": "56"}).stdout.splitlines()
    assert lines[0].split() == ["kernel", "bytes", "transport", "time", "its", "time", "/",
                                "suiro's"]  # fmt: skip
    assert lines[2].split() == ["pingpong", "8", "B", "tcp", "2", "ms", "2.00", "[1.90,", "2.10]"]
