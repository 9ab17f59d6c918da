# SPDX-License-Identifier: BSD-3-Clause
"""Tables of numbers, made from the results in docs/results. A page has a line
`<!-- table: KIND NAME... -->` before each, and `<!-- end -->` after it. NAME is that of a result,
without `.json`; `*` stands for many."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from itertools import compress
from pathlib import Path
from typing import Any

import soak_tables
from table_parts import markdown, ratio, result_paths

from suiro.bench.never_slower import NOT_SLOWER, judge
from suiro.bench.result import Cell, Result, read_result
from suiro.bench.table import figure
from suiro.bench.transports import Comparisons
from suiro.json_lines import parse
from suiro.lab import cables
from suiro.provenance import Machine, Provenance
from suiro.quantities import byte_count, size_text, time_text

_MARKED = re.compile(r"^(<!-- table: ([^\n]+) -->\n).*?^(<!-- end -->)$", re.DOTALL | re.MULTILINE)
# What the bytes of a call are, where they are not the whole message.
_OF_WHAT = {
    "allgather": "of each rank",
    "alltoall": "to each",
    "alltoallv": "to each",
    "reduce_scatter_block": "for each rank",
}
_NETWORKS = {
    "hol": "blocks at the head of its queues",
    "voq": "blocks and loses nothing",
    "shared": "shared buffer, drops frames",
    "pause": "shared buffer, pause frames",
    "bridge": "no limit but processors",
    "wire": "a cable",
}


def filled(page: str) -> str:
    """The page with its tables made anew."""
    return _MARKED.sub(lambda found: found[1] + _table(found[2]) + found[3], page)


def without(page: str) -> str:
    """The page without what is made here."""
    return _MARKED.sub("", page)


def _table(what: str) -> str:
    kind, *names = what.split()
    return "\n".join(_KINDS[kind](names)) + "\n"


def _bytes(cell: Cell) -> str:
    return f"{size_text(cell.bytes)} {_OF_WHAT.get(cell.collective, '')}".rstrip()


def _call(cell: Cell) -> str:
    return f"`{cell.collective}`"


def _mpi(machine: Machine) -> str:
    """ "Open MPI 4.1.4"."""
    return machine.mpi.replace(" v", " ")


def _pairs(result: Result) -> Iterator[tuple[Cell, Cell]]:
    """Native's cell, and that of what suiro chose."""
    found = {(cell.bytes, cell.algorithm): cell for cell in result.cells}
    for (size, algorithm), cell in sorted(found.items()):
        if algorithm == "auto":
            yield found[size, "native"], cell


def _gain(native: Cell, auto: Cell) -> str:
    if native.void or auto.void:
        return "void"
    return ratio(auto.speedup_over_native, auto.speedup_over_native_ci95)


def _ran(cell: Cell) -> str:
    return (
        "-" if cell.ran is None else " and ".join(f"`{name}`" for name in cell.ran.split(" and "))
    )


def _gains(names: list[str]) -> list[str]:
    """What is gained on which network; of NAME@SIZE that size alone."""
    rows = []
    for name, _, size in (name.partition("@") for name in names):
        for path in result_paths([name]):
            result = read_result(path)
            machine = result.machine
            kind = "a WAN" if "sites" in (machine.lab or "") else _NETWORKS[machine.model or ""]
            network = f"{kind} (`{machine.lab}`)"
            rows += [
                [_call(auto), _bytes(auto), network, _mpi(machine), _gain(native, auto), _ran(auto)]
                for native, auto in _pairs(result)
                if not size or byte_count(size) == auto.bytes
            ]
    return markdown("call | bytes | network (lab) | MPI | times as fast | what runs", rows)


def _cells(names: list[str]) -> list[str]:
    """Whole lines; labs and MPIs only where they differ, the bound only where links have a rate."""
    results = [read_result(path) for path in result_paths(names)]
    wheres = [[f"`{one.machine.lab}`", _mpi(one.machine)] for one in results]
    shown = [len({where[index] for where in wheres}) > 1 for index in range(2)]
    rated = any(one.machine.model not in cables.MODELS for one in results)
    columns = [*shown, *[True] * 6, rated, True, True]
    titles = ["lab", "MPI", "call", "bytes", "native", "suiro", "native / suiro",
              "control / suiro", "of the bound", "calls", "what ran"]  # fmt: skip
    rows = [
        list(compress([*where, *_cell(native, auto)], columns))
        for where, result in zip(wheres, results, strict=True)
        for native, auto in _pairs(result)
    ]
    cells = [cell for result in results for cell in result.cells if not cell.is_control]
    reasons = sorted({cell.void_reason for cell in cells if cell.void_reason})
    lines = markdown(" | ".join(compress(titles, columns)), rows)
    return [*lines, "", f"void: {'; '.join(reasons)}"] if reasons else lines


def _cell(native: Cell, auto: Cell) -> list[str]:
    fractions = (native.bound_fraction, auto.bound_fraction)
    over_control = ratio(auto.speedup_over_control, auto.speedup_over_control_ci95)
    return [
        _call(auto), _bytes(auto), time_text(native.median_s), time_text(auto.median_s),
        _gain(native, auto), "-" if native.void or auto.void else over_control,
        ", ".join(figure(fraction) for fraction in fractions), str(auto.repetitions), _ran(auto),
    ]  # fmt: skip


