# SPDX-License-Identifier: BSD-3-Clause
"""What a lab says of its network, and the time that the network costs at least."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from suiro import variables
from suiro.bench.innocence import wire_goodput_Bps

# Bytes that the busiest of nodes with so many ranks must send or receive. The two sides of a cut
# are two nodes to those who look at it from far enough.
Busiest = Callable[[tuple[int, ...]], float]


@dataclass(frozen=True)
class Cut:
    """Hosts that together cannot send to all others faster than this."""

    hosts: frozenset[int]
    rate_bps: int


@dataclass(frozen=True)
class Network:
    """The hosts in order: the ranks of each, the links that all of them have, and the cuts."""

    ranks_of_host: tuple[int, ...]
    link_rates_bps: tuple[int, ...]
    cuts: tuple[Cut, ...] = ()
    shares_out: bool = True  # whether the MPI uses all links of a host, by their rates
    connection_bps: int | None = None  # what one may use of the first link

    @property
    def links_used(self) -> int:
        """Among how many a host's bytes are shared out."""
        return len(self.link_rates_bps) if self.shares_out else 1

    def bound_s(self, node_of_rank: list[int], busiest: Busiest, mtu_bytes: int) -> float | None:
        """Seconds that a call takes at least; None where that is not known.

        Nodes are numbered by their lowest rank, so they are the hosts in order if all take part.
        """
        if len(self.link_rates_bps) > 1 and not self.shares_out:
            return None
        nodes = ranks_of_nodes(node_of_rank)
        host_Bps = sum(wire_goodput_Bps(rate, mtu_bytes) for rate in self.link_rates_bps)
        seconds = busiest(nodes) / host_Bps
        if self.cuts and nodes != self.ranks_of_host:
            return None
        for cut in self.cuts:
            inside = sum(self.ranks_of_host[host] for host in cut.hosts)
            crossing_bytes = busiest((inside, len(node_of_rank) - inside))
            seconds = max(seconds, crossing_bytes / wire_goodput_Bps(cut.rate_bps, mtu_bytes))
        return seconds


def ranks_of_nodes(node_of_rank: list[int]) -> tuple[int, ...]:
    """How many each node has, in the order of nodes."""
    ppn = Counter(node_of_rank)
    return tuple(ppn[node] for node in range(len(ppn)))


def network_of_lab() -> Network | None:
    """The network of the lab that this process is in."""
    path = variables.text("SUIRO_LAB_NETWORK")
    if not path:
        return None
    document = json.loads(Path(path).read_text())
    hosts = document["hosts"]
    return Network(
        ranks_of_host=tuple(host["ranks"] for host in hosts),
        link_rates_bps=tuple(link["rate_bps"] for link in hosts[0]["links"]),
        connection_bps=hosts[0]["links"][0]["stream_bps"],
        cuts=tuple(Cut(frozenset(cut["hosts"]), cut["rate_bps"]) for cut in document["cuts"]),
        # UCX, below MPICH, prefers one link and gives the others what it pleases.
        shares_out=variables.text("SUIRO_LAB_MPI") == "openmpi",
    )
