# SPDX-License-Identifier: BSD-3-Clause
"""How to say which algorithm an MPI library runs for a call, in the catalog's words."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeVar

_Value = TypeVar("_Value")

# On which placements suiro's algorithm of the same name moves the same between nodes: any; those
# where going from rank to rank, from the root on, is going from node to node; those with one rank
# per node.
Where = Literal["anywhere", "node by node", "one rank per node"]


@dataclass(frozen=True)
class Call:
    """What decides: the collective's name, the nodes of the ranks, the root, the packed bytes as
    the table of collectives counts them."""

    collective: str
    node_of_rank: tuple[int, ...]
    root: int
    bytes: int

    @property
    def ranks(self) -> int:
        return len(self.node_of_rank)

    @property
    def integers(self) -> int:
        """The elements of what is reduced, as the measuring program calls it."""
        return self.bytes // 4

    @property
    def one_per_node(self) -> bool:
        return len(set(self.node_of_rank)) == self.ranks

    @property
    def node_by_node(self) -> bool:
        turned = self.node_of_rank[self.root :] + self.node_of_rank[: self.root]
        changes = sum(one != following for one, following in pairwise(turned))
        return changes + 1 == len(set(turned))

    def is_at(self, where: Where) -> bool:
        if where == "node by node":
            return self.node_by_node
        return where == "anywhere" or self.one_per_node


@dataclass(frozen=True)
class Native:
    """`said` as the MPI says it; `algorithm` is the catalog's, None if it has none of the kind."""

    said: str
    algorithm: str | None = None
    parameters: dict[str, int] = field(default_factory=dict)
    where: Where = "anywhere"


def unsegmented(said: str, algorithm: str, call: Call, where: Where, **more: int) -> Native:
    """In one segment."""
    return Native(said, algorithm, {"segment": max(call.bytes, 1), **more}, where)


def halving(call: Call) -> Native:
    """Where ranks are no power of two, the other one of each pair goes on."""
    if not is_power_of_two(call.ranks):
        return Native("recursive halving by the second of each pair of ranks, and not the first")
    return Native("recursive_halving", "recursive_halving")


def scatter_by_tree() -> Native:
    """In suiro's all subtrees get theirs at once, so the largest can hand on only later."""
    return Native("a binomial tree, the largest subtree first and the others after it")


def last_not_above(rows: Sequence[tuple[int, _Value]], key: int) -> _Value:
    """Of rows that hold from a number on."""
    return rows[bisect_right([start for start, _ in rows], key) - 1][1]


def is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def power_of_two_below(number: int) -> int:
    """The largest that is not above it."""
    return 1 << (number.bit_length() - 1)
