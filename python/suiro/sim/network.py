# SPDX-License-Identifier: BSD-3-Clause
"""The network and the shape that the model is given, from a lab's specification or a cluster.toml.
Nothing here is fitted to a measurement."""

from dataclasses import dataclass, replace
from pathlib import Path

from suiro.bench.innocence import wire_goodput_Bps
from suiro.cluster.cluster import Cluster, read
from suiro.cluster.network import known_network
from suiro.errors import UsageError
from suiro.lab.spec import Spec, load

# A lab's hosts share the processors of one machine: its messages take so long at each end, and on
# the way through the program that is its switch.
_LAB_MESSAGE_S = 150e-6
_LAB_LATENCY_S = 150e-6
# What jobs take for usual (src/choose/possible_networks.cpp): a message of MPI over TCP takes so
# long to start, and on its way. Cards of more than 1 Gbit/s do most of the work themselves.
USUAL_BPS = 125e6
_START_S = 50e-6
_OF_PROCESSORS = 0.2
_ON_THE_WAY = 0.8


@dataclass(frozen=True)
class Scene:
    """Who takes part, and on what: `network` is what anything tells, by the names of the model's
    own (src/model)."""

    name: str
    ranks_of_node: tuple[int, ...]
    network: dict[str, object]

    @property
    def ranks(self) -> int:
        return sum(self.ranks_of_node)

    @property
    def node_of_rank(self) -> list[int]:
        return [node for node, ranks in enumerate(self.ranks_of_node) for _ in range(ranks)]

    @property
    def site_of_node(self) -> list[int]:
        told = self.network.get("site_of_node")
        return told if isinstance(told, list) else [0] * len(self.ranks_of_node)

    @property
    def link_Bps(self) -> float:
        told = self.network.get("link_Bps")
        return told if isinstance(told, int | float) else USUAL_BPS

    @property
    def played(self) -> dict[str, object]:
        """The first of the networks that a job would take this for."""
        helped = self.link_Bps > 1.05 * USUAL_BPS
        parts = {"message_s": _START_S * _OF_PROCESSORS, "latency_s": _START_S * _ON_THE_WAY}
        usual: dict[str, object] = {"link_Bps": self.link_Bps}
        usual |= parts if helped else dict.fromkeys(parts, _START_S)
        told = (self.network.get(name, part) for name, part in parts.items())
        usual["start_s"] = sum(one for one in told if isinstance(one, int | float))
        return usual | self.network

    def part(self, ranks_of_node: tuple[int, ...]) -> "Scene":
        """The first nodes, with so many of their ranks."""
        network = dict(self.network)
        sites = network.get("site_of_node")
        if isinstance(sites, list):
            network["site_of_node"] = sites[: len(ranks_of_node)]
        return replace(self, ranks_of_node=ranks_of_node, network=network)


def of_lab(name: str) -> Scene:
    """A shipped lab, or the file of one."""
    label, spec = load(name)
    if spec.tree is not None:
        raise UsageError(f"--lab {name}: the model knows one switch, and no tree of them")
    return Scene(label, spec.hosts.ranks_of, _network_of_lab(spec))


def _network_of_lab(spec: Spec) -> dict[str, object]:
    link_Bps = sum(wire_goodput_Bps(rate, spec.link.mtu) for rate in spec.link.rates)
    network: dict[str, object] = {
        "kind": "voq" if spec.switch.model in ("wire", "bridge") else spec.switch.model,
        "link_Bps": link_Bps,
        "buffer": spec.switch.buffer,
        "message_s": _LAB_MESSAGE_S,
        "latency_s": _LAB_LATENCY_S,
        "start_s": _START_S,  # which a job in a lab takes for usual
    }
    if spec.link.stream:
        network["stream_Bps"] = wire_goodput_Bps(spec.link.stream, spec.link.mtu)
    if spec.wans:
        slowest = min(spec.wans.values(), key=lambda wan: wan.rate)
        network |= {
            "site_of_node": list(spec.site_of_host),
            "wan_Bps": wire_goodput_Bps(slowest.rate, spec.link.mtu),
            "wan_latency_s": max(wan.delay for wan in spec.wans.values()) / 1e6,
            "wan_window": spec.tcp.window,
        }
    return network


def of_cluster(path: Path, ppn: int, nodes: int | None = None) -> Scene:
    """All nodes of a cluster.toml, each with so many ranks. `nodes`: how many, where it does not
    name them."""
    cluster = read(path)
    if not cluster.names_nodes:
        if nodes is None:
            raise UsageError(f'--cluster {path}: "*" does not tell how many nodes there are: add '
                             "--nodes")  # fmt: skip
        return Scene(str(path), (ppn,) * nodes, known_network(cluster))
    if nodes is not None:
        raise UsageError(f"--cluster {path} names its nodes: leave out --nodes")
    sites = [number for number, site in enumerate(cluster.site) for _ in site.nodes]
    return Scene(str(path), (ppn,) * len(sites), _network_of_cluster(cluster, sites))


def of_job(path: Path, hosts: list[str], ranks_of_node: tuple[int, ...]) -> Scene:
    """The nodes of a job, as a cluster.toml knows them by name."""
    cluster = read(path)
    if not cluster.names_nodes:
        return Scene(str(path), ranks_of_node, known_network(cluster))
    site_of = {node: number for number, site in enumerate(cluster.site) for node in site.nodes}
    for host in hosts:
        if host not in site_of:
            raise UsageError(f"--cluster {path}: the job has a node {host}, which is at no site")
    sites = [site_of[host] for host in hosts]
    return Scene(str(path), ranks_of_node, _network_of_cluster(cluster, sites))


def _network_of_cluster(cluster: Cluster, sites: list[int]) -> dict[str, object]:
    """`sites`: of each node."""
    network = known_network(cluster)
    if len(set(sites)) == 1:
        return {name: value for name, value in network.items() if not name.startswith("wan_")}
    if "wan_Bps" not in network:
        raise UsageError(
            "the file does not say how fast the WAN is: let `suiro probe --sites --write-cluster` "
            "measure it, or add delay and rate to [[wan]]"
        )
    return network | {"site_of_node": sites}
