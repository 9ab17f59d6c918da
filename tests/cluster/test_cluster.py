# SPDX-License-Identifier: BSD-3-Clause
"""Cluster files: what is written is read again, and a wrong one is refused in one line that says
where, and what was expected."""

from datetime import datetime
from pathlib import Path

import pytest

from suiro.cluster.cluster import Cluster, Site, read
from suiro.cluster.write import check_target, to_toml, write
from suiro.errors import UsageError

GOOD = """\
version = 1
[[site]]
nodes = ["a0", "a1",
  "a2"]
latency = "62us"
rate = "47.1M"
[[site]]
nodes = ["b0", "b1"]
[[wan]]
sites = [0, 1]
delay = "10ms"
rate = "94M"
n = 2
"""


def cluster_file(folder: Path, text: str) -> Path:
    path = folder / "cluster.toml"
    path.write_text(text)
    return path


def test_reading(tmp_path: Path) -> None:
    cluster = read(cluster_file(tmp_path, GOOD))
    assert cluster.nodes == ["a0", "a1", "a2", "b0", "b1"]
    assert (cluster.site[0].latency, cluster.site[0].rate) == (62, 47_100_000)
    assert (cluster.wan[0].delay, cluster.wan_flows) == (10_000, 2)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    nodes = [f"node{number:03}" for number in range(40)]
    cluster = Cluster.model_validate(
        {
            "version": 1,
            "measured": {"at": datetime(2026, 11, 24, 18, 40), "by": 'suiro probe --lab "x\\y"'},
            "site": [
                {"nodes": nodes, "latency": "62us", "rate": "47.1M", "stream_rate": "9M"},
                {"nodes": ["b-0.example.org", "b-1"]},
            ],
            "wan": [{"sites": [0, 1], "delay": "10.1ms", "rate": "188M", "n": 2}],
        }
    )
    path = tmp_path / "cluster.toml"
    write(cluster, path)
    assert read(path) == cluster
    assert max(map(len, path.read_text().splitlines())) <= 100
    with pytest.raises(UsageError, match="exists already"):
        check_target(path)
    with pytest.raises(UsageError, match="exists already"):
        write(cluster, path)


def test_one_site_is_written_too() -> None:
    assert to_toml(Cluster(version=1, site=[Site(nodes=["a"])])).endswith(
        'version = 1\n\n[[site]]\nnodes = [\n  "a"\n]\n'
    )


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("version = 1", "version = [", ": not TOML: "),
        ("version = 1", "version = 2", ":1: version: expected 1, got 2"),
        ("version = 1\n", "", ": version: missing"),
        ('latency = "62us"', "latency = 62", ":5: site.0.latency: expected a time such as"),
        (
            'rate = "47.1M"',
            'rate = "4M"\nstream_rate = "8M"',
            ":2: site.0: stream_rate: expected at",
        ),
        ('rate = "47.1M"', 'rate = "fast"', ":6: site.0.rate: expected a number such as"),
        ('"b0", "b1"', "", ":8: site.1.nodes: List should have at least 1 item"),
        ('"b0", "b1"', '"b0", "a1"', ":8: site.1.nodes: expected every host once, but a1 is at "),
        ('"b0", "b1"', '"b0", "b0"', ":8: site.1.nodes: expected every host once, but b0 is twi"),
        ('"b0", "b1"', '"b0;b1"', ":8: site.1.nodes: expected names of hosts, got 'b0;b1'"),
        ('"b0", "b1"', '"b0", 7', ":8: site.1.nodes.1: expected a valid string, got 7"),
        ('"b0", "b1"', '"*"', ':3: site.0.nodes: expected "*" alone, for every node at one site'),
        ('rate = "47.1M"', 'switch = "fast"', ":6: site.0.switch: expected 'voq', 'hol', 'pause'"),
        ("sites = [0, 1]", "sites = [0, 2]", ":10: wan.0.sites: expected two different sites, fr"),
        ("sites = [0, 1]", "sites = [1, 1]", ":10: wan.0.sites: expected two different sites, fr"),
        ("sites = [0, 1]", "sites = [0]", ":10: wan.0.sites: List should have at least 2 items"),
        ("n = 2", "n = 3", ":13: wan.0.n: expected at most 2, the nodes of the smaller site, got"),
        ("n = 2", "n = 0", ":13: wan.0.n: expected greater than or equal to 1, got 0"),
        ("n = 2", "m = 2", ":13: wan.0.m: unknown key"),
        (
            "n = 2\n",
            "n = 2\n[[wan]]\nsites = [1, 0]\n",
            ":15: wan.1.sites: expected two sites that",
        ),
    ],
)
def test_wrong_files(right: str, wrong: str, said: str, tmp_path: Path) -> None:
    assert right in GOOD
    path = cluster_file(tmp_path, GOOD.replace(right, wrong))
    with pytest.raises(UsageError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}{said}")
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read(tmp_path / "absent.toml")
