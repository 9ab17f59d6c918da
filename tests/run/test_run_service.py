# SPDX-License-Identifier: BSD-3-Clause
"""The job service over a real socket, with peers that behave and peers that do not."""

import contextlib
import io
import json
import resource
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suiro.run.report import Reports, print_table
from suiro.run.service import Service


@pytest.fixture
def reports(tmp_path: Path) -> Reports:
    return Reports(tmp_path / "trace.jsonl")


@pytest.fixture
def service(reports: Reports) -> Iterator[Service]:
    running = Service(reports)
    running.start()
    yield running
    running.stop()


class Peer:
    """A connection to the service."""

    def __init__(self, service: Service) -> None:
        port = int(service.places.rsplit(":", 1)[1])
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rw")

    def say(self, *lines: str) -> None:
        self.file.write("".join(f"{line}\n" for line in lines))
        self.file.flush()

    def hears(self) -> str:
        try:
            return self.file.readline().strip()
        except ConnectionError:
            return ""


def register(service: Service) -> Peer:
    peer = Peer(service)
    about = {"world": "", "host": "a", "build": "1", "pid": 1}
    peer.say(f"suiro 1 {service.token}", json.dumps({"register": about}))
    assert peer.hears() == "ok"
    return peer


def await_cut_off(reports: Reports) -> None:
    """One rank, once the service has noticed."""
    for _ in range(1000):
        if reports.cut_off_ranks:
            break
        time.sleep(0.01)
    assert reports.cut_off_ranks == 1


def test_two_ranks(service: Service) -> None:
    peers = [register(service) for _ in range(2)]
    for rank, peer in enumerate(peers):
        peer.say(json.dumps({"verdict": {"rank": rank, "size": 2}}))
    assert [peer.hears() for peer in peers] == ["on", "on"]


def test_ranks_of_a_node_have_one_connection(service: Service, reports: Reports) -> None:
    """Their numbers stand before what they say and hear; who breaks the protocol goes alone."""
    node, other = Peer(service), register(service)
    about = json.dumps({"register": {"world": "", "host": "b", "build": "1", "pid": 1, "local": 2}})
    node.say(f"suiro 1 {service.token}", '{"hello": true}')
    assert node.hears() == "ok"
    node.say(f"7 {about}", f"12 {about}")
    assert [node.hears(), node.hears()] == ["7 ok", "12 ok"]
    node.say("13 nonsense")
    assert node.hears() == "13"
    for start, peer, rank in (("12 ", node, 2), ("7 ", node, 0), ("", other, 1)):
        peer.say(start + json.dumps({"verdict": {"rank": rank, "size": 3}}))
    assert {node.hears(), node.hears()} == {"7 on", "12 on"}
    assert other.hears() == "on"
    node.say('12 {"done": true}', "12", "7")
    assert node.hears() == "12 ok"
    other.say('{"done": true}')
    assert other.hears() == "ok"
    await_cut_off(reports)  # 7 has not said that it reported all


def test_the_transport_is_settled_before_the_verdict(service: Service) -> None:
    peers = [register(service) for _ in range(2)]
    about = {"size": 3, "spawned": False, "obstacle": "", "net": True}
    for rank, peer in enumerate(peers):
        peer.say(json.dumps({"transport": {"rank": rank} | about}))
    peers[1].say('{"withdraw": "transport"}')
    assert [peer.hears() for peer in peers] == ["net", "net"]
    for rank, peer in enumerate(peers):
        peer.say(json.dumps({"verdict": {"rank": rank, "size": 2}}))
    assert [peer.hears() for peer in peers] == ["on", "on"]


@pytest.mark.parametrize(
    "greeting",
    ["suiro 1 00000000000000000000000000000000", "GET / HTTP/1.1\n\n" + "x" * 64, "x" * 100_000],
)
def test_strangers_hear_nothing(service: Service, greeting: str) -> None:
    peer = Peer(service)
    peer.say(greeting, '{"register": {}}')
    assert peer.hears() == ""
    assert service.worlds.registered == 0


