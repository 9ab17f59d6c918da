# SPDX-License-Identifier: BSD-3-Clause
"""What a cluster file says of the network, by the names of the model's own (src/model/network.hpp).
What it does not say is not there."""

from suiro.cluster.cluster import Cluster

_STREAMS_MAX = 16


def known_network(cluster: Cluster) -> dict[str, object]:
    """The slowest of what is said: rates in bytes per second, times in seconds."""
    network: dict[str, object] = {}
    kinds = {site.switch for site in cluster.site}
    if len(kinds) == 1 and None not in kinds:
        network["kind"] = kinds.pop()
    rates = [site.rate for site in cluster.site if site.rate is not None]
    streams = [site.stream_rate for site in cluster.site if site.stream_rate is not None]
    latencies = [site.latency for site in cluster.site if site.latency is not None]
    if rates:
        network["link_Bps"] = min(rates) / 8
    if streams:
        network["stream_Bps"] = min(streams) / 8
    if latencies:
        network["latency_s"] = max(latencies) / 1e6
    costs = {
        "message_s": cluster.node.message and cluster.node.message / 1e6,
        "copy_Bps": cluster.node.copy_rate and cluster.node.copy_rate / 8,
        "local_Bps": cluster.node.local_rate and cluster.node.local_rate / 8,
        "reduce_Bps": cluster.node.reduce_rate and cluster.node.reduce_rate / 8,
        "kernel_Bps": cluster.node.kernel_rate and cluster.node.kernel_rate / 8,
    }
    network |= {name: value for name, value in costs.items() if value is not None}
    delays = [wan.delay for wan in cluster.wan if wan.delay is not None]
    wan_rates = [wan.rate for wan in cluster.wan if wan.rate is not None]
    if delays and wan_rates:
        network |= {"wan_Bps": min(wan_rates) / 8, "wan_latency_s": max(delays) / 1e6}
    return network


def streams_of_link(cluster: Cluster) -> int | None:
    """TCP streams that fill a link, as far as the transport makes as many (docs/transport.md);
    None where one does, or nobody knows."""
    network = known_network(cluster)
    link, stream = network.get("link_Bps"), network.get("stream_Bps")
    if not isinstance(link, float) or not isinstance(stream, float):
        return None
    streams = min(round(link / stream), _STREAMS_MAX)
    return streams if streams > 1 else None
