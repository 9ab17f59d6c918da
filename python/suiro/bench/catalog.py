# SPDX-License-Identifier: BSD-3-Clause
"""Asks the native tool about collectives, algorithms and schedules: Python describes none."""

import json
from functools import cache
from typing import Any

from pydantic import BaseModel

from suiro import native
from suiro.errors import SuiroError, UsageError, did_you_mean

_INTEGER_BYTES = 4


class Collective(BaseModel):
    """A row of the table of collectives."""

    name: str
    regular: str  # whose algorithms it runs: itself, or what it extends to unequal blocks
    rooted: bool
    reduces: bool
    unequal: bool
    sizes: str  # equal, or who knows them: "known to all", "own", "known to the root"
    bytes: str
    algorithms: list[str]

    @property
    def has_data(self) -> bool:
        return self.bytes != "none"

    @property
    def size_is_known(self) -> bool:
        """To every rank, when the call comes."""
        return self.has_data and self.sizes in ("equal", "known to all")

    @property
    def unit_bytes(self) -> int:
        """What the measuring program's sizes are multiples of: it reduces integers."""
        return _INTEGER_BYTES if self.reduces else 1

    @property
    def sends_blocks(self) -> bool:
        """Rather than one message, so that rounds of its schedules can run alone."""
        return self.bytes == "per pair of ranks"


@cache
def collectives() -> dict[str, Collective]:
    rows = json.loads(_schedule_tool("collectives", "--json"))["collectives"]
    return {row["name"]: Collective.model_validate(row) for row in rows}


def find_collective(name: str) -> Collective:
    """UsageError if there is none of that name."""
    known = collectives()
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(f'no collective "{name}": there are {", ".join(known)}{near}')
    return known[name]


@cache
def busiest_link_bytes(collective: str, ppn: tuple[int, ...]) -> float:
    """What the busiest of nodes with so many ranks must send or receive for each byte of a call,
    over one link."""
    shape = ",".join(map(str, ppn))
    document = json.loads(_schedule_tool("bound", collective, "--shape", shape, "--bytes", "1"))
    return float(document["busiest_link_bytes"])


@cache
def algorithms(collective: str) -> dict[str, dict[str, list[int]]]:
    """The catalog's names for a collective, each with its parameters, and those values of them that
    are best somewhere, beside the fallback."""
    rows = json.loads(_schedule_tool("algorithms", "--json"))["algorithms"]
    row_of = find_collective(collective)
    return {
        row["name"]: {each["name"]: each["others"] for each in row["parameters"]}
        for row in rows
        if row["collective"] == row_of.regular and row["name"] in row_of.algorithms
    }


def schedule_text(collective: str, algorithm: str, nodes: int, ppn: int) -> str:
    """A printed schedule; ALGORITHM may have parameters, and names the schedule as it is given."""
    name = algorithm.partition(":")[0]
    shape = ("--nodes", str(nodes), "--ppn", str(ppn))
    text = _schedule_tool("show", f"{collective}/{algorithm}", *shape)
    return text.replace(f"\nalgorithm {name}\n", f"\nalgorithm {algorithm}\n", 1)


def check_parameters(collective: str, algorithm: str) -> None:
    """The smallest shape that has several nodes tells whether ALGORITHM is written rightly."""
    try:
        phases(find_collective(collective).regular, algorithm, 2, 2)
    except SuiroError as error:
        raise UsageError(str(error)) from None


def phases(collective: str, algorithm: str, nodes: int, ppn: int) -> list[dict[str, Any]]:
    """What the models say of the rounds of an algorithm."""
    name = f"{collective}/{algorithm}"
    shape = ("--nodes", str(nodes), "--ppn", str(ppn), "--json")
    document: dict[str, list[dict[str, Any]]] = json.loads(_schedule_tool("predict", name, *shape))
    return document["phases"]


def _schedule_tool(*arguments: str) -> str:
    done = native.run("suiro-schedule", arguments)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise SuiroError(reason[0].removeprefix("suiro-schedule: "))
    return done.stdout
