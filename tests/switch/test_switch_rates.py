# SPDX-License-Identifier: BSD-3-Clause
"""The switch on real devices and the real clock: its links reach their rate, not more."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from network import SwitchNetwork

from suiro.native import tool

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces: run it as root"),
]

RATE_BPS = 20_000_000
MEASURED_S = 2.0

# Datagrams of one full frame each, to targets chosen at random, somewhat faster than the link. The
# device drops what its queue cannot hold, as it would for any program.
SENDER = """
import random, socket, sys, time
rate, seconds, *targets = sys.argv[1:]
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
interval = 1538 * 8 / float(rate) / 1.05
end = time.monotonic() + float(seconds)
due = time.monotonic()
while due < end:
    sender.sendto(bytes(1472), (random.choice(targets), 9))
    due += interval
    pause = due - time.monotonic()
    if pause > 0.002:
        time.sleep(pause)
"""


@contextmanager
def datagrams(network: SwitchNetwork, targets: dict[int, list[int]]) -> Iterator[None]:
    """Hosts send to their targets while the block runs, and a second more."""
    senders = []
    for port, others in targets.items():
        addresses = [f"10.77.0.{other + 1}" for other in others]
        arguments = [sys.executable, "-c", SENDER, str(network.rate_bps), str(MEASURED_S + 2)]
        senders.append(subprocess.Popen(network.command(port, *arguments, *addresses)))
    try:
        yield
    finally:
        for sender in senders:
            sender.terminate()
            sender.wait()


def measure(network: SwitchNetwork, targets: dict[int, list[int]]) -> Any:
    """The switch's counters over the measured time, with all queues full."""
    with datagrams(network, targets):
        time.sleep(1)
        network.counters(reset=True)
        time.sleep(MEASURED_S)
        return network.counters()


def assert_innocent(counters: Any) -> None:
    """The program itself changed nothing that is worth measuring."""
    assert counters["lateness_us"]["p99"] <= counters["mtu_time_us"]
    assert counters["window_violations"] == 0
    assert all(port["malformed"] == port["undelivered"] == 0 for port in counters["ports"])


@pytest.mark.timing
@pytest.mark.parametrize("model", ["hol", "voq", "shared", "pause"])
def test_one_target_each_reaches_the_rate(tmp_path: Path, model: str) -> None:
    with SwitchNetwork(tmp_path, model, 4, RATE_BPS) as network:
        counters = measure(network, {port: [(port + 1) % 4] for port in range(4)})
    assert min(port["utilisation"] for port in counters["ports"]) >= 0.93
    assert_innocent(counters)


@pytest.mark.timing
@pytest.mark.parametrize(("model", "least", "most"), [("hol", 0.71, 0.79), ("voq", 0.93, 1.0)])
def test_two_targets_each(tmp_path: Path, model: str, least: float, most: float) -> None:
    with SwitchNetwork(tmp_path, model, 4, RATE_BPS) as network:
        counters = measure(network, {0: [2, 3], 1: [2, 3], 2: [0, 1], 3: [0, 1]})
    used = [port["utilisation"] for port in counters["ports"]]
    assert least <= sum(used) / 4 <= most
    assert (sum(port["hol_blocked_s"] for port in counters["ports"]) > 0) == (model == "hol")
    assert_innocent(counters)


@pytest.mark.timing
@pytest.mark.parametrize("model", ["hol", "voq", "shared", "pause"])
def test_tcp_reaches_the_rate(tmp_path: Path, model: str) -> None:
    """Two pairs of hosts, one way each: super-frames, their segments, checksums and order."""
    with SwitchNetwork(tmp_path, model, 4, RATE_BPS) as network:
        servers = [
            subprocess.Popen(network.command(port, "iperf3", "-s", "-1"), stdout=subprocess.DEVNULL)
            for port in (1, 3)
        ]
        time.sleep(0.3)
        clients = [
            subprocess.Popen(
                network.command(port, "iperf3", "-J", "-O", "1", "-t", "2", "-c", target),
                stdout=subprocess.PIPE,
            )
            for port, target in ((0, "10.77.0.2"), (2, "10.77.0.4"))
        ]
        answers = [json.loads(client.communicate()[0]) for client in clients]
        for server in servers:
            server.wait(5)
        counters = network.counters()
    goodput_limit = RATE_BPS * 1448 / 1538
    for answer in answers:
        assert answer["end"]["sum_received"]["bits_per_second"] >= 0.93 * goodput_limit
    assert counters["window_violations"] == 0
    assert all(port["malformed"] == port["undelivered"] == 0 for port in counters["ports"])


def test_ends_at_a_signal_and_leaves_nothing(tmp_path: Path) -> None:
    with SwitchNetwork(tmp_path, "hol", 2, RATE_BPS) as network:
        assert network.counters()["ports"][0]["tx_frames"] == 0
        assert network.switch is not None
        network.switch.send_signal(signal.SIGTERM)
        assert network.switch.wait(5) == 0
        assert not network.control.exists()


def test_survives_a_host_that_is_gone(tmp_path: Path) -> None:
    with SwitchNetwork(tmp_path, "hol", 3, RATE_BPS) as network:
        network.holders[2].terminate()
        network.holders[2].wait()
        targets = "10.77.0.3", "10.77.0.2"
        network.run(0, sys.executable, "-c", SENDER, str(RATE_BPS), "0.5", *targets)
        time.sleep(1)  # what a late sender has sent at once drains
        before = network.counters()
        assert before["ports"][1]["tx_frames"] > 100
        time.sleep(0.5)
        assert network.counters()["turns"] - before["turns"] < 100


def test_says_what_is_wrong(tmp_path: Path) -> None:
    config = tmp_path / "switch.json"
    config.write_text('{"model": "ring", "control": "/tmp/x", "ports": []}', encoding="utf-8")
    done = subprocess.run([tool("suiro-switch"), config], text=True, capture_output=True)
    assert done.returncode == 2
    expected = 'model: expected "hol", "voq", "shared" or "pause"'
    assert done.stderr == f"suiro-switch: {config}: {expected}\n"
    done = subprocess.run([tool("suiro-switch"), "absent"], text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (1, "suiro-switch: absent: cannot be read\n")
