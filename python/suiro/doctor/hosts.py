# SPDX-License-Identifier: BSD-3-Clause
"""Judges the facts of one host: its C library, suiro's libraries, TCP and links."""

import re
from pathlib import Path

from suiro.doctor.facts import Host
from suiro.doctor.finding import Finding, ok, problem, warning
from suiro.quantities import rate_text

_GLIBC_MIN = (2, 28)
_ETHERNET = "1"
_INFINIBAND = "32"
# The longest time in which a cluster's network should answer when its queues are full.
_ROUND_TRIP_S = 0.001


def judge(host: Host) -> list[Finding]:
    """Everything that a host's facts tell."""
    return [
        _glibc(host),
        *_libraries(host),
        *_congestion(host),
        *_switched_off(host),
        *_links(host),
        *_buffers(host),
    ]


def _glibc(host: Host) -> Finding:
    text = host.values.get("glibc", "")
    found = re.fullmatch(r"glibc (\d+)\.(\d+)", text)
    wanted = ".".join(map(str, _GLIBC_MIN))
    if found is None:
        return warning("glibc", "the C library is not glibc", f"suiro is made for glibc {wanted}")
    if (int(found[1]), int(found[2])) < _GLIBC_MIN:
        advice = "run on newer systems: older ones cannot load suiro's libraries"
        return problem("glibc", f"{text} is older than {wanted}", advice)
    return ok("glibc", f"{text} (suiro's libraries need {wanted})")


def _libraries(host: Host) -> list[Finding]:
    good, findings = [], []
    for path, value in host.named("library").items():
        name = Path(path).name
        if value == "missing":
            advice = "put suiro's folder there, at the same path on every host"
            findings.append(problem("preload", f"{path} cannot be read", advice))
        elif not value.startswith("sum "):
            advice = "is it for this kind of machine, and may files there be executed (noexec)?"
            findings.append(problem("preload", f"{name} cannot be loaded: {value}", advice))
        else:
            good.append(name)
    if good:
        findings.insert(0, ok("preload", f"{', '.join(good)} can be loaded"))
    return findings


def _congestion(host: Host) -> list[Finding]:
    control = host.values.get("tcp_congestion_control", "")
    findings = [ok("tcp", f"TCP uses {control}")] if control else []
    if control == "bbr":
        advice = "compare with sysctl -w net.ipv4.tcp_congestion_control=cubic"
        text = "TCP uses bbr, which loses much where many send to one port with a small buffer"
        findings = [warning("tcp", text, advice)]
    if host.values.get("tcp_slow_start_after_idle") == "1":
        advice = "try sysctl -w net.ipv4.tcp_slow_start_after_idle=0"
        text = "TCP forgets its window when a connection was idle, as between two collectives"
        findings.append(warning("tcp", text, advice))
    return findings


def _switched_off(host: Host) -> list[Finding]:
    meanings = {
        "tcp_sack": "one lost packet costs a whole window",
        "tcp_window_scaling": "no connection has more than 64 KiB under way",
    }
    return [
        warning("tcp", f"{name} is off: {cost}", f"try sysctl -w net.ipv4.{name}=1")
        for name, cost in meanings.items()
        if host.values.get(name) == "0"
    ]


def _links(host: Host) -> list[Finding]:
    findings, cards = [], 0
    for name, value in host.named("link").items():
        kind, family, mtu, *more = value.split()
        if family == _INFINIBAND:
            advice = "expect no gain if MPI uses it: suiro is made for Ethernet"
            findings.append(warning("link", f"{name} is InfiniBand", advice))
        if family != _ETHERNET or kind != "card":
            continue
        cards += 1
        findings.append(_link(name, mtu, more))
    if not cards:
        advice = "mind this only if it is a compute node, and no virtual machine or container"
        findings.append(warning("link", "no Ethernet card is up whose rate could be told", advice))
    return findings


def fastest_mbit(host: Host) -> int | None:
    """Of its Ethernet cards that tell their rates, in Mbit/s."""
    cards = [value.split() for value in host.named("link").values()]
    rates = [
        _mbit(more) for kind, family, _, *more in cards if (kind, family) == ("card", _ETHERNET)
    ]
    return max((rate for rate in rates if rate is not None), default=None)


def _link(name: str, mtu: str, more: list[str]) -> Finding:
    mbit = _mbit(more)
    if "half" in more:
        text = f"{name} runs at half duplex: it cannot send and receive at once"
        return warning("link", text, "look at the cable, and at the port of the switch")
    if mbit is None:
        text = f"{name} does not tell its rate, MTU {mtu}: suiro has to reckon with slow and fast"
        advice = "measure it: suiro probe --switch --write-cluster FILE; suiro run --cluster FILE"
        return warning("link", text, advice)
    return ok("link", f"{name} has {rate_text(mbit * 1e6)}, MTU {mtu}")


def _mbit(more: list[str]) -> int | None:
    rates = [int(word) for word in more if re.fullmatch(r"[1-9]\d*", word)]
    return rates[0] if rates else None


def _buffers(host: Host) -> list[Finding]:
    """The largest window that TCP may use, against what the fastest link has under way."""
    rates = [_mbit(value.split()[3:]) for value in host.named("link").values()]
    mbit = max((rate for rate in rates if rate is not None), default=1000)
    wanted = max(1 << 20, int(mbit * 1e6 / 8 * _ROUND_TRIP_S))
    findings = []
    for name in ("tcp_rmem", "tcp_wmem"):
        values = host.values.get(name, "").split()
        if len(values) != 3 or not values[2].isdigit() or int(values[2]) >= wanted:
            continue
        least, usual, most = values
        text = f"{name} ends at {most} bytes, and {rate_text(mbit * 1e6)} may need {wanted}"
        new = f'"{least} {usual} {wanted}"'
        findings.append(warning("tcp", text, f"try sysctl -w net.ipv4.{name}={new}"))
    return findings
