# SPDX-License-Identifier: BSD-3-Clause
"""What a probe of sites says and draws, and the file that follows from it, from made-up numbers."""

import io
import xml.etree.ElementTree as ElementTree
from datetime import datetime

import pytest
from rich.console import Console

from suiro.probe.grouping import Latencies, group
from suiro.probe.sites import SitesProbe, Streams
from suiro.probe.sites_report import print_sites
from suiro.probe.sites_svg import drawing
from suiro.provenance import describe_machine

NEAR_S, FAR_S = 60e-6, 10.1e-3


def made_up(one_site: bool = False) -> SitesProbe:
    """Three nodes and two; two of them fill the way between."""
    near = [[0.0, NEAR_S, NEAR_S, FAR_S, FAR_S], [FAR_S, FAR_S, FAR_S, NEAR_S, 0.0]]
    if one_site:
        near = [[NEAR_S * (node != own) for node in range(5)] for own in (0, 4)]
    latencies = Latencies(nodes=5, references_max=4, one_way_s=dict(zip((0, 4), near, strict=True)))
    within = Streams(sites=(0, 0), rates_Bps={1: 6e6})
    between = Streams(sites=(0, 1), rates_Bps={1: 6e6, 2: 11.7e6})
    return SitesProbe(
        machine=describe_machine("Open MPI", None),
        hosts=["a0", "a1", "a2", "b0", "<b1>"],
        latencies=latencies,
        grouping=group(latencies),
        streams=[within] if one_site else [within, between],
        command="suiro probe --sites",
    )


def printed(probe: SitesProbe) -> str:
    stream = io.StringIO()
    print_sites(probe, Console(file=stream, width=100))
    return stream.getvalue()


def test_two_sites_in_words() -> None:
    text = printed(made_up())
    assert text.startswith("sites       2 sites\n            0: 3 nodes: a0, a1, a2\n")
    assert "7 pairs of 5 nodes: 60 us to 10.1 ms one way" in text
    assert "a0    ··██" in text
    assert "0 to 1: by pairs of nodes: 1: 48 Mbit/s, 2: 93.6 Mbit/s; n = 2 is enough" in text
    assert "10.1 ms; 93.6 Mbit/s" in text


def test_one_site_in_words() -> None:
    text = printed(made_up(one_site=True))
    assert text.startswith("sites       one site\n")
    assert "without a gap" in text


def test_a_link_that_takes_several_streams() -> None:
    probe = made_up(one_site=True)
    probe.streams[0].rates_Bps = {1: 1e6, 2: 2e6, 4: 4e6, 8: 4.1e6}
    rates = "1: 8 Mbit/s, 2: 16 Mbit/s, 4: 32 Mbit/s, 8: 32.8 Mbit/s"
    said = f"0: of a link by TCP streams: {rates}; 4 fill it"
    assert said in printed(probe)
    site = probe.cluster(datetime(2026, 11, 24)).site[0]
    assert (site.rate, site.stream_rate) == (32_800_000, 8_000_000)


def test_doubt_in_words() -> None:
    probe = made_up()
    probe.grouping.doubt = "because"
    assert printed(probe).startswith("sites       not clear: because\n")


@pytest.mark.parametrize("one_site", [False, True])
def test_the_picture_is_well_formed(one_site: bool) -> None:
    root = ElementTree.fromstring(drawing(made_up(one_site)))
    cells = [part.get("class") for part in root.iter() if part.get("class") in ("cell", "guess")]
    assert len(cells) == 5 * 4  # pairs that were not timed have the way of their sites


def test_the_file() -> None:
    cluster = made_up().cluster(datetime(2026, 11, 24, 18, 40))
    assert [site.nodes for site in cluster.site] == [["a0", "a1", "a2"], ["b0", "<b1>"]]
    assert (cluster.site[0].latency, cluster.site[0].rate) == (60, 48_000_000)
    assert cluster.site[1].rate is None
    (wan,) = cluster.wan
    assert (wan.delay, wan.rate, wan.n) == (10_100, 93_600_000, 2)
