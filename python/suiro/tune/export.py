# SPDX-License-Identifier: BSD-3-Clause
"""Writes what a tuner has found as a file that an MPI, or suiro, reads."""

import json
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from suiro.errors import UsageError, did_you_mean
from suiro.tune import openmpi
from suiro.tune.candidates import DEFAULT
from suiro.tune.tuner import Tuning

_KINDS = ("openmpi", "mpich", "suiro")
_UNSAFE = (
    "Segments and trees of bcast wait for ever in a program whose ranks give the bytes of one\n"
    "bcast as different counts and types, which MPI allows (open-mpi/ompi issue 199)."
)


@dataclass(frozen=True)
class Target:
    """KIND:FILE of the command line; `version` is that of Open MPI's format."""

    kind: str
    path: Path
    version: int = 1


def parse_target(text: str) -> Target:
    kind, colon, path = text.partition(":")
    version = 2 if kind == "openmpi2" else 1
    kind = kind.removesuffix("2")
    if not colon or not path or kind not in _KINDS:
        raise UsageError(
            f'--export "{text}": give openmpi:FILE, openmpi2:FILE (the format of Open MPI '
            "4.1.8 and 5.0.7 and later), mpich:FILE or suiro:FILE"
            + did_you_mean(text.partition(":")[0], ("openmpi2", *_KINDS))
        )
    return Target(kind, Path(path), version)


def starts(tuning: Tuning) -> list[tuple[int, str]]:
    """From which size on each choice holds: a choice changes at the geometric mean of two sizes.
    Out of reach of the first size and of the last the default stays, since nobody looked."""
    verdicts, reach = tuning.choices, tuning.plan.reach
    rows: list[tuple[int, str]] = []
    for index, (one, name) in enumerate(verdicts):
        begin = math.ceil(one.size / reach)
        if index > 0:
            begin = math.ceil(math.sqrt(verdicts[index - 1][0].size * one.size))
        if not rows or rows[-1][1] != name:
            rows.append((begin, name))
    if rows:
        rows.append((math.floor(verdicts[-1][0].size * reach) + 1, DEFAULT))
    return rows


def openmpi_rules(tuning: Tuning) -> list[openmpi.Rule]:
    """For one collective and its number of ranks."""
    plan = tuning.plan
    rules = [openmpi.Rule(0, openmpi.FIXED_CHOICE)]
    named = {
        candidate.name: candidate.rule
        for one in tuning.verdicts
        for candidate in plan.candidates.at(one.size)
        if candidate.rule is not None
    }
    for begin, name in starts(tuning):
        choice = openmpi.FIXED_CHOICE if name == DEFAULT else named[name]
        assert choice is not None
        at = openmpi.rule_bytes(plan.collective.name, begin, plan.ranks)
        if rules[-1].from_bytes == at:
            rules.pop()
        if not rules or rules[-1].choice != choice:
            rules.append(openmpi.Rule(at, choice))
    return rules


Rules = dict[str, dict[int, list[openmpi.Rule]]]


def openmpi_text(rules: Rules, version: int, origin: str) -> str:
    comment = f"Written by suiro tune: {origin}"
    if "bcast" in rules:
        comment += "\n" + _UNSAFE
    return openmpi.file_text(rules, version, comment)


def suiro_text(tunings: list[Tuning], origin: str) -> str:
    """Rules for the shapes that were measured: nodes and ranks."""
    rows: list[dict[str, object]] = []
    for tuning in tunings:
        nodes = tuning.plan.node_of_rank
        counts = [nodes.count(node) for node in sorted(set(nodes))]
        bounds = starts(tuning)
        for (begin, name), (end, _) in pairwise(bounds):
            if name == DEFAULT:
                algorithm, values = "native", ""
            else:
                algorithm, _, values = name.partition(":")
            row: dict[str, object] = {
                "collective": tuning.plan.collective.name,
                "nodes": len(counts),
                "ppn": [min(counts), max(counts)],
                "ranks": len(nodes),
                "bytes": [begin, end - 1],
                "algorithm": algorithm,
                "comment": "measured by suiro tune",
            }
            if values:
                pairs = (value.split("=") for value in values.split(","))
                row["parameters"] = {key: int(value) for key, value in pairs}
            rows.append(row)
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    return f'{{"suiro_rules": 1, "comment": {json.dumps(origin)}, "rules": [\n  {lines}\n]}}\n'
