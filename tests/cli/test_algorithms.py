# SPDX-License-Identifier: BSD-3-Clause
"""`suiro algorithms` shows the native catalog."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from suiro import native
from suiro.cli import main
from suiro.cli.algorithms import algorithms
from suiro.errors import MachineError, UsageError

app = typer.Typer()
app.command()(algorithms)
runner = CliRunner()


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    native.tool("suiro-schedule")
    monkeypatch.setenv("COLUMNS", "160")


def test_the_list_has_a_line_per_algorithm_below_its_collective() -> None:
    lines = runner.invoke(app).stdout.splitlines()
    collectives = [line for line in lines if line and not line.startswith(" ")][:-1]
    assert collectives == sorted(collectives)
    assert {"allgather", "allreduce", "alltoall", "exscan", "reduce_scatter_block"} < {*collectives}
    after = lines[lines.index("bcast") :]
    assert any(line.split()[0] == "scatter_allgather" for line in after if line)
    assert f"suiro algorithms {collectives[0]}/" in lines[-1]


def test_no_line_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, runner.invoke(app).stdout.splitlines())) <= 60


def test_one_collective_is_listed_alone() -> None:
    lines = runner.invoke(app, ["barrier"]).stdout.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["barrier", "dissemination"]
    assert not any(line.startswith("bcast") for line in lines)


def test_of_one_algorithm_everything_is_told() -> None:
    text = runner.invoke(app, ["alltoall/linear_capped"]).stdout
    for part in ("source: ", "cost: ", "parameter cap 1..1024, default 8: ", "proven: direct"):
        assert part in text


def test_json_is_one_document() -> None:
    result = runner.invoke(app, ["--json", "bcast"])
    rows = json.loads(result.stdout)["algorithms"]
    assert [row["name"] for row in rows] == sorted(row["name"] for row in rows)
    assert all(row["cost"] and row["source"] for row in rows)


def test_what_there_is_not_is_said_with_what_there_is() -> None:
    result = runner.invoke(app, ["dance"])
    assert isinstance(result.exception, UsageError)
    assert "'dance' is neither a collective nor an algorithm" in str(result.exception)


def test_a_missing_tool_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUIRO_NATIVE_DIR", "/nowhere")
    result = runner.invoke(app)
    assert isinstance(result.exception, MachineError)
    assert "./dev build" in str(result.exception)


def test_no_word_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    words = runner.invoke(app, ["bcast"]).stdout.split()
    for width in ("60", "120"):
        monkeypatch.setenv("COLUMNS", width)
        assert runner.invoke(app, ["bcast"]).stdout.split() == words
    monkeypatch.delenv("COLUMNS")  # and none is folded in a file
    assert max(map(len, runner.invoke(app, ["bcast"]).stdout.splitlines())) > 100


def test_help_says_what_commands_are_for_in_whole_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for width in (80, 160):
        monkeypatch.setenv("COLUMNS", str(width))
        text = CliRunner().invoke(main.app, ["--help"]).stdout
        assert "..." not in text.partition("Commands:")[2]
        assert max(map(len, text.splitlines())) <= width


def commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*words, name)
        yield from commands(command, (*words, name)) if hasattr(command, "commands") else ()


def test_no_line_of_help_is_longer_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    every = list(commands(get_command(main.app)))
    assert ("lab", "run") in every and ("advise",) in every
    for words in every:
        for width in (80, 160):
            monkeypatch.setenv("COLUMNS", str(width))
            text = CliRunner().invoke(main.app, [*words, "--help"]).stdout
            assert max(map(len, text.splitlines())) <= width, words
