# SPDX-License-Identifier: BSD-3-Clause
"""Sites from ways between nodes: networks made up, with a reference or two and with noise."""

import random

import pytest

from suiro.probe.grouping import Grouping, Latencies, group

NEAR_S = 60e-6


def latencies(
    site_of_node: list[int], between_s: dict[tuple[int, int], float], references: list[int]
) -> Latencies:
    """Ways within a site are near, and up to twice as long now and then."""
    noise = random.Random(1)

    def way_s(left: int, right: int) -> float:
        if left == right:
            return 0.0
        sites = sorted((site_of_node[left], site_of_node[right]))
        far_s = 0.0 if sites[0] == sites[1] else between_s[sites[0], sites[1]]
        return far_s + NEAR_S * noise.uniform(1, 2)

    nodes = range(len(site_of_node))
    return Latencies(
        nodes=len(nodes),
        references_max=5,
        one_way_s={source: [way_s(source, node) for node in nodes] for source in references},
    )


def test_one_site_has_no_gap() -> None:
    found = group(latencies([0] * 8, {}, [0, 5]))
    assert found == Grouping(sites=[list(range(8))], limit_s=None)


@pytest.mark.parametrize("references", [[0, 9], [0, 15, 3], [9, 0]])
def test_two_sites(references: list[int]) -> None:
    site_of_node = [0] * 8 + [1] * 8
    given = latencies(site_of_node, {(0, 1): 10e-3}, references)
    found = group(given)
    assert found.sites == [list(range(8)), list(range(8, 16))]
    assert found.doubt == ""
    assert found.way_s(given, 0, 1) == pytest.approx(10e-3, rel=0.02)
    assert found.way_s(given, 1, 1) == pytest.approx(1.5 * NEAR_S, rel=0.4)


def test_nodes_of_a_site_need_not_follow_each_other() -> None:
    found = group(
        latencies([0, 1, 2, 1, 0, 2], {(0, 1): 5e-3, (0, 2): 9e-3, (1, 2): 2e-3}, [0, 5, 3])
    )
    assert found.sites == [[0, 4], [1, 3], [2, 5]]


def test_a_node_alone_at_its_site_may_come_first() -> None:
    found = group(latencies([0, 1, 1, 1], {(0, 1): 10e-3}, [0, 3]))
    assert found.sites == [[0], [1, 2, 3]]


def test_sites_of_one_node_each() -> None:
    between_s = {(0, 1): 5e-3, (0, 2): 5e-3, (1, 2): 6e-3}
    assert group(latencies([0, 1, 2], between_s, [0, 1, 2])).sites == [[0], [1], [2]]


def test_the_first_of_two_gaps_counts() -> None:
    between_s = {(0, 1): 2e-3, (0, 2): 80e-3, (1, 2): 80e-3}
    found = group(latencies([0, 0, 1, 1, 2, 2], between_s, [0, 4, 2]))
    assert found.sites == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("far_s", [0.1e-3, 0.3e-3])
def test_racks_are_no_sites(far_s: float) -> None:
    assert len(group(latencies([0, 0, 1, 1], {(0, 1): far_s}, [0, 3])).sites) == 1


def test_more_sites_than_references_is_said() -> None:
    site_of_node = [0, 0, 1, 2, 2]
    between_s = {(0, 1): 9e-3, (0, 2): 9e-3, (1, 2): 9e-3}
    assert "more sites than" in group(latencies(site_of_node, between_s, [0, 2])).doubt


def test_ways_that_contradict_each_other_are_said() -> None:
    given = latencies([0] * 4, {}, [0, 1, 3])
    given.one_way_s[1][3] = given.one_way_s[3][1] = 20e-3
    assert "not steady enough" in group(given).doubt
