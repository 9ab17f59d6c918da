# SPDX-License-Identifier: BSD-3-Clause
"""The document that `suiro-schedule show --json` prints, typed."""

from pydantic import BaseModel


class Peer(BaseModel):
    """Another node, and the blocks that go there or come from there."""

    node: int
    blocks: int


class Nic(BaseModel):
    """What crosses a node's network card in one round."""

    sends: list[Peer]
    receives: list[Peer]

    @property
    def crowded(self) -> bool:
        """The node has two peers at once in one direction: packets wait behind each other."""
        return len(self.sends) > 1 or len(self.receives) > 1


class Message(BaseModel):
    """Blocks from rank to rank."""

    source: int
    target: int
    blocks: int


class Scene(BaseModel):
    """One round."""

    round: int
    fence: bool
    busiest_nic_blocks: int
    nodes: list[Nic]
    messages: list[Message]

    @property
    def crowded_nodes(self) -> list[int]:
        """Nodes with two peers at once."""
        return [number for number, nic in enumerate(self.nodes) if nic.crowded]


class Counterexample(BaseModel):
    """Where a property fails first."""

    line: str


class Property(BaseModel):
    """A property, proven over window and fences too, not only within a round."""

    name: str
    declared: bool
    holds: bool
    counterexample: Counterexample | None


class Picture(BaseModel):
    """A schedule's header and sums, and the rounds that were asked for."""

    collective: str
    algorithm: str
    parameters: dict[str, int]
    shape: str
    nodes: int
    ranks: int
    node_of_rank: list[int]
    root: int
    pieces: int | None
    rounds: int
    window: int
    busiest_nic_blocks: int
    bound_blocks: float | None
    properties: list[Property]
    shown: list[Scene]

    @property
    def title(self) -> str:
        """What it is a picture of."""
        given = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        root = f", root {self.root}" if self.root else ""
        name = f"{self.collective}/{self.algorithm}{':' if given else ''}{given}"
        return f"{name} on {self.shape}{root}"

    def ranks_of(self, node: int) -> list[int]:
        """The ranks on a node."""
        return [rank for rank, where in enumerate(self.node_of_rank) if where == node]

    def summary(self) -> list[str]:
        """The two sentences that matter: head-of-line blocking, and the NICs' work."""
        lines = [self._one_peer(), self._work()]
        return [line for line in lines if line]

    def _one_peer(self) -> str:
        one_peer = [proof for proof in self.properties if proof.name.startswith("one_peer")]
        if not one_peer or self.nodes == 1:
            return ""
        if one_peer[0].counterexample is None:
            return "One peer per node at a time: no packet waits behind one for another node."
        return f"Two peers of a node at once, first at {one_peer[0].counterexample.line}."

    def _work(self) -> str:
        text = f"{self.rounds} {plural(self.rounds, 'round')}, window {self.window}"
        carried = self.busiest_nic_blocks
        if carried == 0:
            return f"{text}; no data crosses the network."
        if self.pieces is None:
            blocks = f"{carried} {plural(carried, 'block')}"
            text = f"{text}; the busiest NICs of all rounds carry {blocks}"
        else:
            pieces = f"{self.pieces} {plural(self.pieces, 'piece')}"
            text = f"{text}; the message has {pieces}, and the busiest NIC carries {carried}"
        if self.bound_blocks is None:
            return f"{text}."
        if carried <= self.bound_blocks:
            return f"{text}, which is the least possible."
        return f"{text}, where {self.bound_blocks:.4g} is the least possible."


def plural(count: int, word: str) -> str:
    """One block, two blocks."""
    return word if count == 1 else f"{word}s"
