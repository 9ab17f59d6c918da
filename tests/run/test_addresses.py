# SPDX-License-Identifier: BSD-3-Clause
"""In which order ranks look for `suiro run`."""

import ipaddress
import re
import socket
from pathlib import Path

import pytest

from suiro.run import addresses


def test_those_of_containers_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    interfaces = [
        ("lo", "127.0.0.1"),
        ("docker0", "172.17.0.1"),
        ("br-5f1", "172.18.0.1"),
        ("eth0", "192.168.7.2"),
        ("bond0", "10.0.0.2"),
        ("virbr0", "fd00::9"),
        ("eth0", "fe80::1"),
        ("eth0", "fd00::2"),
        ("bond0:1", "10.0.0.2"),
    ]
    known = [(name, ipaddress.ip_address(text)) for name, text in interfaces]
    monkeypatch.setattr(addresses, "_interfaces", lambda: iter(known))
    assert addresses.reachable() == [
        *("192.168.7.2", "10.0.0.2", "[fd00::2]"),
        *("172.17.0.1", "172.18.0.1", "[fd00::9]"),
    ]


def test_only_the_loopback_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_interfaces", lambda: iter(()))
    assert addresses.reachable() == ["127.0.0.1"]


def test_they_are_this_machines() -> None:
    for text in addresses.reachable():
        family = socket.AF_INET6 if text.startswith("[") else socket.AF_INET
        socket.create_server((text.strip("[]"), 0), family=family).close()


def test_containers_have_the_names_that_the_libraries_know() -> None:
    """And the host's ends of their cables, which are links like any other to the libraries."""
    source = Path(__file__).parents[2] / "src/host/interfaces.cpp"
    listed = re.search(r"container_prefixes\[\] = \{(.*?)\};", source.read_text(), re.DOTALL)
    assert listed
    names = set(re.findall(r'"([\w-]+)"', listed.group(1)))
    assert set(addresses._OF_CONTAINERS) == names | {"veth"}
