# SPDX-License-Identifier: BSD-3-Clause
"""suiro-schedule predict: the models' numbers as a document, and how it refuses."""

import json
import subprocess

import pytest

from suiro import native


def predict(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(native.tool("suiro-schedule")), "predict", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("nodes", "ppn", "gain"), [(4, 4, 1.13), (8, 4, 1.17), (24, 8, 1.20)])
def test_ring_against_two_level_ring(nodes: int, ppn: int, gain: float) -> None:
    shape = ("--nodes", str(nodes), "--ppn", str(ppn), "--json")
    ring = json.loads(predict("alltoall/ring", *shape).stdout)
    two_level_ring = json.loads(predict("alltoall/two_level_ring", *shape).stdout)
    assert ring["head_of_line_slowdown"] == pytest.approx(gain, abs=0.005)
    assert two_level_ring["head_of_line_slowdown"] == pytest.approx(1)
    assert sum(phase["rounds"] for phase in ring["phases"]) == nodes * ppn


def test_seconds_come_with_a_size_and_a_rate() -> None:
    text = predict("linear_capped:cap=4", "--nodes", "2", "--ppn", "2", "--json",
                   "--bytes", "1000", "--goodput-Bps", "4000").stdout  # fmt: skip
    document = json.loads(text)
    assert document["parameters"] == {"cap": 4}
    assert document["bound_blocks"] == 4
    assert document["bound_s"] == 1


def test_a_message_takes_as_long_in_any_number_of_pieces() -> None:
    shape = (
        "--nodes",
        "4",
        "--ppn",
        "2",
        "--bytes",
        "4000000",
        "--goodput-Bps",
        "1000000",
        "--json",
    )
    for segment in (1000, 50000):
        text = predict(f"allreduce/lanes:segment={segment}", *shape).stdout
        assert json.loads(text)["bound_s"] == pytest.approx(6)
        assert json.loads(text)["head_of_line_slowdown"] == pytest.approx(1, abs=0.01)


def test_one_node_has_no_slowdown() -> None:
    document = json.loads(predict("ring", "--nodes", "1", "--ppn", "4", "--json").stdout)
    assert document["head_of_line_slowdown"] is None


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("rimg", "--nodes", "2", "--ppn", "2"), 'did you mean "ring"?'),
        (("native", "--nodes", "2", "--ppn", "2"), "has no schedule"),
        (("ring", "--nodes", "2"), "predict needs --nodes and --ppn"),
        (("ring", "--nodes", "100", "--ppn", "100"), "at most 4096 ranks"),
        (("ring", "--nodes", "2", "--ppn", "2", "--bytes", "4"), "are given together"),
        (("ring:window=3", "--nodes", "2", "--ppn", "2"), "ring takes no parameters"),
    ],
)
def test_wrong_input_is_one_line(arguments: tuple[str, ...], cause: str) -> None:
    result = predict(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert cause in result.stderr
