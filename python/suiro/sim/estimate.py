# SPDX-License-Identifier: BSD-3-Clause
"""Asks the model, which is the native tool's."""

import json
import tempfile
from pathlib import Path

from pydantic import BaseModel, Field

from suiro import native_json
from suiro.sim.network import Scene


class Spent(BaseModel):
    """Where the time went of the rank that is done last, in seconds, back to the start."""

    port_s: float
    latency_s: float
    messages_s: float
    copies_s: float
    repeats_s: float
    processors_s: float  # waiting for processors that have more to do


class Estimate(BaseModel):
    """One algorithm with so many bytes; of "native" and "auto", `ran` is what these run.
    `transfers`, where asked for, are sender, receiver, bytes, and when it was posted, began and
    ended, in seconds, of messages between nodes; `network` then has the numbers of what they went
    on. `schedule`, where asked for, is what was played, as text, with blocks of so many bytes."""

    collective: str
    algorithm: str
    ran: str = ""
    parameters: dict[str, int]
    bytes: int
    seconds: float
    mean_s: float  # of ranks' own times, as OSU's programs print
    bound_s: float
    spent: Spent | None  # not told of native
    messages: int
    played_ranks: int  # that stand for all
    estimated_in_s: float
    transfers: list[tuple[int, int, float, float, float, float]] = []
    network: dict[str, float] = Field(default={}, exclude=True)
    schedule: str = Field(default="", exclude=True)
    block_bytes: float = Field(default=0, exclude=True)

    @property
    def name(self) -> str:
        """As a forced algorithm is written."""
        values = ",".join(f"{key}={value}" for key, value in sorted(self.parameters.items()))
        return self.algorithm + (f":{values}" if values else "")


class Estimates(BaseModel):
    """Algorithm by algorithm, and of each size by size. Where schedules were asked for, also the
    numbers of the model's network."""

    estimates: list[Estimate]
    network: dict[str, float] = {}
    message_header_bytes: float = 0


def estimate(
    scene: Scene,
    collective: str,
    algorithms: list[str],
    sizes: list[int],
    root: int = 0,
    transfers: bool = False,
) -> list[Estimate]:
    """Algorithm by algorithm, and of each size by size."""
    flags = ["--transfers", "--schedules"] if transfers else []
    answer = _ask(scene, collective, algorithms, sizes, root, flags)
    for one in answer.estimates:
        one.network = answer.network
    return answer.estimates


def with_schedules(
    scene: Scene, collective: str, algorithms: list[str], sizes: list[int], root: int = 0
) -> Estimates:
    """The same with what was played, and on what."""
    return _ask(scene, collective, algorithms, sizes, root, ["--schedules"])


def _ask(
    scene: Scene,
    collective: str,
    algorithms: list[str],
    sizes: list[int],
    root: int,
    flags: list[str],
) -> Estimates:
    with tempfile.TemporaryDirectory(prefix="suiro-sim-") as folder:
        path = Path(folder) / "network.json"
        path.write_text(json.dumps(scene.played))
        arguments = ["sim", "--network", str(path)]
        arguments += _shape(scene.ranks_of_node)
        arguments += ["--sizes", ",".join(map(str, sizes)), "--root", str(root)]
        arguments += flags
        arguments += [f"{collective}/{algorithm}" for algorithm in algorithms]
        answer = native_json.call("suiro-schedule", arguments, "playing schedules")
    return Estimates.model_validate(answer.document)


def _shape(ranks_of_node: tuple[int, ...]) -> list[str]:
    """In few words, where there are many nodes."""
    if len(set(ranks_of_node)) == 1:
        return ["--nodes", str(len(ranks_of_node)), "--ppn", str(ranks_of_node[0])]
    return ["--shape", ",".join(map(str, ranks_of_node))]
