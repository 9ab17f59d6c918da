# SPDX-License-Identifier: BSD-3-Clause
"""The native tool itself: what it prints, and how it refuses."""

import subprocess
from pathlib import Path

import pytest

from suiro import native

ROOT = Path(__file__).parent.parent.parent


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(native.tool("suiro-schedule")), *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_reference_page_is_what_the_catalog_says() -> None:
    page = ROOT / "docs/reference/algorithms.md"
    written = run("algorithms", "--markdown").stdout
    assert page.read_text() == written, f"suiro-schedule algorithms --markdown > {page.name}"


def test_what_show_prints_is_proven() -> None:
    shown = run("show", "alltoall/two_level_ring", "--nodes", "3", "--ppn", "2", "--order",
                "round_robin", "--parameter", "window=1")  # fmt: skip
    assert "parameter window 1" in shown.stdout
    result = run("verify", "-", text=shown.stdout)
    assert result.returncode == 0
    assert result.stdout.startswith("proven  -\n")


def test_the_document_in_schedule_format_is_accurate() -> None:
    page = (ROOT / "docs/schedule-format.md").read_text()
    lines = [line[4:] for line in page.splitlines() if line.startswith("    ")]
    golden = (ROOT / "tests/golden/schedules/alltoall-two_level_ring-2x2.txt").read_text()
    example = [line for line in lines if line]
    assert example == [line for line in golden.splitlines() if line][: len(example)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a command is missing"),
        (["dance"], "unknown command 'dance'"),
        (["show", "ring"], "show needs --nodes and --ppn"),
        (["show", "ringg", "--nodes", "2", "--ppn", "2"], "unknown algorithm 'ringg'"),
        (["show", "ring", "--nodes", "0", "--ppn", "2"], "--nodes takes a number from 1 to"),
        (["show", "ring", "--nodes", "2"], "show needs --nodes and --ppn"),
        (["show", "ring", "--nodes", "9999", "--ppn", "9"], "too large for the text form"),
        (["show", "ring", "--nodes", "2", "--ppn", "2", "--order", "x"], "block or round_robin"),
        (["show", "ring", "--nodes", "2", "--ppn", "2", "--parameter", "a=1"], "it takes none"),
        (["show", "ring", "--nodes", "2", "--ppn", "2", "--parameter", "a"], "NAME=VALUE"),
        (["verify", "--max-ranks"], "--max-ranks needs a value"),
        (["verify", "/nowhere", "--max-ranks", "2"], "--max-ranks is for the catalog"),
        (["algorithms", "--yaml"], "unexpected argument '--yaml'"),
        (["algorithms", "--json", "--markdown"], "exclude each other"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith("suiro-schedule: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert result.stdout == ""
