# SPDX-License-Identifier: BSD-3-Clause
"""`suiro verify`: the catalog in time, printed schedules, and what is wrong in one line."""

import json
import subprocess
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from suiro import native
from suiro.cli.verify import verify
from suiro.errors import UsageError

app = typer.Typer()
app.command()(verify)
GOLDEN = Path(__file__).parent.parent / "golden/schedules"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


@pytest.mark.timing
def test_the_whole_catalog_is_proven_in_time() -> None:
    start = time.monotonic()
    result = run("--json")
    assert time.monotonic() - start < 60
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert document["ok"] and document["max_ranks"] == 33


def test_the_catalog_is_proven_up_to_some_ranks() -> None:
    result = run("--max-ranks", "8", "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == 0
    assert document["ok"] and document["max_ranks"] == 8
    proofs = {
        (row["collective"], row["algorithm"], proof["name"]): proof
        for row in document["algorithms"]
        for proof in row["properties"]
    }
    one_peer = "one_peer_per_node_per_round"
    assert proofs["alltoall", "two_level_ring", one_peer]["holds"]
    assert not proofs["alltoall", "ring", one_peer]["holds"]
    assert "sends to node" in proofs["alltoall", "ring", one_peer]["counterexample"]["text"]
    assert proofs["reduce", "in_order_binary", "ordered"]["declared"]


def test_one_collective_is_proven_alone() -> None:
    result = run("barrier", "--max-ranks", "5", "--json")
    rows = json.loads(result.stdout)["algorithms"]
    assert {row["collective"] for row in rows} == {"barrier"}
    assert "node_leader" in run("barrier", "--max-ranks", "5").stdout


def test_the_table_gives_rings_counterexample() -> None:
    result = run("ring", "--max-ranks", "6")
    assert result.exit_code == 0
    assert "proven" in result.stdout
    assert "not one_peer_per_node_per_round, 4 ranks on nodes 0 1 2 1: rank 3" in result.stdout


def test_a_printed_schedule_is_proven() -> None:
    result = run(str(GOLDEN / "alltoall-two_level_ring.txt"))
    assert result.exit_code == 0
    assert "one_peer_per_node_per_round: holds" in result.stdout


def test_a_schedule_without_nodes_is_proven_but_for_its_properties(tmp_path: Path) -> None:
    text = (GOLDEN / "alltoall-two_level_ring.txt").read_text()
    path = tmp_path / "nowhere.txt"
    path.write_text(text.replace("nodes 0 0 1 1\n", ""))
    result = run(str(path))
    assert result.exit_code == 0
    assert "no property of nodes was looked at" in result.stdout


def test_a_broken_schedule_fails_with_rank_round_and_block(tmp_path: Path) -> None:
    text = (GOLDEN / "alltoall-ring.txt").read_text()
    broken = tmp_path / "broken.txt"
    broken.write_text(text.replace("send send[1] -> 1", "send send[2] -> 1", 1))
    result = run(str(broken))
    assert result.exit_code == 1
    assert "rank 1, round 1, block 0: receive[0] ends with block 2 of rank 0" in result.stdout


def test_a_property_that_the_algorithm_declares_must_hold(tmp_path: Path) -> None:
    words = ["show", "alltoall/two_level_ring", "--nodes", "4", "--ppn", "1"]
    text = subprocess.check_output([native.tool("suiro-schedule"), *words], text=True)
    path = tmp_path / "wide.txt"
    path.write_text(text.replace("\nwindow 1\n", "\nwindow 2\n"))
    result = run("--json", str(path))
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["violations"] == []
    assert not document["properties"][0]["holds"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such_thing"], "neither a file that can be read nor an algorithm"),
        (["--max-ranks", "0"], "--max-ranks takes a number from 1 to 128, not '0'"),
    ],
)
def test_wrong_input_is_a_usage_error(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)


def test_a_malformed_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"suiro-schedule 1\ncollective \xff\xfe\n")
    result = run(str(path))
    assert isinstance(result.exception, UsageError)
    assert f"{path}:2: expected the name of the collective" in str(result.exception)
