# SPDX-License-Identifier: BSD-3-Clause
"""In which order ranks look for `suiro run`."""

import ipaddress
import socket

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
