# SPDX-License-Identifier: BSD-3-Clause
"""The answer in words."""

import io

import pytest
from recorded import evidence
from rich.console import Console

from suiro.probe.cost import predict
from suiro.probe.finding import find
from suiro.probe.measure import Probe
from suiro.probe.report import print_probe
from suiro.provenance import describe_machine


def probed(lab: str, hosts: int = 4) -> Probe:
    measured = evidence(lab, hosts)
    finding = find(measured)
    return Probe(
        machine=describe_machine("", None),
        finding=finding,
        evidence=measured,
        cost=predict(finding.kind, measured, hosts, 4),
        command="suiro probe --switch",
    )


def said(lab: str, hosts: int = 4) -> str:
    text = io.StringIO()
    print_probe(probed(lab, hosts), Console(file=text, width=100))
    return text.getvalue()


@pytest.mark.parametrize(
    ("lab", "first", "cost"),
    [
        ("4x4-hol", "head-of-line blocking (3 of 3 tries agree)", "1.42 everyone to all at once"),
        ("4x4-pause", "pause frames (3 of 3 tries agree)", "at most, by the head-of-line model"),
        ("4x4-shared", "loss where many send to one (3 of 3 tries agree)", "1.20 everyone"),
        ("4x4-voq", "none of these: virtual output queues", "1.00 everyone to all at once"),
    ],
)
def test_each_answer(lab: str, first: str, cost: str) -> None:
    lines = said(lab).splitlines()
    assert lines[0].startswith(f"switch      {first}")
    assert any(cost in line for line in lines)
    assert [line.split("  ")[0] for line in lines if line[0] != " "] == [
        "switch",
        "evidence",
        "cost",
        "what to do",
    ]


def test_no_cost_of_what_is_not_clear() -> None:
    text = said("4x4-hol", hosts=3)
    assert text.startswith("switch      not clear\n")
    assert "everyone to all" not in text
    assert "give 4 or more" in text


def test_a_model_of_many_ranks_is_cut() -> None:
    cost = predict("head_of_line", evidence("4x4-hol"), 500, 128)
    assert cost is not None
    assert 1.5 < cost.at_once < 1.7
    assert (cost.nodes, cost.ppn) == (500, 128)
