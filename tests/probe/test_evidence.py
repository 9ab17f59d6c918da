# SPDX-License-Identifier: BSD-3-Clause
"""What the measuring program prints becomes the shares that a finding is made from."""

from typing import Any

import pytest

from suiro.probe.evidence import read_evidence

HOSTS = ["a", "b", "c", "d"]
LINK = {"bench": "probe_link", "flows": 2, "payload_bytes": 1000, "rates_Bps": [1e6] * 4}


def pair(source: int, target: int, **bytes_of: float) -> dict[str, Any]:
    numbers = {
        "offered_bytes": 500_000,
        "refused_bytes": 0,
        "sent_bytes": 600_000,
        "sent_datagrams": 600,
        "counted_bytes": 500_000,
        "received_bytes": 600_000,
        "overflowed_bytes": 0,
    }
    return {"source": source, "target": target, **numbers, **bytes_of}


def traffic(name: str, pairs: list[dict[str, Any]]) -> dict[str, Any]:
    roles = {"sender": 0, "free": 1, "busy": 2}
    return {"bench": "probe_traffic", "part": name, **roles, "counted_s": 1.0, "pairs": pairs}


def test_a_part() -> None:
    pairs = [
        pair(0, 1, counted_bytes=250_000),
        pair(0, 2, sent_datagrams=6000),
        pair(1, 2, received_bytes=300_000, refused_bytes=100_000),
        pair(3, 2, received_bytes=540_000, overflowed_bytes=60_000),
    ]
    part = read_evidence(HOSTS, [LINK, traffic("light", pairs)]).parts[0]
    assert (part.free_share, part.busy_share) == (0.5, 1.0)
    assert part.free_lost == 0
    assert part.busy_lost == pytest.approx(300_000 / 1_800_000)
    assert part.sender_offered == pytest.approx(1.0)
    assert part.busy_offered == pytest.approx(1.5)
    assert part.waits == pytest.approx(5.0)
    assert part.refused == pytest.approx(0.05)
    assert part.overflowed == pytest.approx(60_000 / 2_400_000)


def test_the_control_is_the_worst_pair() -> None:
    pairs = [pair(0, 1), pair(1, 2, counted_bytes=400_000, received_bytes=570_000)]
    (control,) = read_evidence(HOSTS, [LINK, traffic("control", pairs)]).controls
    assert (control.share, control.lost) == (0.8, pytest.approx(0.05))


def test_bursts_over_tcp() -> None:
    burst = {"bench": "probe_incast", "target": 2, "bytes": 100_000, "retransmissions": 7}
    event = {**burst, "times_s": [0.3, 0.6, 9.0]}
    evidence = read_evidence(HOSTS, [LINK, traffic("control", [pair(0, 1)]), event])
    assert evidence.incast is not None
    assert evidence.incast.slowdown == pytest.approx(2.0)
    assert evidence.incast.rounds == 3
    assert evidence.sent_bytes == 600_000 + 3 * 3 * 100_000


def test_hosts_that_had_no_part_are_left_out() -> None:
    evidence = read_evidence([*HOSTS, "e"], [LINK])
    assert evidence.hosts == HOSTS
    assert evidence.parts == []


def test_nothing_measured() -> None:
    evidence = read_evidence(HOSTS, [])
    assert (evidence.hosts, evidence.link_Bps) == (HOSTS, [])
