# SPDX-License-Identifier: BSD-3-Clause
"""Which nodes are at one site, told from how far they are from each other: a pure function.

Sorted, the ways between nodes have a gap: those within a site are short, those between sites are
much longer. Nodes that a short way joins, or several of them in a row, are at one site.
"""

import math
from itertools import pairwise
from statistics import median

from pydantic import BaseModel

# A gap is where the next longer way is so many times as long, and longer by so much. Where there is
# no shorter one, since every node is at a site of its own, what is near anywhere stands for it.
_RATIO_LEAST = 3.0
_LONGER_LEAST_S = 0.5e-3
_NEAR_ANYWHERE_S = 0.5e-3


class Latencies(BaseModel):
    """Seconds one way, from some references to every node."""

    nodes: int
    references_max: int  # how many the probe would have made
    one_way_s: dict[int, list[float]]  # by reference; 0 to itself

    def between(self, left: int, right: int) -> float | None:
        """The shorter of what both saw, if any did."""
        seen = [
            self.one_way_s[source][target]
            for source, target in ((left, right), (right, left))
            if source in self.one_way_s
        ]
        return min(seen, default=None)

    def pairs(self) -> dict[tuple[int, int], float]:
        """All that were measured, the lower node first."""
        found = {}
        for reference in self.one_way_s:
            for node in range(self.nodes):
                way_s = self.between(reference, node)
                if node != reference and way_s is not None:
                    found[min(node, reference), max(node, reference)] = way_s
        return found


class Grouping(BaseModel):
    """Nodes by site, sites in the order of their first nodes."""

    sites: list[list[int]]
    limit_s: float | None  # ways that take longer lead to another site; None: no such gap
    doubt: str = ""  # why it may be wrong

    def site_of(self, node: int) -> int:
        return next(number for number, site in enumerate(self.sites) if node in site)

    def way_s(self, latencies: Latencies, left: int, right: int) -> float | None:
        """The median way between nodes of two sites, or within one."""
        wanted = {left, right}
        ways = [
            way_s
            for (a, b), way_s in latencies.pairs().items()
            if {self.site_of(a), self.site_of(b)} == wanted
        ]
        return median(ways) if ways else None


def group(latencies: Latencies) -> Grouping:
    """The sites."""
    pairs = latencies.pairs()
    limit_s = _gap(sorted(pairs.values()))
    if limit_s is None:
        return Grouping(sites=[list(range(latencies.nodes))], limit_s=None)
    sites = _joined(latencies.nodes, [pair for pair, way_s in pairs.items() if way_s <= limit_s])
    grouping = Grouping(sites=sites, limit_s=limit_s)
    grouping.doubt = _doubt(grouping, latencies)
    return grouping


def _gap(ways_s: list[float]) -> float | None:
    """The middle of the first gap: what is above it is far."""
    for shorter_s, longer_s in pairwise(ways_s):
        if longer_s >= _RATIO_LEAST * shorter_s and longer_s - shorter_s >= _LONGER_LEAST_S:
            return math.sqrt(shorter_s * longer_s)
    if ways_s and ways_s[0] >= _RATIO_LEAST * _NEAR_ANYWHERE_S:
        return _NEAR_ANYWHERE_S
    return None


def _joined(nodes: int, near: list[tuple[int, int]]) -> list[list[int]]:
    first = list(range(nodes))  # of the nodes that each is joined with
    for left, right in near:
        low, high = sorted((first[left], first[right]))
        first = [low if node == high else node for node in first]
    return [[node for node in range(nodes) if first[node] == one] for one in sorted(set(first))]


def _doubt(grouping: Grouping, latencies: Latencies) -> str:
    pairs, limit_s = latencies.pairs(), grouping.limit_s or 0.0
    for (left, right), way_s in pairs.items():
        if way_s > limit_s and grouping.site_of(left) == grouping.site_of(right):
            return (
                f"nodes {left} and {right} are far from each other, and both are near to the same "
                "others: ways are not steady enough to tell sites apart"
            )
    alone = [site[0] for site in grouping.sites if not set(site) & set(latencies.one_way_s)]
    if len(alone) > 1:
        return f"there are more sites than the {latencies.references_max} that can be told apart"
    return ""
