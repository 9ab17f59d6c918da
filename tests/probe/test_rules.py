# SPDX-License-Identifier: BSD-3-Clause
"""What a probe writes as a rule file; that a job obeys it is in test_probe_switch.py."""

import json
import math
from datetime import datetime
from itertools import combinations
from pathlib import Path

import pytest
from recorded import evidence

from suiro.bench.catalog import algorithms
from suiro.bench.machine import describe_machine
from suiro.errors import UsageError
from suiro.probe.finding import find
from suiro.probe.measure import Probe
from suiro.probe.rules import LINES, check_target, rule_file, write_rules

NOW = datetime(2026, 2, 3, 4, 5)


def probe(lab: str) -> Probe:
    measured = evidence(lab)
    return Probe(
        machine=describe_machine("Open MPI v4.1.4", None),
        finding=find(measured),
        evidence=measured,
        cost=None,
        command="suiro probe --switch",
    )


def test_lines_name_algorithms_that_exist_and_do_not_overlap() -> None:
    for line in LINES:
        assert line.algorithm in algorithms(line.collective)
        assert line.first < (line.end or math.inf)
    for first, second in combinations(LINES, 2):
        alike = first.kind == second.kind and first.collective == second.collective
        if alike and first.ppn == second.ppn and set(first.mpis) & set(second.mpis):
            assert (first.end or math.inf) <= second.first, (first, second)


def test_head_of_line_blocking_adds_lines() -> None:
    document = rule_file(probe("4x4-hol"), "openmpi", NOW)
    assert document["comment"].startswith(
        "head-of-line blocking (3 of 3 tries), found by `suiro probe --switch` on 2026-02-03 04:05 "
        "between host0, host1, host2, host3, for Open MPI v4.1.4."
    )
    assert document["rules"]
    for rule in document["rules"]:
        assert "times native's speed" in rule["comment"]
        assert len(rule["comment"]) <= 120  # what --explain shows


def test_virtual_output_queues_add_none() -> None:
    document = rule_file(probe("4x4-voq"), "openmpi", NOW)
    assert document["rules"] == []
    assert "there are no lines" in document["comment"]


def test_a_file_is_written_once(tmp_path: Path) -> None:
    target = tmp_path / "rules.json"
    check_target(target)
    lines = write_rules(target, probe("4x4-hol"), "openmpi", NOW)
    assert len(json.loads(target.read_text())["rules"]) == lines
    with pytest.raises(UsageError, match="exists already"):
        check_target(target)
    with pytest.raises(UsageError, match="no such folder"):
        check_target(tmp_path / "absent" / "rules.json")
