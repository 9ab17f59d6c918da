# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro-schedule collectives --json` says of a row, in words that others generate from."""

import json
import subprocess
from typing import Any

from suiro import native


def rows() -> dict[str, dict[str, Any]]:
    command = [str(native.tool("suiro-schedule")), "collectives", "--json"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {row["name"]: row for row in json.loads(said)["collectives"]}


def side(root: str, others: str) -> dict[str, str]:
    return {"root": root, "others": others}


def test_who_has_what() -> None:
    said = {name: (row["sends"], row["gets"]) for name, row in rows().items()}
    one, each, none = (side(text, text) for text in ("one", "one per rank", "none"))
    assert said["alltoall"] == (each, each)
    assert said["allgather"] == (one, each)
    assert said["bcast"] == (side("one", "none"), side("none", "one"))
    assert said["gatherv"] == (one, side("one per rank", "none"))
    assert said["scatter"] == (side("one per rank", "none"), one)
    assert said["reduce_scatter"] == (each, one)
    assert said["exscan"] == (one, one)
    assert said["barrier"] == (none, none)


def test_whose_vectors_are_reduced() -> None:
    said = {name: row["operands"] for name, row in rows().items() if row["reduces"]}
    assert said.pop("scan") == "up to own"
    assert said.pop("exscan") == "before own"
    assert set(said.values()) == {"all"}
    assert {row["operands"] for row in rows().values() if not row["reduces"]} == {"none"}


def test_who_knows_sizes() -> None:
    said = {name: row["sizes"] for name, row in rows().items() if row["unequal"]}
    assert said["alltoallv"] == "own"
    assert said["allgatherv"] == said["reduce_scatter"] == "known to all"
    assert said["gatherv"] == said["scatterv"] == "known to the root"
    assert rows()["gatherv"]["algorithms"] == ["linear", "linear_capped"]
