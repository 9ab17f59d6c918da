# SPDX-License-Identifier: BSD-3-Clause
"""What the evidence comes to, in sentences: for the page, and for the terminal."""

from collections.abc import Sequence

from suiro.quantities import size_text, time_text
from suiro.report.evidence import AUTO, NATIVE, Choice, Group, Row, spent_s
from suiro.report.predicted import agreement

_SENTENCES_MAX = 12


def summary(groups: Sequence[Group]) -> list[str]:
    """Where suiro's own choice is slower comes first; then gains, the largest first."""
    ordered = sorted(groups, key=lambda group: group.mean_gain or 0, reverse=True)
    said = [sentence for group in groups if (sentence := slower_sentence(group))]
    said += [gain_sentence(group) for group in ordered[:_SENTENCES_MAX]]
    left = len(ordered) - _SENTENCES_MAX
    return [*said, f"{left} more are below."] if left > 0 else said


def slower_sentence(group: Group) -> str:
    """Of what suiro chooses by itself; empty if it is never slower by more than chance."""
    slower = [row for row in group.rows if row.algorithm == AUTO and row.decided and not row.faster]
    slower = [row for row in slower if row.void_reason is None]
    if not slower:
        return ""
    cells = ", ".join(
        f"{size_text(row.bytes or 0)}: {row.gain:.2f} ({row.ran or AUTO})" for row in slower
    )
    setting = group.setting
    return (
        f"{setting.collective} on {setting.where} ({setting.how}): what suiro chooses by itself is "
        f"slower than the MPI's own choice, at {cells}."
    )


def gain_sentence(group: Group) -> str:
    """How much is gained, over which sizes, how surely."""
    setting = group.setting
    place = f"{setting.collective} on {setting.where} ({setting.how})"
    if not group.choices:
        return f"{place}: nothing can be said of gains: {_why_not(group)}."
    counted = group.headlines
    if not counted:
        return f"{place}: only small messages were compared, below 4 KiB; no mean is made of these."
    faster = [choice for choice in counted if choice.faster]
    if not faster:
        return f"{place}: nothing is faster than the MPI's own choice by more than chance."
    return (
        f"{place}: up to {max(one.gain for one in faster):.2f} times as fast as the MPI's own "
        f"choice, {group.mean_gain:.2f} in the mean; by more than chance at {len(faster)} of "
        f"{len(counted)} sizes from 4 KiB up."
    )


def _why_not(group: Group) -> str:
    reasons = {row.void_reason for row in group.rows if row.void_reason}
    if reasons:
        return "; ".join(sorted(reasons))
    if not any(row.algorithm == NATIVE for row in group.rows):
        return "the MPI's own choice was not measured"
    return "no size has enough calls of what is compared, or ratios count for nothing there"


def gain_cells(group: Group) -> list[str]:
    """The largest gain, the mean, and at how many sizes it is more than chance."""
    counted = group.headlines
    if group.mean_gain is None:
        return ["-", "-", "-"]
    faster = [choice for choice in counted if choice.faster]
    largest = max(choice.gain for choice in counted)
    return [f"{largest:.2f}", f"{group.mean_gain:.2f}", f"{len(faster)} of {len(counted)}"]


def crossovers(group: Group) -> str:
    """From which size on which algorithm: "1K native, 64K pipeline"."""
    return ", ".join(f"{size_text(one.bytes)} {_name(group, one)}" for one in group.crossovers)


def crossover_sentence(group: Group) -> str:
    """The same in words, with the end of what was measured."""
    if not group.choices:
        return ""
    parts = [f"{_name(group, one)} from {size_text(one.bytes)} on" for one in group.crossovers]
    last = size_text(group.choices[-1].bytes)
    return f"What to run: {'; '.join(parts)}; measured up to {last}."


def _name(group: Group, choice: Choice) -> str:
    row = group.row(choice.bytes, choice.algorithm)
    return algorithm_text(row) if row is not None else choice.algorithm


def algorithm_text(row: Row) -> str:
    """With what "auto" chose."""
    name = row.algorithm
    if name == AUTO and row.ran:
        name += f" ({row.ran})"
    return name + (" (control)" if row.control else "")


def agreement_sentence(group: Group) -> str:
    """How far the model is off."""
    found = agreement(group)
    if found is None:
        return ""
    among = (
        f"; what was fastest is among its first three at {found.found} of {found.sizes} sizes"
        if found.sizes
        else ""
    )
    return f"The model is off by {found.median_error:.0%} in the median of {found.rows}{among}."


def hint(row: Row, ranks: int, collective: str, groups: Sequence[Group]) -> str:
    """What is known of a traced program's calls: from measurements with as many ranks."""
    for group in groups:
        setting = group.setting
        if (setting.collective, setting.ranks) != (collective, ranks) or row.bytes is None:
            continue
        near = [one for one in group.choices if row.bytes <= one.bytes <= (row.bytes_to or 0)]
        near = near or [one for one in group.choices if one.bytes < row.bytes][-1:]
        if near and group.choices[-1].bytes >= row.bytes:
            return f"{near[0].algorithm}, {near[0].gain:.2f} times as fast ({setting.place})"
    return "-"


def trace_sentence(groups: Sequence[Group]) -> str:
    """Of one traced program."""
    calls = sum(row.calls for group in groups for row in group.rows)
    spent = sum(map(spent_s, groups))
    longest = groups[0].setting
    return (
        f"{longest.place}: {calls} calls, {time_text(spent)} in them on each rank, most of it in "
        f"{longest.collective} ({spent_s(groups[0]) / spent if spent else 0:.0%})."
    )
