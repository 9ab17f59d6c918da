# SPDX-License-Identifier: BSD-3-Clause
"""Labs of several switches, links or speeds give what their specs say, and tell it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lab_command import Suiro

pytestmark = pytest.mark.lab

EXAMPLE = Path(__file__).parents[2] / "examples" / "alltoall.c"
TRAFFIC = f"/usr/bin/python3 {Path(__file__).parent / 'traffic.py'}"


def measured(suiro: Suiro, lab: str, counters: Path, *programs: str) -> list[Any]:
    script = "; ".join(f"{TRAFFIC} {program}" for program in programs)
    arguments = ("--counters", str(counters), "--", "sh", "-c", script)
    result = suiro("lab", "run", lab, *arguments, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.timing
def test_a_wan_has_its_rate_and_delay(suiro: Suiro, tmp_path: Path) -> None:
    """Six hosts send as fast as they can to the other site, whose WAN carries four."""
    pairs = " ".join(f"host{host}:10.77.1.{host + 1}" for host in range(8, 14))
    programs = ["round_trip host1", "round_trip host8", f"rates 2 {pairs}"]
    counters = tmp_path / "counters.json"
    near, far, rates = measured(suiro, "two-sites", counters, *programs)
    assert near < 0.002
    assert far == pytest.approx(0.020, rel=0.05)
    assert sum(rates) == pytest.approx(200e6, rel=0.05)
    there, back = json.loads(counters.read_text())["links"]
    assert (there["name"], back["name"]) == ("site0-site1", "site1-site0")
    assert there["drops"] > 1000
    assert back["drops"] == there["lost"] == 0


@pytest.mark.timing
def test_a_tree_shares_its_links_by_destination(suiro: Suiro, tmp_path: Path) -> None:
    """From host 0 and 1: hosts 4 and 5 are behind different spines, 4 and 6 behind one."""
    programs = [f"rates 1 host4:10.77.0.5 host{host}:10.77.0.{host + 1}" for host in (5, 6)]
    counters = tmp_path / "counters.json"
    apart, together = measured(suiro, "fat-tree-8x2", counters, *programs)
    assert min(apart) >= 0.95 * 50e6
    assert sum(together) == pytest.approx(50e6, rel=0.05)


@pytest.mark.timing
def test_every_rail_has_its_rate(suiro: Suiro, tmp_path: Path) -> None:
    counters = tmp_path / "counters.json"
    pairs = "host1:10.77.0.2 host2:10.78.0.3 host3:10.79.0.4"
    (rates,) = measured(suiro, "four-rails", counters, f"rates 1 {pairs}")
    assert rates == pytest.approx([50e6, 50e6, 25e6], rel=0.05)
    names = [port["name"] for port in json.loads(counters.read_text())["ports"]]
    assert names[:5] == ["host0", "host0/eth1", "host0/eth2", "host0/eth3", "host1"]


@pytest.mark.timing
def test_one_connection_has_its_share_of_a_link(suiro: Suiro, tmp_path: Path) -> None:
    server = "ssh host1 iperf3 -s -D"
    clients = [f"iperf3 -c host1 -P {streams} -O 1 -t 2 -J" for streams in (1, 4)]
    script = "; sleep 0.5; ".join([server, *clients])
    counters = ("--counters", str(tmp_path / "counters.json"))
    result = suiro("lab", "run", "4x8-cloud", *counters, "--", "sh", "-c", script)
    alone, rest = json.JSONDecoder().raw_decode(result.stdout)
    together = json.loads(result.stdout[rest:])
    rates = [run["end"]["sum_received"]["bits_per_second"] for run in (alone, together)]
    assert rates == pytest.approx([10e6, 40e6], rel=0.15)


@pytest.mark.timing
def test_hosts_have_different_speeds(suiro: Suiro, needs_cpu_groups: None, tmp_path: Path) -> None:
    groups = "shares 1 host0 host1 host2 host3"
    (shares,) = measured(suiro, "mixed-speed", tmp_path / "counters.json", groups)
    assert shares == pytest.approx([0.4, 0.4, 0.2, 0.2], rel=0.1)


def test_what_programs_can_read(suiro: Suiro) -> None:
    script = 'cat $SUIRO_LAB_NETWORK; echo "$SUIRO_LAB_SITES_OF_HOSTS" >&2'
    result = suiro("lab", "run", "three-sites-uneven", "--", "sh", "-c", script)
    document = json.loads(result.stdout)
    assert result.stderr == "0 0 0 0 0 1 1 1 1 1 2 2 2\n"
    link: dict[str, object] = {"interface": "eth0", "address": "10.77.1.6"}
    link |= {"rate_bps": 50_000_000, "stream_bps": 50_000_000}
    host = {"name": "host5", "ranks": 3, "site": 1, "links": [link], "cpu": None}
    assert document["hosts"][5] == host
    assert [wan["sites"] for wan in document["wans"]] == [[0, 1], [0, 2], [1, 2]]
    assert document["wans"][2]["delay_s"] == 0.02
    assert document["cuts"][2] == {"hosts": [10, 11, 12], "rate_bps": 100_000_000}


def test_jobs_see_the_sites(suiro: Suiro, tmp_path: Path) -> None:
    program = tmp_path / "alltoall"
    subprocess.run(["mpicc.openmpi", "-o", program, EXAMPLE], check=True)
    suiro_command = Path(sys.executable).parent / "suiro"
    job = f"{suiro_command} run --explain=json -- $SUIRO_LAB_MPIRUN {program} 65536 1"
    result = suiro("lab", "run", "two-sites", "--mpi", "openmpi", "--", "sh", "-c", job)
    assert "at 2 sites" in result.stderr


def test_status_shows_the_links(suiro: Suiro) -> None:
    name = f"tree-{os.getpid()}"
    assert suiro("lab", "up", "fat-tree-8x2", "--name", name).returncode == 0
    try:
        shown = suiro("lab", "status", name).stdout
    finally:
        suiro("lab", "down", name)
    assert "leaf1-spine0" in shown
