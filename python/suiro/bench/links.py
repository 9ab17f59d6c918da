# SPDX-License-Identifier: BSD-3-Clause
"""What one link more is worth: each transport over the first, the first two, ... of a host's
links, as in the paper on SMP clusters with multi-link Ethernet (2009)."""

from suiro import variables
from suiro.bench.transports import OURS, Transport
from suiro.errors import UsageError

# Transports that can be told over which links to go, by a list of interfaces or networks.
_CHOOSERS = {OURS: "SUIRO_NETS", "tcp": "OMPI_MCA_btl_tcp_if_include"}
# Over one link all policies are the same.
_POLICY = "SUIRO_NET_RAILS"


def parse_links(text: str) -> list[int]:
    """Numbers of links: `1,2,4`. UsageError names the word that is none."""
    counts = []
    for word in text.split(","):
        if not word.isdecimal() or int(word) < 1:
            raise UsageError(f'--links "{word}": expected numbers of links, as 1,2,4')
        counts.append(int(word))
    if len(set(counts)) < len(counts):
        raise UsageError(f"--links {text} names a number twice")
    return counts


def links_here() -> list[str]:
    """Those of the lab, or the interfaces or networks that SUIRO_NETS names."""
    lab = variables.text("SUIRO_LAB_INTERFACES")
    named = lab.split() if lab else variables.text("SUIRO_NETS").split(",")
    links = [link for link in named if link]
    if not links:
        raise UsageError("--links: name the interfaces or networks, in order, in SUIRO_NETS")
    return links


def over_links(transports: list[Transport], counts: list[int], links: list[str]) -> list[Transport]:
    """Each transport over so many of the links. UsageError if there are fewer, or if a transport
    cannot be told."""
    if max(counts) > len(links):
        raise UsageError(f"--links {max(counts)}: there are {len(links)}: {', '.join(links)}")
    for transport in transports:
        if transport.name not in _CHOOSERS:
            raise UsageError(f"--links is for {' and '.join(_CHOOSERS)}, not {transport.name}")
    return [
        Transport(
            f"{transport.label}, {count} {'link' if count == 1 else 'links'}",
            transport.name,
            transport.variables | {_CHOOSERS[transport.name]: ",".join(links[:count])},
        )
        for count in counts
        for transport in transports
        if count > 1 or _POLICY not in transport.variables
    ]
