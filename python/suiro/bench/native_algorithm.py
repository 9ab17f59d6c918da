# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm an MPI library runs for a call. The native tool knows (src/choose), since what is
chosen at run time goes by the same."""

import re
from dataclasses import dataclass

from pydantic import BaseModel

from suiro import native_json

_LIBRARIES = {"openmpi": r"Open MPI v(\d+(?:\.\d+)?)", "mpich": r"MPICH Version:? +(\d+(?:\.\d+)?)"}


@dataclass(frozen=True)
class Call:
    """What decides: the collective's name, the nodes of the ranks, the root, the packed bytes as
    the table of collectives counts them."""

    collective: str
    node_of_rank: tuple[int, ...]
    root: int
    bytes: int


class Native(BaseModel):
    """`said` as the MPI says it; `algorithm` is the catalog's, empty if it has none of the kind;
    it `moves_the_same` between nodes where they lie as the call's do."""

    said: str
    algorithm: str
    parameters: dict[str, int]
    moves_the_same: bool


def native_of(version: str, call: Call) -> Native | None:
    """`version` is what the MPI library says of itself. None where it was not read what it runs."""
    for mpi, pattern in _LIBRARIES.items():
        match = re.match(pattern, version)
        if match is not None:
            return _ask(mpi, match[1], call)
    return None


def _ask(mpi: str, release: str, call: Call) -> Native | None:
    nodes = ",".join(map(str, call.node_of_rank))
    arguments = ["native", call.collective, "--mpi", mpi, "--release", release]
    arguments += ["--node-of-rank", nodes, "--root", str(call.root), "--sizes", str(call.bytes)]
    answer = native_json.call("suiro-schedule", arguments, "asking what the MPI runs")
    found = answer.document["native"][0]
    return None if found is None else Native.model_validate(found)
