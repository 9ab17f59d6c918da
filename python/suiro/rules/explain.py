# SPDX-License-Identifier: BSD-3-Clause
"""What would run for a call: by a file, or as the one function that decides says
(suiro.advise.answer)."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

from suiro.advise.answer import ask
from suiro.advise.question import Mpi, Question, Stated, parse_mpi
from suiro.bench.catalog import Collective
from suiro.errors import MachineError, UsageError
from suiro.rules import mpich_file, openmpi_file
from suiro.rules.files import OPENMPI, SUIRO, kind_of, rule_text
from suiro.tune import openmpi

_SECONDS_MAX = 60.0  # for a decision


@dataclass(frozen=True)
class Answer:
    """What would run for a call, and why."""

    algorithm: str
    reason: str


def explain(
    path: Path | None, collective: Collective, size: int, stated: Stated, mpi: str | None
) -> Answer:
    """Of so many bytes as the table of collectives has them. Without a file, and where none of
    suiro's rules matches: as a job would decide."""
    if path is None:
        question = stated.question(parse_mpi(mpi))
        question.expect_several_nodes()
        return _decided(question, collective, size, None)
    one = replace(stated, nodes=stated.nodes or 1, ppn=stated.ppn or 1)
    given = stated if stated.cluster is not None else one
    if kind_of(path) == SUIRO:
        return _decided(given.question(parse_mpi(mpi)), collective, size, path)
    if mpi is not None or one != Stated(one.nodes, one.ppn):
        raise UsageError(f"{path} chooses by ranks and bytes alone: leave out all but --nodes and "
                         "--ppn")  # fmt: skip
    ranks_of_node = one.question(Mpi()).ranks_of_node
    if kind_of(path) == OPENMPI:
        return _explain_openmpi(path, collective.name, sum(ranks_of_node), size)
    return _explain_mpich(path, collective.name, list(ranks_of_node), size)


def _decided(question: Question, collective: Collective, size: int, rules: Path | None) -> Answer:
    answer = ask(question, [(collective, size)], time.monotonic() + _SECONDS_MAX, rules)
    if answer.missing:
        raise MachineError(f"it is not decided within {_SECONDS_MAX:.0f} s")
    [cell] = answer.cells
    return Answer(cell.choice.algorithm, cell.choice.reason)


def _explain_mpich(path: Path, collective: str, ranks_of_node: list[int], size: int) -> Answer:
    leaf = mpich_file.find(mpich_file.read(path), collective, ranks_of_node, size)
    if leaf is None:
        return Answer("nothing", f"{path} says nothing of such a call")
    said = mpich_file.where_text(leaf)
    held = f"{mpich_file.bytes_text(leaf)} bytes" + (f", {said}" if said else "")
    return Answer(leaf.name, f"{path}:{leaf.line}, {leaf.kind} for {held}")


def _explain_openmpi(path: Path, collective: str, ranks: int, size: int) -> Answer:
    if collective not in openmpi.COLLECTIVES:
        raise UsageError(f"Open MPI has no rules for {collective}")
    rules = openmpi_file.parse(path)
    row = rules.find(collective, ranks, size)
    asked = openmpi.rule_bytes(collective, size, ranks)
    counted = "" if asked == size else f", which Open MPI counts as {asked}, of all ranks"
    if row is None:
        return Answer(
            "built in", f"no row of {path} is for {ranks} ranks and {size} bytes{counted}"
        )
    return Answer(rule_text(collective, row), f"{path}:{row.line}, for {size} bytes{counted}")
