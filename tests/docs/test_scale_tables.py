# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what the programs in tests/soak and tests/advise have found."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

CROWD = {
    "ranks": 1500, "lack": 0, "descriptors": 1024, "over_s": 0, "on": 1500, "seconds": 0.25,
    "peak_bytes": 36 << 20, "said": [], "said_lines": 0,
}  # fmt: skip
RATIO = {"alone_s": 2e-3, "suiro_s": 3e-3, "ratio": 1.5, "ratio_interval": [1.4, 1.6]}
CONNECTIONS = {
    "bytes": 65536, "connections": 10000, "half_round_trip_us": 50.0, "ratio": 1.25,
    "ratio_quartiles": [1.0, 2.0], "system_calls_per_message": 3.25, "resident_bytes": 2048,
}  # fmt: skip


@pytest.fixture
def tables(generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys.modules["table_parts"], "RESULTS", tmp_path)
    module: ModuleType = generate.tables
    return module


def lines(tables: ModuleType, kind: str, *rows: dict[str, Any]) -> list[str]:
    """Of the table of a result with these rows, without its head."""
    (sys.modules["table_parts"].RESULTS / "it.json").write_text(json.dumps({"rows": rows}))
    page = tables.filled(f"<!-- table: {kind} it -->\n<!-- end -->\n")
    head, under, *found = page.splitlines()[1:-1]
    assert head.count("|") == under.count("|")
    assert all(line.count("|") - line.count("\\|") == head.count("|") for line in found)
    return found


def test_a_crowd(tables: ModuleType) -> None:
    lost = {"lack": 64, "over_s": 5, "on": 0, "said": ["suiro: 64 of 64 | n1"], "said_lines": 9}
    all_on, none_on = lines(tables, "crowd", CROWD, CROWD | lost)
    assert all_on == "| 1,500 | 1,024 | at once | 1,500 | 250 ms | 36 MiB | - |"
    assert none_on == (
        "| 1,500, 64 never come | 1,024 | over 5 s | 0 | 250 ms | 36 MiB |"
        " 64 of 64 \\| n1; 8 lines more |"
    )


def test_communicators(tables: ModuleType) -> None:
    [line] = lines(tables, "communicators", {"mpi": "mpich", "case": "made and freed", **RATIO})
    assert line == "| `mpich` | made and freed | 2 ms | 3 ms | 1.50 [1.40, 1.60] |"


def test_starts(tables: ModuleType) -> None:
    row = {"shape": "4x64", "mpi": "openmpi", "right": True, "compared": 1234}
    right, failed = lines(tables, "starts", row | RATIO, row | {"right": False})
    assert right == "| 4 x 64 | `openmpi` | right | 1,234 | 2 ms | 3 ms | 1.50 [1.40, 1.60] |"
    assert failed == "| 4 x 64 | `openmpi` | wrong | 1,234 | - | - | - |"


def test_connections(tables: ModuleType) -> None:
    """A time that is longer by a quarter is four fifths of the rate."""
    alone, beside = lines(tables, "connections", CONNECTIONS | {"connections": 1}, CONNECTIONS)
    assert alone == "| 64 KiB | 0 | 50 us | 10.5 Gbit/s | - | 3.2 | - |"
    assert beside == ("| 64 KiB | 9,999 | 50 us | 10.5 Gbit/s | 0.80 [0.50, 1.00] | 3.2 | 2 KiB |")


def test_a_footprint(tables: ModuleType) -> None:
    """Of turns the middle; what does not depend on the number of ranks stands in all columns."""
    rows = [
        {"what": what, "ranks": ranks, "bytes": 1024 * size, "seconds": seconds}
        for seconds in (1e-3, 9.0, 1e-3)
        for what, ranks, size in (("bcast/ring", 64, 3), ("bcast/ring", 1024, 48), ("peer", 0, 1))
    ]
    assert lines(tables, "footprint", *rows) == [
        "| schedule of `bcast/ring` | 3 KiB, 1 ms | 48 KiB, 1 ms |",
        "| peer | 1 KiB, 1 ms | 1 KiB, 1 ms |",
    ]


def test_advised(tables: ModuleType) -> None:
    row = {
        "cluster": "c", "mpi": "MPICH 4", "nodes": [2, 8], "ppn": 4, "cells": 20, "within": 10,
        "solid": 8, "solid_within": 6, "solid_without_cores": 7,
    }  # fmt: skip
    none = {"nodes": [8, 8], "solid": 0, "solid_within": 0, "solid_without_cores": 0}
    some, nothing = lines(tables, "advised", row, row | none)
    assert some == "| c | MPICH 4 | 2 to 8 x 4 | 20 | 10 | 8 | 6 | 75% | 7 |"
    assert nothing == "| c | MPICH 4 | 8 x 4 | 20 | 10 | 0 | 0 | - | 0 |"
