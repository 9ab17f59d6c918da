# SPDX-License-Identifier: BSD-3-Clause
"""Cells from samples: figures, ratios, and the reasons for which a cell is void."""

from dataclasses import replace

import pytest
from samples import GOODPUT_BPS, counters, events, setting

from suiro.bench.cells import make_cells
from suiro.bench.control import Control
from suiro.bench.innocence import switch_reason, wire_goodput_Bps
from suiro.bench.network import Cut, Network
from suiro.bench.result import Cell
from suiro.bench.statistics import median_with_interval, ratio_with_interval

# What crosses a cut in the middle of two nodes with two ranks each, in sizes of the collective.
CROSSINGS = {
    "allgather": 2,
    "allreduce": 1,
    "alltoall": 4,
    "bcast": 1,
    "exscan": 1,
    "gatherv": 2,
    "reduce": 1,
    "reduce_scatter": 0.5,
    "reduce_scatter_block": 2,
    "scatter": 2,
}


def cells_by_name(cells: list[Cell]) -> dict[str, Cell]:
    return {cell.algorithm: cell for cell in cells}


def test_figures_of_a_cell() -> None:
    cells = make_cells(events(), setting())
    assert [cell.algorithm for cell in cells] == ["native", "ring", "linear"]
    ring = cells_by_name(cells)["ring"]
    assert (ring.nodes, ring.ranks, ring.repetitions) == (2, 4, 5)
    # Msg (Np - Nlp) Nlp / T: two ranks of a node send to two ranks elsewhere.
    assert ring.bandwidth_Bps == pytest.approx(65536 * 4 / ring.median_s)
    assert ring.line_rate_fraction == pytest.approx(ring.bandwidth_Bps / GOODPUT_BPS)
    assert ring.speedup_over_native == pytest.approx(2.0)
    assert ring.speedup_over_control == pytest.approx(1.5)
    assert cells_by_name(cells)["linear"].is_control
    assert not ring.cpu_limited
    assert ring.switch[1].drops == 3


def bound_fraction(network: Network | None) -> float | None:
    cell = make_cells(events(), replace(setting(), network=network))[0]
    return cell.bound_fraction and cell.bound_fraction * cell.median_s / 65536


def test_the_network_of_a_lab_bounds_the_time() -> None:
    """Two nodes of two ranks: four blocks leave each."""
    link_Bps = wire_goodput_Bps(50_000_000, 1500)
    cut = Cut(frozenset({1}), 10_000_000)
    assert bound_fraction(None) == pytest.approx(4 / link_Bps)
    assert bound_fraction(Network((2, 2), (50_000_000,))) == pytest.approx(4 / link_Bps)
    assert bound_fraction(Network((2, 2), (50_000_000,) * 2)) == pytest.approx(2 / link_Bps)
    assert bound_fraction(Network((2, 2), (50_000_000,), (cut,))) == pytest.approx(20 / link_Bps)
    assert bound_fraction(Network((2, 3), (50_000_000,), (cut,))) is None
    assert bound_fraction(Network((2, 2), (50_000_000,) * 2, shares_out=False)) is None


def test_what_links_must_carry_is_the_collectives() -> None:
    """A message once, a vector there and back, over a cut of two nodes once in each direction."""
    link_Bps = wire_goodput_Bps(50_000_000, 1500)
    for collective, crossings in CROSSINGS.items():
        samples = events(collective=collective)
        made = make_cells(samples, setting(collective=collective))[0]
        assert made.bandwidth_Bps * made.median_s == pytest.approx(crossings * 65536)
        assert made.bound_fraction == pytest.approx(crossings * 65536 / link_Bps / made.median_s)
        cut = Network((2, 2), (50_000_000,), (Cut(frozenset({0}), 5_000_000),))
        far = make_cells(samples, replace(setting(collective=collective), network=cut))[0]
        assert far.bound_fraction == pytest.approx(10 * made.bound_fraction)


