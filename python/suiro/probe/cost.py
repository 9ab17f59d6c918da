# SPDX-License-Identifier: BSD-3-Clause
"""What the switch costs an all-to-all, by the model layer where it has a model."""

from typing import Literal

from pydantic import BaseModel

from suiro import native_json
from suiro.probe.evidence import Evidence
from suiro.probe.finding import Kind

# The model looks at every pair of ranks, and three nodes at a time. More nodes change its third
# digit.
_NODES_MAX, _RANKS_MAX = 64, 1024
Basis = Literal["model", "model_limit", "measured", "none"]


class Cost(BaseModel):
    """Times as multiples of what the links need: with everyone sending to all at once, as MPI
    libraries do by themselves, and with one peer node per node at a time."""

    nodes: int
    ppn: int
    at_once: float
    one_peer: float
    basis: Basis  # of at_once; model_limit: it is that at most


def predict(kind: Kind, evidence: Evidence, nodes: int, ppn: int) -> Cost | None:
    """None when it is not clear what the switch does."""
    if kind == "not_clear":
        return None
    shape = {"nodes": nodes, "ppn": ppn}
    if kind == "virtual_output_queues":
        return Cost(**shape, at_once=1, one_peer=1, basis="none")
    if kind == "drop":
        slowdown = evidence.incast.slowdown if evidence.incast else 1
        return Cost(**shape, at_once=max(1.0, slowdown), one_peer=1, basis="measured")
    at_once = _head_of_line("linear", nodes, ppn)
    one_peer = _head_of_line("two_level_ring", nodes, ppn)
    basis: Basis = "model" if kind == "head_of_line" else "model_limit"
    return Cost(**shape, at_once=at_once, one_peer=one_peer, basis=basis)


def _head_of_line(algorithm: str, nodes: int, ppn: int) -> float:
    nodes = min(nodes, _NODES_MAX)
    ppn = min(ppn, _RANKS_MAX // nodes)
    arguments = ["predict", algorithm, "--nodes", str(nodes), "--ppn", str(ppn), "--json"]
    answer = native_json.call("suiro-schedule", arguments, "predicting")
    return float(answer.document["head_of_line_slowdown"])
