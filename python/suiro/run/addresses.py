# SPDX-License-Identifier: BSD-3-Clause
"""The addresses under which this machine can be reached, from what the kernel tells in /proc."""

import ipaddress
import re
from pathlib import Path


def reachable() -> list[str]:
    """Numeric addresses, in brackets where they have colons; the loopback only if nothing else."""
    found = [*_version_4(), *_version_6()]
    return found or ["127.0.0.1"]


def _version_4() -> list[str]:
    try:
        text = Path("/proc/net/fib_trie").read_text()
    except OSError:
        return []
    local = re.findall(r"\|-- ([\d.]+)\n\s+/32 host LOCAL", text)
    return [address for address in dict.fromkeys(local) if not address.startswith("127.")]


def _version_6() -> list[str]:
    try:
        lines = Path("/proc/net/if_inet6").read_text().splitlines()
    except OSError:
        return []
    addresses = (ipaddress.IPv6Address(bytes.fromhex(line.split()[0])) for line in lines)
    return [f"[{a}]" for a in addresses if not (a.is_loopback or a.is_link_local)]
