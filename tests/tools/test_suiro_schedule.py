# SPDX-License-Identifier: BSD-3-Clause
"""The native tool itself: what it prints, and how it refuses."""

import json
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
    shown = run("show", "alltoall/two_level_ring:window=1", "--nodes", "3", "--ppn", "2", "--order",
                "round_robin")  # fmt: skip
    assert "parameter window 1" in shown.stdout
    result = run("verify", "-", text=shown.stdout)
    assert result.returncode == 0
    assert result.stdout.startswith("proven  -\n")


def test_placements_are_said_in_three_ways() -> None:
    blocks = run("show", "ring", "--shape", "1,2,3").stdout
    assert "\nnodes 0 1 1 2 2 2\n" in blocks
    assert blocks == run("show", "ring", "--node-of-rank", "7,1,1,0,0,0").stdout
    in_turn = run("show", "ring", "--shape", "1,2,3", "--order", "round_robin").stdout
    assert "\nnodes 0 1 2 1 2 2\n" in in_turn


def test_a_picture_has_the_chosen_rounds_and_sums_over_all() -> None:
    shown = run("show", "ring", "--nodes", "3", "--ppn", "2", "--json", "--rounds", "1-2").stdout
    document = json.loads(shown)
    assert [scene["round"] for scene in document["shown"]] == [1, 2]
    first = document["shown"][0]
    assert first["nodes"][0]["sends"] == [{"node": 1, "blocks": 1}]
    assert first["messages"][1] == {"source": 1, "target": 2, "blocks": 1}
    assert (document["busiest_nic_blocks"], document["bound_blocks"]) == (8, 8)
    assert not document["properties"][0]["holds"]


def test_a_message_has_a_root_and_a_size() -> None:
    chosen = ("show", "bcast/pipeline:segment=1000", "--nodes", "3", "--ppn", "2", "--root", "4",
              "--bytes", "2500")  # fmt: skip
    text = run(*chosen).stdout
    assert "\nroot 4\npieces 3\n" in text
    assert run("verify", "-", text=text).returncode == 0
    document = json.loads(run(*chosen, "--json").stdout)
    assert (document["root"], document["pieces"]) == (4, 3)
    assert (document["busiest_nic_blocks"], document["bound_blocks"]) == (3, 3)


def test_a_picture_of_a_printed_schedule_is_that_of_its_algorithm() -> None:
    shape = ("--shape", "1,3,2")
    text = run("show", "two_level_ring", *shape).stdout
    assert run("show", "-", "--json", text=text).stdout == (
        run("show", "two_level_ring", *shape, "--json").stdout
    )
    assert (
        "does not say on which nodes"
        in run("show", "-", "--json", text=text.replace("nodes 0 1 1 1 2 2\n", "")).stderr
    )
    assert (
        "there is no such rank"
        in run("show", "-", "--json", text=text.replace("-> 5", "-> 6")).stderr
    )


def test_sim_prints_what_it_has_played() -> None:
    chosen = ("bcast/pipeline:segment=1000", "--nodes", "3", "--ppn", "2", "--root", "4")
    document = json.loads(run("sim", *chosen, "--sizes", "2500", "--schedules").stdout)
    [played] = document["estimates"]
    assert played["schedule"] == run("show", *chosen, "--bytes", "2500").stdout
    assert played["block_bytes"] == pytest.approx(2500 / 3)
    assert document["network"]["eager"] == 65536


def test_the_document_in_schedule_format_is_accurate() -> None:
    page = (ROOT / "docs/schedule-format.md").read_text()
    lines = [line[4:] for line in page.splitlines() if line.startswith("    ")]
    golden = (ROOT / "tests/golden/schedules/alltoall-two_level_ring.txt").read_text()
    example = [line for line in lines if line]
    assert example == [line for line in golden.splitlines() if line][: len(example)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a command is missing"),
        (["dance"], "unknown command 'dance'"),
        (["show", "ring"], "show needs --nodes and --ppn"),
        (["show", "ringg", "--nodes", "2", "--ppn", "2"], "'ringg' is neither a file"),
        (["show", "ring", "--nodes", "0", "--ppn", "2"], "--nodes takes a number from 1 to"),
        (["show", "ring", "--nodes", "2"], "show needs --nodes and --ppn"),
        (["show", "ring", "--nodes", "9999", "--ppn", "9"], "at most 65536 ranks"),
        (["show", "ring", "--nodes", "300", "--ppn", "10"], "too large for the text form"),
        (["show", "ring", "--nodes", "300", "--ppn", "10", "--json"], "are too many to show"),
        (["show", "ring", "--shape", "3,,1"], "--shape takes a number from 1 to 65536, not ''"),
        (["show", "ring", "--nodes", "2", "--ppn", "2", "--shape", "2"], "exclude each other"),
        (["show", "ring", "--node-of-rank", "0,1", "--order", "block"], "--order goes with"),
        (["show", "ring", "--nodes", "2", "--ppn", "2", "--rounds", "1"], "goes with --json"),
        (["show", "ring", "--shape", "2,2", "--json", "--rounds", "3-1"], "FIRST-LAST"),
        (
            ["sim", "ring", "--nodes", "300", "--ppn", "10", "--sizes", "8", "--schedules"],
            "too large for the text form",
        ),
        (["show", "/", "--json"], "is not a file that can be read"),
        (["show", "ring", "--nodes", "2", "--ppn", "2", "--order", "x"], "block or round_robin"),
        (["show", "ring:a=1", "--nodes", "2", "--ppn", "2"], "ring takes no parameters"),
        (["show", "ring:a", "--nodes", "2", "--ppn", "2"], "expected NAME:PARAMETER=NUMBER"),
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
