# SPDX-License-Identifier: BSD-3-Clause
"""A candidate that the library did not run has no figures."""

from typing import Any

from samples import events, setting

from suiro.bench.cells import make_cells
from suiro.bench.obedience import chosen, disobeyed


def row(algorithm: str, reason: str, calls: int) -> dict[str, Any]:
    row = {"collective": "alltoall", "bytes": [65536, 131071], "calls": calls}
    return row | {"algorithm": algorithm, "reason": reason}


def forced(name: str, calls: int) -> dict[str, Any]:
    return row(name, f"forced: {name}", calls)


def test_obedience_is_counted_over_sizes_of_a_class() -> None:
    calls = {(65536, "ring"): 6, (100000, "ring"): 6, (4096, "ring"): 6}
    small = forced("ring", 6) | {"bytes": [4096, 8191]}
    assert disobeyed([forced("ring", 12), small], calls) == {}
    assert set(disobeyed([forced("ring", 11), small], calls)) == set(calls) - {(4096, "ring")}


def test_parameters_are_part_of_the_name() -> None:
    calls = {(65536, "two_level_ring:window=2"): 6}
    assert disobeyed([forced("two_level_ring:window=2", 6)], calls) == {}
    assert disobeyed([forced("two_level_ring", 6)], calls)


def test_calls_that_were_too_few_for_a_prediction_were_native() -> None:
    early = row("native", "ignorance: a prediction would take longer than these calls", 4)
    assert chosen([early], 65536) == "native"
    assert chosen([early, row("linear", "predicted: 1 ms", 5)], 65536) == "linear"
    turns = [row("native", "trial: native's turn", 5), row("linear", "predicted: 1 ms", 5)]
    assert chosen(turns, 65536) == "linear"
    won = row("ring", "perhaps: 1 ms; tried: 1.2 times as fast", 5)
    assert chosen([*turns, won], 65536) == "ring"
    rival = row("tree:radix=1", "perhaps: 1 ms; tried: 1.2 times as fast as ring", 5)
    assert chosen([*turns, won, rival], 65536) == "tree:radix=1"
    left = row("native", "tried linear: 0.9 times as fast; predicted: nothing surely beats it", 5)
    assert chosen([*turns, left], 65536) == "native"


def test_auto_may_run_anything_and_tells_what() -> None:
    rows = [row("pairwise", "measured: fast", 6), forced("ring", 6)]
    assert disobeyed(rows, {(65536, "auto"): 6}) == {}
    assert chosen(rows, 65536) == "pairwise"


def test_the_size_of_unequal_blocks_is_another_or_unknown() -> None:
    unknown = forced("ring", 6) | {"bytes": None}
    calls = {(131072, "ring"): 6, (131072, "auto"): 9}
    assert disobeyed([unknown], calls, sizeless=True) == {}
    assert chosen([row("ring", "by the agreed size: fast", 5)], 131072, sizeless=True) == "ring"
    before = row("native", "no size agreed on yet: fast", 3) | {"bytes": None}
    assert chosen([before, row("ring", "by the agreed size: fast", 5)], 4096, sizeless=True) is None


def test_no_size_is_asked_for_where_all_run_the_same() -> None:
    always = row("native", "measured: several sites", 9) | {"bytes": None}
    assert chosen([always, forced("ring", 6)], 131072, sizeless=True) == "native"


def test_a_disobeyed_cell_is_void_and_compared_with_nothing() -> None:
    made = events()
    made.explained = [forced("native", 6), forced("ring", 6)]
    native, ring, control = make_cells(made, setting())
    assert control.void
    assert not control.cpu_limited
    assert "linear did not run" in (control.void_reason or "")
    assert (control.line_rate_fraction, control.speedup_over_native) == (None, None)
    assert ring.speedup_over_native == 2.0
    assert ring.speedup_over_control is None
    assert not native.void
