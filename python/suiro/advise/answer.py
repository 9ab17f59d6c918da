# SPDX-License-Identifier: BSD-3-Clause
"""Asks the one function that decides, `suiro-schedule choose`, of many calls at once and no longer
than it may take."""

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from suiro import native_json
from suiro.advise.question import Question
from suiro.bench.catalog import Collective

NATIVE = "native"
_MEASURED = re.compile(r"measured on \S+: (\d+\.\d+) times as fast")
_MATTERS = 1.25  # a kind of switch on which a call is so many times as fast as on another


class On(BaseModel):
    """One network that this may be: until the last rank is done, and a rank's own time in the
    mean. None: not foretold. `native_nodes_s`: of native's time, what is neither links nor the
    way."""

    kind: str
    link_Bps: float
    wan_Bps: float | None = None
    wan_latency_s: float | None = None
    native_s: float | None
    native_mean_s: float | None
    native_nodes_s: float = 0.0
    chosen_s: float | None
    chosen_mean_s: float | None

    @property
    def gain(self) -> float | None:
        """Native's time over what would run."""
        return self.native_s / self.chosen_s if self.native_s and self.chosen_s else None


class Outlook(BaseModel):
    native: str
    native_known: bool
    on: list[On]


class Choice(BaseModel):
    """What `suiro-schedule choose` says of one size."""

    bytes: int
    algorithm: str
    reason: str
    sure: bool
    decided_in_s: float
    outlook: Outlook | None = None


@dataclass(frozen=True)
class Cell:
    """One collective at one size. `doubt`: why it is not to be relied upon; empty where it is."""

    collective: str
    choice: Choice
    doubt: str = ""

    @property
    def is_native(self) -> bool:
        return self.choice.algorithm == NATIVE

    @property
    def on(self) -> list[On]:
        return self.choice.outlook.on if self.choice.outlook else []

    @property
    def gains(self) -> list[float]:
        return [on.gain for on in self.on if on.gain is not None]

    @property
    def measured_gain(self) -> float | None:
        """What earlier jobs or `suiro tune` have shown."""
        found = _MEASURED.match(self.choice.reason)
        return float(found[1]) if found else None

    @property
    def gain(self) -> float | None:
        """What was measured, or in the geometric mean of the networks that this may be."""
        gains = self.gains
        mean = exp(sum(map(log, gains)) / len(gains)) if gains else None
        return self.measured_gain or mean

    @property
    def switch_matters(self) -> bool:
        gains = [] if self.is_native or self.measured_gain else self.gains
        return bool(gains) and max(gains) > _MATTERS * min(gains)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        said = self.choice.model_dump()
        return {"collective": self.collective, **said, "doubt": self.doubt, "gain": self.gain}


@dataclass
class Answer:
    question: Question
    cells: list[Cell] = field(default_factory=list)
    missing: list[tuple[str, int]] = field(default_factory=list)  # not told in time
    took_s: float = 0.0

    def of(self, collective: str) -> dict[int, Cell]:
        """By size."""
        return {one.choice.bytes: one for one in self.cells if one.collective == collective}


def ask(
    question: Question,
    calls: Sequence[tuple[Collective, int]],
    until: float,
    rules: Path | None = None,
) -> Answer:
    """A process for each call, as many at once as there are processors, those that take little
    first; what is not told by `until` (of time.monotonic()) is missing. A file of `rules` comes
    first, then what was measured on these nodes."""
    from suiro.advise.doubts import doubt_of
    from suiro.advise.learnt import lessons_for

    begun = time.monotonic()
    answer = Answer(question)
    order = sorted(calls, key=lambda call: (_weight(call[0]), call[1]))
    with tempfile.TemporaryDirectory(prefix="suiro-advise-") as folder:
        words = _words(question, Path(folder), lessons_for(question))
        words += ["--rules", str(rules)] if rules is not None else []

        def told(call: tuple[Collective, int]) -> Choice | None:
            return _choice(words, call[0].name, call[1], until - time.monotonic())

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for (collective, size), choice in zip(order, pool.map(told, order), strict=True):
                if choice is None:
                    answer.missing.append((collective.name, size))
                else:
                    doubt = doubt_of(question, choice)
                    answer.cells.append(Cell(collective.name, choice, doubt))
    answer.took_s = time.monotonic() - begun
    return answer


def _weight(collective: Collective) -> int:
    """The less a decision takes the lighter it is: of one root next to nothing, of what all ranks
    have for all others the most."""
    if collective.sends_blocks:
        return 3
    if collective.reduces:
        return 1
    return 0 if collective.rooted or not collective.has_data else 2


def _words(question: Question, folder: Path, lessons: list[dict[str, Any]]) -> list[str]:
    nodes = question.ranks_of_node
    alike = len(set(nodes)) == 1
    words = ["--nodes", str(len(nodes)), "--ppn", str(nodes[0])] if alike else [
        "--shape", ",".join(map(str, nodes))]  # fmt: skip
    words += question.mpi.arguments
    if question.link_Bps is not None:
        words += ["--link-Bps", str(round(question.link_Bps))]
    if question.cores:
        words += ["--processors", str(question.cores)]
    for option, document in (("--network", question.network), ("--lessons", lessons)):
        if document:
            path = folder / option.strip("-")
            path.write_text(json.dumps(document))
            words += [option, str(path)]
    return [*words, "--tries", "--outlook"]


def _choice(words: list[str], collective: str, size: int, seconds: float) -> Choice | None:
    """None when it takes longer."""
    if seconds <= 0:
        return None
    arguments = ["choose", collective, "--sizes", str(size), *words]
    try:
        told = native_json.call_within(seconds, "suiro-schedule", arguments)
    except subprocess.TimeoutExpired:
        return None
    return Choice.model_validate(told.document["choices"][0])
