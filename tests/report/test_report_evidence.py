# SPDX-License-Identifier: BSD-3-Clause
"""Gains, choices and predictions from what was read."""

from pathlib import Path

import pytest
from made_up import KEY, cell, decided, record, result, times, trace_line

from suiro.bench.result import Result
from suiro.report.evidence import Group, groups_of
from suiro.report.predicted import agreement, predict
from suiro.report.sources import Call, Sources, Trace
from suiro.report.words import crossovers, gain_sentence, hint, summary
from suiro.tune.store import Record, Sample


def of_records(*records: Record) -> list[Group]:
    return groups_of(Sources(records=list(records)))


def of_results(*results: Result) -> list[Group]:
    return groups_of(Sources(results=list(results)))


def test_gains_and_crossovers_of_a_store() -> None:
    samples = [*decided(1000, default=1e-3, chain=2e-3), *decided(4096, default=2e-3, chain=1e-3)]
    samples += decided(65536, default=0.2, chain=0.1, linear=0.5)
    (group,) = of_records(record(*samples))
    assert group.setting.where == "4x4-hol, 4 nodes, 16 ranks"
    assert group.setting.how == "Open MPI 4.1.4; suiro tune"
    assert crossovers(group) == "1000 B native, 4 KiB chain"
    assert [choice.gain for choice in group.choices] == pytest.approx([1, 2, 2])
    assert group.mean_gain == pytest.approx(2)  # small messages are in no mean
    linear = group.row(65536, "linear")
    assert linear is not None and linear.decided and not linear.faster and linear.calls == 10
    assert "up to 2.00 times as fast" in gain_sentence(group)


def test_a_round_is_compared_with_the_default_of_that_round() -> None:
    """What did not come to the last round has the times of its own."""
    first = [Sample(bytes=8, candidate=name, seconds=times(s, 2)) for name, s in
             (("default", 1.0), ("slow", 4.0), ("fast", 0.5))]  # fmt: skip
    last = [Sample(bytes=8, candidate=name, seconds=times(s), final=True) for name, s in
            (("default", 2.0), ("fast", 1.0))]  # fmt: skip
    (group,) = of_records(record(*first, *last))
    slow, fast = group.row(8, "slow"), group.row(8, "fast")
    assert slow is not None and slow.gain == pytest.approx(0.25) and not slow.decided
    assert fast is not None and fast.gain == pytest.approx(2) and fast.faster


def test_later_records_of_a_key_count_and_other_keys_stand_apart() -> None:
    early = record(*decided(8, default=1.0, chain=0.5))
    late = record(*decided(8, default=1.0, chain=2.0), day=2)
    other = record(*decided(8, default=1.0, chain=0.5), key=KEY.model_copy(update={"root": 0}))
    groups = of_records(late, early, other)
    assert sorted(group.choices[0].algorithm for group in groups) == ["chain", "native"]


def test_placements_are_told_apart() -> None:
    keys = [
        KEY.model_copy(update={"node_of_rank": nodes}) for nodes in ([0, 0, 0, 1], [0, 1, 0, 1])
    ]
    groups = of_records(*(record(*decided(8, default=1, chain=1), key=key) for key in keys))
    assert [group.setting.where for group in groups] == [
        "4x4-hol, 2 nodes, 4 ranks (3, 1)", "4x4-hol, 2 nodes, 4 ranks on nodes 0, 1, 0, 1",
    ]  # fmt: skip


def test_choices_of_a_bench() -> None:
    cells = [cell(1024, "native", 0.1, 0.1), cell(1024, "ring", 0.101, 0.1)]
    cells += [cell(4096, "native", 0.4, 0.4), cell(4096, "ring", 0.2, 0.4)]
    # Faster than before's choice by chance alone, then by more.
    cells += [cell(8192, "native", 0.8, 0.8), cell(8192, "ring", 0.4, 0.8)]
    cells += [cell(8192, "lanes", 0.395, 0.8)]
    cells += [cell(16384, "native", 1, 1), cell(16384, "ring", 0.5, 1)]
    cells += [cell(16384, "lanes", 0.2, 1)]
    cells += [cell(32768, "native", 1, 1, void_reason="slow"), cell(32768, "ring", 0.5, 1)]
    (group,) = of_results(result(*cells))
    assert crossovers(group) == "1 KiB native, 4 KiB ring, 16 KiB lanes"
    assert group.choices[-1].bytes == 16384


def test_a_cell_that_was_measured_again() -> None:
    first = result(cell(4096, "native", 1, 1), cell(4096, "auto", 0.5, 1, ran="ring"))
    again = result(cell(4096, "native", 1, 1), cell(4096, "auto", 2, 1, ran="ring"),
                   measured_at="2026-01-02")  # fmt: skip
    (group,) = of_results(again, first)
    assert crossovers(group) == "4 KiB native"
    assert "slower than the MPI's own choice, at 4 KiB: 0.50 (ring)." in summary([group])[0]
    (group,) = of_results(first)
    assert crossovers(group) == "4 KiB auto (ring)"


def test_nothing_is_said_where_ratios_count_for_nothing() -> None:
    no_ratio = {"speedup_over_native": None, "speedup_over_native_ci95": None}
    cells = [cell(64, "native", 1, 1, **no_ratio), cell(64, "ring", 0.5, 1, **no_ratio)]
    (group,) = of_results(result(*cells))
    assert group.choices == [] and "nothing can be said" in gain_sentence(group)


def test_the_model_beside_it() -> None:
    samples = decided(65536, default=0.2, pipeline=0.1, unheard_of=0.1)
    bench = result(cell(65536, "native", 0.2, 0.2), cell(65536, "ring", 0.1, 0.2))
    elsewhere = result(cell(65536, "ring", 0.1, 0.2), lab="nowhere")
    groups = groups_of(Sources(records=[record(*samples)], results=[bench, elsewhere]))
    assert predict(groups, [], None) == []
    tuned, benched, unknown = groups
    predicted = {row.algorithm: row.predicted_s for row in tuned.rows}
    # What Open MPI runs here lies over the nodes otherwise than any algorithm of the catalog.
    assert predicted["pipeline"] and predicted["native"] is predicted["unheard_of"] is None
    found = agreement(tuned)
    assert found is not None and (found.rows, found.sizes) == (1, 0)
    assert all(row.predicted_s for row in benched.rows)
    assert agreement(unknown) is None


def test_what_is_known_of_a_traced_call() -> None:
    trace = Trace(Path("t.jsonl"))
    for rank in (0, 1):
        trace.add(Call.model_validate_json(trace_line(rank, 5000, 0.5)))
    key = KEY.model_copy(update={"node_of_rank": [0, 1]})
    tuned = record(
        *decided(4096, default=1, chain=0.5), *decided(8192, default=1, chain=2), key=key
    )
    known, traced = groups_of(Sources(records=[tuned], traces=[trace]))
    (row,) = traced.rows
    assert (row.bytes, row.bytes_to, row.calls, row.spent_s) == (4096, 8191, 1, 0.5)
    assert hint(row, 2, "bcast", [known]) == "chain, 2.00 times as fast (4x4-hol)"
    assert hint(row, 4, "bcast", [known]) == "-"
