# SPDX-License-Identifier: BSD-3-Clause
"""The job service over a real socket, with peers that behave and peers that do not."""

import contextlib
import io
import itertools
import json
import resource
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suiro.run.hint import hint
from suiro.run.report import Reports
from suiro.run.service import Service
from suiro.run.table import print_json, print_table, table_lines


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
        peer.say('{"unnamed": {"host": "host9", "one_node": true}}', '{"done": true}')
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
        early = its | {"calls": 1, "seconds": 9.0}  # told again when there is more
        peer.say(json.dumps({"explain": row | early}), json.dumps({"trace": [1]}))
        peer.say(json.dumps({"explain": row | its}))
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
    for rank, (calls, node) in enumerate(itertools.product((2, 1, 1), (0, 1))):
        traffic = {"calls": calls, "wire_bytes": 1000 * calls}
        reports.explain(rank, row | traffic | {"node_bytes": [[node, 1000.0 * calls]]})
    rows = reports.rows(8000.0)
    assert [(row["link_shared_by"], row["bound_s"]) for row in rows] == [(2, 2.0)]
    table = io.StringIO()
    print_table(rows, [], table)
    assert "link shared by" in table.getvalue()


@pytest.mark.parametrize(
    ("shape", "reason", "network", "expected"),
    [
        ("4 nodes x 4 ranks", "predicted: nothing surely beats native's linear", "", True),
        ("4 nodes, 1..4 ranks", "perhaps: 0.9 to 2.3 times as fast as native's linear", "", True),
        ("4 nodes x 4 ranks", "predicted: nothing surely beats x", '{"link_Bps": 1e8}', True),
        ("4 nodes x 4 ranks", "predicted: nothing surely beats x", '{"kind": "hol"}', False),
        ("4 nodes x 4 ranks", "rule: x", "", False),
        ("2 nodes x 4 ranks", "predicted: nothing surely beats x", "", False),
        ("8 nodes x 4 ranks at 2 sites", "predicted: nothing surely beats x", "", False),
    ],
)
def test_a_hint_where_a_probe_may_change_it(
    shape: str, reason: str, network: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUIRO_CLUSTER_NETWORK", network)
    row = {"collective": "alltoall", "shape": shape, "bytes": [1, 1], "algorithm": "native"}
    assert ("suiro probe --switch" in hint([row | {"reason": reason}])) == expected


def test_no_hint_once_a_trial_has_begun() -> None:
    row = {"collective": "alltoall", "shape": "4 nodes x 4 ranks", "bytes": [1, 1]}
    turn = row | {"algorithm": "native", "reason": "trial: native's turn"}
    ours = row | {"algorithm": "ring", "reason": "predicted: 2 ms or more, 1.2 times as fast as x"}
    out = io.StringIO()
    print_json([turn], [], out)
    assert "suiro probe --switch" in json.loads(out.getvalue())["hint"]
    assert not hint([turn, ours])


def test_the_table_fits_each_terminal() -> None:
    """No word is cut, and none is lost but in columns that are named."""
    row: dict[str, Any] = {
        "collective": "reduce_scatter_block", "shape": "4 nodes x 8 ranks", "link_shared_by": 1,
        "bytes": [131072, 262143], "calls": 100000, "algorithm": "send_side_aggregation",
        "reason": "predicted: nothing surely beats native's binary tree of other neighbours",
        "median_s": 1.234e-3, "max_s": 5.67e-3, "native_s": 2.345e-3, "bound_s": 1e-3,
    }  # fmt: skip
    rows = [row, row | {"native_s": None, "reason": "ignorance: " + "x" * 70}]
    for columns in (80, 120, 160, None):
        lines = table_lines(rows, columns)
        text = "\n".join(lines)
        assert max(map(len, lines)) <= (columns or 200)
        for word in ("reduce_scatter_block", "send_side_aggregation", "128 to 256 KiB", "1.23 ms",
                     "x" * 70, *row["reason"].split()):  # fmt: skip
            assert word in text
        assert ("5.67 ms" in text) is (columns != 80)
        assert ("without max" in text) is (columns == 80)
    assert len(table_lines(rows, None)) == 8, "a line for each, and for each reason"
