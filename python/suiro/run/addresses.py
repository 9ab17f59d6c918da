# SPDX-License-Identifier: BSD-3-Clause
"""The addresses under which this machine can be reached, from what the C library tells. The
networks of containers and virtual machines come last: other hosts may have networks of the same
addresses, or drop what is for them."""

import ctypes
import ipaddress
import socket
import sys
from collections.abc import Iterator

_IFF_UP = 1
_OF_CONTAINERS = (
    *("docker", "br-", "virbr", "vmnet", "vboxnet", "lxc", "lxd", "cni", "cali", "cilium", "kube"),
    *("flannel", "podman", "nerdctl", "veth", "vxlan", "weave"),
)


def reachable() -> list[str]:
    """Numeric addresses, in brackets where they have colons; the loopback only if nothing else."""
    found = sorted(
        (name.startswith(_OF_CONTAINERS), address.version, order, address)
        for order, (name, address) in enumerate(_interfaces())
        if not (address.is_loopback or (address.version == 6 and address.is_link_local))
    )
    texts = [str(address) if version == 4 else f"[{address}]" for _, version, _, address in found]
    return list(dict.fromkeys(texts)) or ["127.0.0.1"]


class _Entry(ctypes.Structure):
    """struct ifaddrs, as far as it is looked at."""


_Entry._fields_ = (
    ("next", ctypes.POINTER(_Entry)),
    ("name", ctypes.c_char_p),
    ("flags", ctypes.c_uint),
    ("address", ctypes.POINTER(ctypes.c_ubyte * 28)),
)


def _interfaces() -> Iterator[tuple[str, ipaddress.IPv4Address | ipaddress.IPv6Address]]:
    """Each address of those that are up, in the system's order."""
    library = ctypes.CDLL(None)
    first = ctypes.POINTER(_Entry)()
    if library.getifaddrs(ctypes.byref(first)) != 0:
        return
    try:
        entry = first
        while entry:
            one = entry.contents
            if one.address and one.flags & _IFF_UP:
                data = bytes(one.address.contents[:8])
                family = int.from_bytes(data[:2], sys.byteorder)
                name = one.name.decode(errors="replace")
                if family == socket.AF_INET:
                    yield name, ipaddress.IPv4Address(data[4:8])
                elif family == socket.AF_INET6:
                    yield name, ipaddress.IPv6Address(bytes(one.address.contents[8:24]))
            entry = one.next
    finally:
        library.freeifaddrs(first)