def test_a_flood_of_the_silent_keeps_no_rank_out(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("suiro.run.service._STRANGERS_MAX", 10)
    first = register(service)
    silent = [Peer(service) for _ in range(30)]
    peers = [first, register(service)]
    assert [peer.hears() for peer in silent[:20]] == [""] * 20
    for rank, peer in enumerate(peers):
        peer.say(json.dumps({"verdict": {"rank": rank, "size": 2}}))
    assert [peer.hears() for peer in peers] == ["on", "on"]
    assert capsys.readouterr().err == ""


def test_many_ranks_come_at_once(service: Service) -> None:
    """While the service has other things to do."""
    count = 1500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4 * count or int(Path("/proc/sys/net/core/somaxconn").read_text()) < count:
        pytest.skip("too few descriptors or connections are allowed here")
    register(service)  # it listens by now
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * count, hard))
    try:
        busy = threading.Event()
        service._loop.call_soon_threadsafe(busy.wait)
        peers = [Peer(service) for _ in range(count)]
        for peer in peers:
            peer.say(f"suiro 1 {service.token}", '{"hello": true}')
        busy.set()
        assert {peer.hears() for peer in peers} == {"ok"}
        del peers, peer
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_ranks_that_owe_a_report_are_counted(service: Service, reports: Reports) -> None:
    for last in ('{"done": true}', ""):
        peer = register(service)
        peer.say(json.dumps({"verdict": {"rank": 0, "size": 1}}))
        assert peer.hears() == "on"
        if last:
            peer.say(last)
            assert peer.hears() == "ok"
        peer.file.close()
        peer.socket.close()
    await_cut_off(reports)


@pytest.mark.parametrize(
    "line",
    [
        "not JSON",
        "[]",
        "true",
        '{"register": {}}',
        '{"verdict": {"rank": 0, "size": 1}}',
        '{"explain": {"calls": 0}}',
        '{"sites": {"count": 2, "told_by": "x"}}',
        '{"trace": ' + "[" * 5000,
        '{"x": "' + "x" * (2 << 20) + '"}',
    ],
)
def test_nonsense_from_a_rank_ends_its_connection_only(service: Service, line: str) -> None:
    peer = Peer(service)
    peer.say(f"suiro 1 {service.token}")
    with contextlib.suppress(ConnectionError):
        peer.say(line)
    assert peer.hears() == ""
    fresh = register(service)
    fresh.say(json.dumps({"verdict": {"rank": 0, "size": 1}}))
    assert fresh.hears() == "on"


def test_sites_are_told_once_for_all_jobs_that_have_the_same(
    service: Service, reports: Reports, capsys: pytest.CaptureFixture[str]
) -> None:
    for told_by in ("addresses", "names", "names"):
        peer = register(service)
        sites = {"count": 2, "told_by": told_by, "contradicted": told_by == "names"}
        peer.say(json.dumps({"sites": sites}))
        peer.say('{"unnamed": "host9"}', '{"done": true}')
        assert peer.hears() == "ok"
    assert reports.sites_told == [
        {"count": 2, "told_by": "addresses"},
        {"count": 2, "told_by": "SUIRO_SITES, though the addresses tell others"},
    ]
    assert "SUIRO_SITES does not name host9" in capsys.readouterr().err


def test_reports_are_put_together(service: Service, reports: Reports) -> None:
    row: dict[str, Any] = {
        "collective": "alltoall",
        "shape": "2 nodes x 1 rank",
        "size_class": 11,
        "algorithm": "ring",
        "reason": "measured: x",
        "calls": 2,
        "native_calls": 0,
        "native_seconds": 0,
        "wire_bytes": 2000,
    }
    for seconds, node in ((2.0, 0), (4.0, 1)):
        peer = register(service)
        its = {"seconds": seconds, "node_bytes": [[node, 2000.0]]}
        peer.say(json.dumps({"explain": row | its}), json.dumps({"trace": [1]}))
        peer.say('{"done": true}')
        assert peer.hears() == "ok"
    (found,) = reports.rows(8000.0)
    assert found == {
        "collective": "alltoall",
        "shape": "2 nodes x 1 rank",
        "link_shared_by": 1,
        "bytes": [1024, 2047],
        "calls": 2,
        "algorithm": "ring",
        "reason": "measured: x",
        "median_s": 1.5,
        "max_s": 2.0,
        "native_s": None,
        "bound_s": 1.0,
    }


def test_communicators_that_share_a_link_share_its_bound(reports: Reports) -> None:
    row: dict[str, Any] = {
        "collective": "alltoall",
        "shape": "2 nodes x 1 rank",
        "size_class": 11,
        "algorithm": "native",
        "reason": "ignorance: x",
        "seconds": 8.0,
        "native_calls": 0,
        "native_seconds": 0,
    }
    # One communicator makes two calls while the others, on the same nodes, make one each.
    for calls in (2, 1, 1):
        for node in (0, 1):
            traffic = {"calls": calls, "wire_bytes": 1000 * calls}
            reports.explain(row | traffic | {"node_bytes": [[node, 1000.0 * calls]]})
    rows = reports.rows(8000.0)
    assert [(row["link_shared_by"], row["bound_s"]) for row in rows] == [(2, 2.0)]
    table = io.StringIO()
    print_table(rows, [], table)
    assert "link shared by" in table.getvalue()
