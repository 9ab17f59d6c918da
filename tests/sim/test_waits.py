# SPDX-License-Identifier: BSD-3-Clause
"""Who waits for whom, and the picture of it."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from suiro.advise.question import Mpi, Stated
from suiro.sim.estimate import Estimate, estimate
from suiro.sim.network import Scene, of_lab
from suiro.sim.timeline import drawing
from suiro.sim.waits import Kind, Span, legible, spans

CHAIN = "pipeline:segment=65536"


def scene(nodes: int, ppn: int) -> Scene:
    return Stated(nodes, ppn, rate="100M").question(Mpi()).scene


def played(on: Scene, collective: str, algorithm: str, size: int) -> Estimate:
    [one] = estimate(on, collective, [algorithm], [size], transfers=True)
    return one


def rows_of_ranks(svg: str) -> dict[int, list[str]]:
    """What the bars of each rank tell."""
    rows: dict[int, list[str]] = {}
    for told in re.findall(r"<title>(rank .+?)</title>", svg):
        rows.setdefault(int(told.split()[1]), []).append(told)
    return rows


def test_in_a_chain_each_waits_for_the_one_before() -> None:
    on = scene(6, 1)
    one = played(on, "bcast", CHAIN, 1 << 16)
    rows = spans(on, one)
    waits = [[span for span in row if span.kind is Kind.WAIT] for row in rows]
    assert not waits[0]
    assert [[span.peer for span in row] for row in waits[1:]] == [[rank] for rank in range(5)]
    # The rank before starts its message when it has its own.
    for (before,), (after,) in pairwise(waits[1:]):
        assert after.begin_s == 0
        assert after.posted_s is not None and before.end_s < after.posted_s < after.end_s
    told = rows_of_ranks(drawing(on, one))
    assert sorted(told) == list(range(6))
    assert "rank 3 waits for rank 2, " in " ".join(told[3])


@pytest.mark.parametrize(
    ("on", "collective", "algorithm", "size"),
    [
        (scene(4, 1), "allreduce", "ring", 1 << 20),
        (of_lab("4x4-hol"), "alltoall", "linear", 1 << 16),
        (of_lab("two-sites"), "bcast", "binomial", 1 << 10),
    ],
)
def test_a_row_has_neither_gaps_nor_overlaps(
    on: Scene, collective: str, algorithm: str, size: int
) -> None:
    one = played(on, collective, algorithm, size)
    for row in spans(on, one):
        ends = [0.0, *(span.end_s for span in row)]
        assert [span.begin_s for span in row] == ends[:-1]
        assert ends[-1] == pytest.approx(one.seconds)


def test_the_way_over_the_wan_is_part_of_a_wait() -> None:
    on = of_lab("two-sites")
    one = played(on, "bcast", "linear", 1 << 10)
    row = spans(on, one)[12]
    assert row[0].kind is Kind.WAIT and row[0].peer == 0
    assert row[0].posted_s is not None
    assert row[0].end_s - row[0].posted_s > on.network["wan_latency_s"]  # type: ignore[operator]


def test_who_sends_a_long_message_waits_for_leave() -> None:
    on = scene(2, 1)
    row = spans(on, played(on, "bcast", "linear", 1 << 20))[0]
    leave = [span for span in row if span.kind is Kind.WAIT]
    assert [(span.peer, span.posted_s) for span in leave] == [(1, None)]
    # Of several on a node nobody knows whether they were late themselves.
    beside = scene(2, 2)
    row = spans(beside, played(beside, "bcast", "pipeline:segment=1048576", 1 << 20))[1]
    assert Kind.WAIT not in {span.kind for span in row}
    short = spans(on, played(on, "bcast", "linear", 1 << 10))[0]
    assert not [span for span in short if span.kind is Kind.WAIT]


def test_what_is_too_short_to_be_seen_is_joined() -> None:
    def work(begin_s: float, end_s: float) -> Span:
        return Span(Kind.WORK, begin_s, end_s, 1)

    wait = Span(Kind.WAIT, 0.3, 0.9, 7, 0.1)
    row = [work(0, 0.3), wait, work(0.9, 1.1), work(1.1, 4)]
    assert legible(row, 1) == [wait._replace(begin_s=0, end_s=1.1), row[-1]]


def test_of_many_ranks_those_of_the_busiest_nodes_are_drawn() -> None:
    on = scene(5, 40)
    svg = drawing(on, played(on, "bcast", "node_pipeline", 1 << 10))
    assert "Of 200 ranks: at most 32 of each of the busiest nodes, " in svg
    assert len(rows_of_ranks(svg)) == 64
    [names] = re.findall(r"busiest nodes, (\d) and (\d)<", svg)
    assert {rank // 40 for rank in rows_of_ranks(svg)} == {int(name) for name in names}


@pytest.mark.parametrize("on", [scene(1, 1), scene(1, 70), scene(3, 1), of_lab("8x4-shared")])
def test_pictures_can_be_read(on: Scene) -> None:
    svg = drawing(on, played(on, "bcast", "binomial", 1 << 16))
    root = ElementTree.fromstring(svg)
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        right = float(rect.get("x", 0)) + float(rect.get("width", 0))
        assert right <= float(root.get("width", 0))
    assert min(map(float, re.findall(r"font(?:-size)?:(?:\d+ )?(\d+)px", svg))) >= 10
    assert "prefers-color-scheme: dark" in svg
    assert ("repeats" in svg) == (on.network.get("kind") == "shared")
