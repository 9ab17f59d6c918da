# SPDX-License-Identifier: BSD-3-Clause
"""`suiro algorithms` shows the native catalog."""

import json

import pytest
import typer
from typer.testing import CliRunner

from suiro import native
from suiro.cli.algorithms import algorithms
from suiro.errors import MachineError

app = typer.Typer()
app.command()(algorithms)
runner = CliRunner()


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    native.tool("suiro-schedule")
    monkeypatch.setenv("COLUMNS", "160")


def test_the_table_has_a_row_per_algorithm() -> None:
    result = runner.invoke(app)
    assert result.exit_code == 0
    for text in ("two_level_ring", "pairwise", "cap 1..1024, default 8", "one_peer_per_node"):
        assert text in result.stdout


def test_json_is_one_document() -> None:
    result = runner.invoke(app, ["--json"])
    rows = json.loads(result.stdout)["algorithms"]
    assert [row["name"] for row in rows] == sorted(row["name"] for row in rows)
    assert all(row["cost"] and row["source"] for row in rows)


def test_a_missing_tool_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUIRO_NATIVE_DIR", "/nowhere")
    result = runner.invoke(app)
    assert isinstance(result.exception, MachineError)
    assert "./dev build" in str(result.exception)