def test_a_call_without_data_has_times_only() -> None:
    samples = events(0, collective="barrier")
    barrier = make_cells(samples, setting(0, collective="barrier"))[1]
    assert (barrier.bandwidth_Bps, barrier.line_rate_fraction, barrier.bound_fraction) == (
        0, None, None,
    )  # fmt: skip
    assert barrier.speedup_over_native == pytest.approx(2.0)
    assert make_cells(samples, setting(0, True, collective="barrier"))[1].over_native is None


def test_cells_are_those_of_one_collective() -> None:
    assert make_cells(events(collective="bcast"), setting()) == []


def test_what_was_counted_goes_before_the_mean() -> None:
    """Blocks that differ by half: the program counts the busiest node's bytes."""
    made = events()
    made.add({"bench": "cell", "collective": "alltoall", "bytes": 65536, "busiest": 300_000})
    cell = make_cells(made, replace(setting(), spread_percent=50))[0]
    assert cell.bandwidth_Bps * cell.median_s == pytest.approx(300_000)


def test_why_there_is_no_control_is_told_once() -> None:
    without = replace(setting(), controls={65536: Control(why="nobody knows")})
    notes = [cell.note for cell in make_cells(events(), without)]
    assert notes == ["no control: nobody knows", None, None]


def test_one_stream_is_no_limit_for_several_links() -> None:
    network = Network((2, 2), (50_000_000, 25_000_000))
    cells = make_cells(events(), replace(setting(), network=network))
    assert {cell.line_rate_fraction for cell in cells} == {None}


def test_a_late_switch_voids() -> None:
    cell = make_cells(events(late_us=300), setting())[0]
    assert cell.cpu_limited
    assert "300 us late" in (cell.void_reason or "")


@pytest.mark.parametrize(
    ("counter", "value", "reason"),
    [("stopped_s", 0.02, "stood still for 2.0%"), ("window_violations", 1, "2 times the switch")],
)
def test_a_switch_that_kept_other_time_voids(counter: str, value: float, reason: str) -> None:
    documents = [counters(10, **{counter: value}), counters(10, **{counter: value})]
    assert reason in (switch_reason(documents) or "")
    assert switch_reason([counters(10)]) is None
    assert switch_reason([]) is None


def test_a_slow_control_flow_voids() -> None:
    cell = make_cells(events(goodput_Bps=5_000_000), setting())[0]
    assert cell.cpu_limited
    assert "control flow" in (cell.void_reason or "")


def test_small_messages_have_no_ratio_on_few_cores() -> None:
    """They would measure the scheduler, whatever the control says."""
    for cell in make_cells(events(1024), setting(1024, crowded=True)):
        assert cell.speedup_over_native is None
        assert cell.speedup_over_control is None
        assert cell.over_native is None
        assert "the scheduler decides" in (cell.note or "")
    assert make_cells(events(1024), setting(1024))[0].speedup_over_native == 1.0
    large = cells_by_name(make_cells(events(), setting(crowded=True)))["ring"]
    assert large.over_native == (large.speedup_over_native, large.speedup_over_native_ci95)
    assert large.note is None


def test_cut_repetitions_are_told() -> None:
    assert (
        make_cells(events(), setting(planned=9))[0].note == "cut from 9 repetitions by the budget"
    )


def test_intervals_are_repeatable_and_contain_the_median() -> None:
    samples = [1.0, 1.1, 0.9, 1.05, 1.2, 0.95]
    median, (low, high) = median_with_interval(samples)
    assert low <= median <= high
    assert median_with_interval(samples) == (median, (low, high))
    assert median_with_interval([2.0]) == (2.0, (2.0, 2.0))


def test_paired_ratios_see_through_common_moods() -> None:
    moods = [1.0, 3.0, 1.5, 2.0, 0.8, 2.5]
    ratio, (low, high) = ratio_with_interval([2 * mood for mood in moods], moods)
    assert ratio == low == high == 2.0