def _algorithms(names: list[str]) -> list[str]:
    """Named algorithms beside each other."""
    rows = []
    for path in result_paths(names):
        result = read_result(path)
        for cell in sorted(result.cells, key=lambda one: one.bytes):
            if not cell.is_control:
                rows.append([
                    f"`{result.machine.lab}`", f"{cell.nodes} x {cell.ranks // cell.nodes}",
                    _bytes(cell), f"`{cell.algorithm}`", time_text(cell.median_s),
                    "void" if cell.void else f"{cell.bandwidth_Bps / 1e6:.1f} MB/s",
                    figure(cell.bound_fraction), str(cell.repetitions),
                ])  # fmt: skip
    header = "lab | nodes x ranks | bytes | algorithm | time | bandwidth | of the bound | calls"
    return markdown(header, rows)


def _steps(names: list[str]) -> list[str]:
    """Each round of a schedule alone, over those in which a node has one target; of NAME@SIZE."""
    rows = []
    for name, _, size in (name.partition("@") for name in names):
        for path in result_paths([name]):
            result = read_result(path)
            for one in result.steps:
                if not one.steps or one.bytes != byte_count(size):
                    continue
                each = [one.relative, one.predicted]
                rows.append([
                    f"`{result.machine.lab}`", f"`{one.algorithm}`", size_text(one.bytes),
                    f"{one.steps[0]} to {one.steps[-1]}",
                    *("; ".join(f"{value:.2f}" for value in values) for values in each),
                ])  # fmt: skip
    return markdown("lab | algorithm | bytes | steps | measured | model", rows)


def _verdict(names: list[str]) -> list[str]:
    """How many cells are not slower, by rule 7, and which of suiro's seem to be."""
    judged = judge([read_result(path) for path in result_paths(names)], "auto")
    rows = [
        [row.part, *map(str, (row.cells, row.not_slower, row.slower, row.undecided,
                              row.undecided_below, row.void)), figure(row.geometric_mean)]
        for row in judged.rows
    ]  # fmt: skip
    lines = markdown(
        "cells | all | not slower | slower | undecided | of these all below | void | mean", rows
    )
    open_cells = [
        [f"`{cell.lab}`", cell.mpi.replace(" v", " "), f"`{cell.collective}`",
         size_text(cell.bytes), ratio(cell.ratio, cell.ci95), str(cell.repetitions),
         f"`{cell.ran}`", cell.verdict]
        for cell in judged.cells
        if cell.ran != "native" and cell.ratio is not None and cell.ratio < NOT_SLOWER
    ]  # fmt: skip
    header = "lab | MPI | call | bytes | native / suiro | calls | what ran | verdict"
    return [*lines, "", *markdown(header, open_cells)] if open_cells else lines


def _transports(names: list[str]) -> list[str]:
    rows = []
    for path in result_paths(names):
        document = parse(Comparisons, path.read_bytes())
        for one in document.comparisons:
            size = "-" if one.bytes is None else size_text(one.bytes)
            first, *others = one.rows
            ratios = ", ".join(
                f"`{row.transport}` {ratio(row.ratio, row.ratio_interval)}" for row in others
            )
            rows.append([
                f"`{document.machine.lab}`", f"`{one.kernel}`", size, time_text(first.seconds),
                ratios, f"{one.jobs} x {one.calls}",
            ])  # fmt: skip
    return markdown("lab | kernel | bytes | suiro | other's time / suiro's | jobs x calls", rows)


def _tuned(names: list[str]) -> list[str]:
    rows = []
    for path in result_paths(names):
        for one in json.loads(path.read_bytes())["collectives"]:
            for row in one["sizes"]:
                rows.append([
                    f"`{one['collective']}`", str(row["bytes"]), time_text(row["default_s"]),
                    time_text(row["winner_s"]), ratio(row["gain"], row["gain_ci95"]),
                    row["choice"],
                ])  # fmt: skip
    return markdown("call | bytes | default | tuned | default / tuned | what was chosen", rows)


def _model(names: list[str]) -> list[str]:
    """How far the model is from what was measured, which its command names."""
    rows = []
    for path in result_paths(names):
        document: dict[str, Any] = json.loads(path.read_bytes())
        words = shlex.split(document["command"])
        measured = Path(words[words.index("--compare") + 1]).name
        error = f"{document['median_error']:.0%}"
        within = [f"{share:.0%}" for share in document["within"].values()]
        what = [f"`{document['network']}`", f"`{document['collective']}`", f"`{measured}`"]
        rows.append([*what, str(len(document["cells"])), error, *within])
    header = "network | call | measured | cells | median error | within 1.3 | within 1.5 | within 2"
    return markdown(header, rows)


def _commands(names: list[str]) -> list[str]:
    """What to type to measure it again, and where it was measured."""
    found: dict[str, list[Provenance]] = {}
    for path in result_paths(names):
        one = parse(Provenance, path.read_bytes())
        machine = one.machine
        where = [f"{machine.cores} cores ({machine.processor})", machine.kernel, machine.system,
                 machine.mpi, f"suiro {machine.suiro}, commit {one.commit}"]  # fmt: skip
        found.setdefault(", ".join(filter(None, where)), []).append(one)
    lines = []
    for where, all_of_it in found.items():
        days = sorted({one.measured_at[:10] for one in all_of_it})
        when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
        lines += [f"{where}, {when}:", "", *(f"    {one.command}" for one in all_of_it), ""]
    return lines[:-1]


_KINDS: dict[str, Callable[[list[str]], list[str]]] = {
    "algorithms": _algorithms,
    "cells": _cells,
    "commands": _commands,
    "gains": _gains,
    "model": _model,
    "steps": _steps,
    "transports": _transports,
    "tuned": _tuned,
    "verdict": _verdict,
} | soak_tables.KINDS
