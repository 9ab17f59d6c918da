# SPDX-License-Identifier: BSD-3-Clause
"""The network of a lab: what the switch program is told, and what programs in the lab may read."""

from typing import Any

from suiro.lab.plan import CONTROL, Plan

Document = dict[str, Any]


def configuration(plan: Plan) -> Document:
    """For suiro-switch; docs/lab-switch.md describes it."""
    document: Document = {
        "model": plan.model,
        "buffer_bytes": plan.buffer_bytes,
        "mtu_bytes": plan.mtu,
        "control": str(CONTROL),
        "realtime": True,
        "ports": _ports(plan),
    }
    switches, links = _switches(plan)
    if len(switches) > 1:
        document |= {"switches": switches, "links": links}
        for port, at_switch in zip(document["ports"], _switch_of_port(plan), strict=True):
            port["switch"] = at_switch
    return document


def description(plan: Plan) -> Document:
    """What a program in the lab cannot see by itself; docs/lab.md describes it."""
    cpus = plan.cpu_of_host or (None,) * plan.hosts_count
    return {
        "hosts": [
            {
                "name": host.name,
                "ranks": ranks,
                "site": plan.site_of_host[host.index],
                "links": [
                    {
                        "interface": link.interface,
                        "address": link.address,
                        "rate_bps": link.rate_bps,
                        "stream_bps": plan.stream_bps or link.rate_bps,
                    }
                    for link in host.links
                ],
                "cpu": cpu,
            }
            for host, ranks, cpu in zip(plan.hosts, plan.ranks_of_host, cpus, strict=True)
        ],
        "wans": [
            {
                "sites": list(wan.sites),
                "rate_bps": wan.rate_bps,
                "delay_s": wan.delay_us / 1e6,
                "buffer_bytes": wan.buffer_bytes,
                "loss": wan.loss,
            }
            for wan in plan.wans
        ],
        "cuts": _cuts(plan),
    }


def _ports(plan: Plan) -> list[Document]:
    return [
        {
            "name": host.name if link.number == 0 else f"{host.name}/{link.interface}",
            "tap": link.tap,
            "mac": link.mac,
            "rate_bps": link.rate_bps,
        }
        | ({"stream_bps": plan.stream_bps} if plan.stream_bps else {})
        for host in plan.hosts
        for link in host.links
    ]


def _switch_of_port(plan: Plan) -> list[int]:
    if plan.tree is not None:
        return [host // plan.tree.leaf_hosts for host in range(plan.hosts_count)]
    if plan.wans:
        return list(plan.site_of_host)
    return [link.number for host in plan.hosts for link in host.links]


def _switches(plan: Plan) -> tuple[list[Document], list[Document]]:
    """The switches, and the links between them."""
    if plan.tree is not None:
        return _fat_tree(plan)
    if plan.wans:
        return _sites(plan)
    return [{"name": f"rail{link.number}"} for link in plan.hosts[0].links], []


def _fat_tree(plan: Plan) -> tuple[list[Document], list[Document]]:
    assert plan.tree is not None
    tree = plan.tree
    leaves = -(-plan.hosts_count // tree.leaf_hosts)
    switches: list[Document] = [{"name": f"leaf{leaf}"} for leaf in range(leaves)]
    switches += [
        {"name": f"spine{spine}", "model": tree.spine_model} for spine in range(tree.spines)
    ]
    links = [
        {"ends": [leaf, leaves + spine], "rate_bps": tree.rate_bps}
        for leaf in range(leaves)
        for spine in range(tree.spines)
    ]
    return switches, links


def _sites(plan: Plan) -> tuple[list[Document], list[Document]]:
    """The cable from a site to its router carries whatever its hosts can send."""
    sites = max(plan.site_of_host) + 1
    largest = max(plan.site_of_host.count(site) for site in range(sites))
    links = [
        {
            "ends": list(wan.sites),
            "rate_bps": max(largest * plan.rate_bps, wan.rate_bps),
            "wan": {
                "rate_bps": wan.rate_bps,
                "delay_us": wan.delay_us,
                "buffer_bytes": wan.buffer_bytes,
                "loss": wan.loss,
            },
        }
        for wan in plan.wans
    ]
    return [{"name": f"site{site}"} for site in range(sites)], links


def _cuts(plan: Plan) -> list[Document]:
    """Groups of hosts that cannot send to the others faster than this, however they do it."""
    if plan.tree is not None:
        leaf_of_host = _switch_of_port(plan)
        rate_bps = plan.tree.spines * plan.tree.rate_bps
        return [_cut(leaf_of_host, leaf, rate_bps) for leaf in range(max(leaf_of_host) + 1)]
    cuts = []
    for site in range(max(plan.site_of_host) + 1 if plan.wans else 0):
        rate_bps = sum(wan.rate_bps for wan in plan.wans if site in wan.sites)
        cuts.append(_cut(list(plan.site_of_host), site, rate_bps))
    return cuts


def _cut(group_of_host: list[int], group: int, rate_bps: int) -> Document:
    hosts = [host for host, its_group in enumerate(group_of_host) if its_group == group]
    return {"hosts": hosts, "rate_bps": rate_bps}
