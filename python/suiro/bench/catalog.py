# SPDX-License-Identifier: BSD-3-Clause
"""Asks the native tool about algorithms and schedules: Python never describes an algorithm."""

import json
import subprocess
from typing import Any

from suiro.errors import SuiroError, UsageError
from suiro.native import tool


def algorithm_names(collective: str) -> list[str]:
    """The catalog's names for a collective; alltoallv and alltoallw have those of alltoall."""
    document = json.loads(_schedule_tool("algorithms", "--json"))
    rows = document["algorithms"] if isinstance(document, dict) else document
    twin = "alltoall" if collective in ("alltoallv", "alltoallw") else collective
    return [row["name"] for row in rows if row["collective"] == twin]


def schedule_text(collective: str, algorithm: str, nodes: int, ppn: int) -> str:
    """A printed schedule; ALGORITHM may have parameters, and names the schedule as it is given."""
    name = algorithm.partition(":")[0]
    shape = ("--nodes", str(nodes), "--ppn", str(ppn))
    text = _schedule_tool("show", f"{collective}/{algorithm}", *shape)
    return text.replace(f"\nalgorithm {name}\n", f"\nalgorithm {algorithm}\n", 1)


def check_parameters(collective: str, algorithm: str) -> None:
    """The smallest shape that has several nodes tells whether ALGORITHM is written rightly."""
    try:
        phases(collective, algorithm, 2, 2)
    except SuiroError as error:
        raise UsageError(str(error)) from None


def phases(collective: str, algorithm: str, nodes: int, ppn: int) -> list[dict[str, Any]]:
    """What the models say of the rounds of an algorithm."""
    name = f"{collective}/{algorithm}"
    shape = ("--nodes", str(nodes), "--ppn", str(ppn), "--json")
    document: dict[str, list[dict[str, Any]]] = json.loads(_schedule_tool("predict", name, *shape))
    return document["phases"]


def _schedule_tool(*arguments: str) -> str:
    command = [str(tool("suiro-schedule")), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise SuiroError(reason[0].removeprefix("suiro-schedule: "))
    return done.stdout
