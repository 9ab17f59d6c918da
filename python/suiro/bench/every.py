# SPDX-License-Identifier: BSD-3-Clause
"""Every collective of the table at once. What sizes mean differs from one to the next; to compare
them, sizes are bytes that the busiest link must carry, whatever the algorithm."""

from dataclasses import dataclass

from suiro.bench.catalog import Collective, busiest_link_bytes, collectives
from suiro.bench.network import Network, ranks_of_nodes
from suiro.bench.plan import Plan, root_of
from suiro.errors import UsageError

DEFAULT_SIZES = "64K,1M"
DEFAULT_REPEAT = 20
DEFAULT_BUDGET_S = 20.0
COMPARED = ("native", "auto")


@dataclass(frozen=True)
class Everything:
    """Native against what suiro chooses; `sizes` are bytes through the busiest link."""

    sizes: tuple[int, ...]
    repeat: int
    budget_s: float
    interface: str = "-"
    link_rate_bps: int | None = None
    root: int | None = None

    def plans(self, node_of_rank: list[int], network: Network | None) -> list[Plan]:
        """For ranks that are so placed. Blocks that may differ are equal."""
        nodes = ranks_of_nodes(node_of_rank)
        if len(nodes) == 1:
            raise UsageError("all ranks are on one node, so there is no link that carries anything")
        links = 1 if network is None else network.links_used
        return [self._plan(collective, nodes, links) for collective in collectives().values()]

    def _plan(self, collective: Collective, nodes: tuple[int, ...], links: int) -> Plan:
        port_bytes = self._sizes(collective, nodes, links) if collective.has_data else {}
        return Plan(
            collective=collective,
            algorithms=COMPARED,
            sizes=tuple(port_bytes) or (0,),
            repeat=self.repeat,
            budget_s=self.budget_s,
            interface=self.interface,
            link_rate_bps=self.link_rate_bps,
            root=root_of(collective, self.root if collective.rooted else None),
            port_bytes=port_bytes,
        )

    def _sizes(self, collective: Collective, nodes: tuple[int, ...], links: int) -> dict[int, int]:
        """The collective's own sizes, rounded down, with the bytes that they stand for."""
        unit = collective.unit_bytes
        unit_port_bytes = busiest_link_bytes(collective.name, nodes) / links * unit
        port_bytes = {int(size / unit_port_bytes) * unit: size for size in self.sizes}
        if 0 in port_bytes or len(port_bytes) < len(self.sizes):
            raise UsageError(
                f"--sizes: {collective.name} brings steps of {unit_port_bytes:.0f} bytes to the "
                "busiest link here; give sizes of at least that, and that far apart"
            )
        return port_bytes
