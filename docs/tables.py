# SPDX-License-Identifier: BSD-3-Clause
"""Tables of numbers, made from the results in docs/results. A page has a line
`<!-- table: KIND NAME... -->` before each, and `<!-- end -->` after it. NAME is that of a result,
without `.json`; `*` stands for many."""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from pathlib import Path
from statistics import median
from typing import Any

from suiro.bench.never_slower import NOT_SLOWER, judge
from suiro.bench.result import Cell, Result, read_result
from suiro.bench.table import figure
from suiro.bench.transports import Comparisons
from suiro.json_lines import parse
from suiro.lab import cables
from suiro.provenance import Machine, Provenance
from suiro.quantities import byte_count, rate_text, rough_size_text, size_text, time_text

RESULTS = Path(__file__).parent / "results"
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


def _paths(names: Iterable[str]) -> Iterator[Path]:
    """In the order of the names; one that no result has is a mistake."""
    for name in names:
        found = sorted(RESULTS.glob(f"{name}.json"))
        if not found:
            raise ValueError(f"docs/results has no {name}.json")
        yield from found


def _markdown(header: str, rows: Iterable[list[str]]) -> list[str]:
    names = [name.strip() for name in header.split("|")]
    return [f"| {' | '.join(row)} |" for row in [names, ["---"] * len(names), *rows]]


def _bytes(cell: Cell) -> str:
    return f"{size_text(cell.bytes)} {_OF_WHAT.get(cell.collective, '')}".rstrip()


def _ratio(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None or interval is None:
        return "-"
    return f"{value:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]"


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
    return _ratio(auto.speedup_over_native, auto.speedup_over_native_ci95)


def _ran(cell: Cell) -> str:
    return (
        "-" if cell.ran is None else " and ".join(f"`{name}`" for name in cell.ran.split(" and "))
    )


def _gains(names: list[str]) -> list[str]:
    """What is gained on which network; of NAME@SIZE that size alone."""
    rows = []
    for name, _, size in (name.partition("@") for name in names):
        for path in _paths([name]):
            result = read_result(path)
            machine = result.machine
            kind = "a WAN" if "sites" in (machine.lab or "") else _NETWORKS[machine.model or ""]
            network = f"{kind} (`{machine.lab}`)"
            rows += [
                [_call(auto), _bytes(auto), network, _mpi(machine), _gain(native, auto), _ran(auto)]
                for native, auto in _pairs(result)
                if not size or byte_count(size) == auto.bytes
            ]
    return _markdown("call | bytes | network (lab) | MPI | times as fast | what runs", rows)


def _cells(names: list[str]) -> list[str]:
    """Whole lines; labs and MPIs only where they differ, the bound only where links have a rate."""
    results = [read_result(path) for path in _paths(names)]
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
    lines = _markdown(" | ".join(compress(titles, columns)), rows)
    return [*lines, "", f"void: {'; '.join(reasons)}"] if reasons else lines


def _cell(native: Cell, auto: Cell) -> list[str]:
    fractions = (native.bound_fraction, auto.bound_fraction)
    over_control = _ratio(auto.speedup_over_control, auto.speedup_over_control_ci95)
    return [
        _call(auto), _bytes(auto), time_text(native.median_s), time_text(auto.median_s),
        _gain(native, auto), "-" if native.void or auto.void else over_control,
        ", ".join(figure(fraction) for fraction in fractions), str(auto.repetitions), _ran(auto),
    ]  # fmt: skip


def _verdict(names: list[str]) -> list[str]:
    """How many cells are not slower, by rule 7, and which of suiro's seem to be."""
    judged = judge([read_result(path) for path in _paths(names)], "auto")
    rows = [
        [row.part, *map(str, (row.cells, row.not_slower, row.slower, row.undecided,
                              row.undecided_below, row.void)), figure(row.geometric_mean)]
        for row in judged.rows
    ]  # fmt: skip
    lines = _markdown(
        "cells | all | not slower | slower | undecided | of these all below | void | mean", rows
    )
    open_cells = [
        [f"`{cell.lab}`", cell.mpi.replace(" v", " "), f"`{cell.collective}`",
         size_text(cell.bytes), _ratio(cell.ratio, cell.ci95), str(cell.repetitions),
         f"`{cell.ran}`", cell.verdict]
        for cell in judged.cells
        if cell.ran != "native" and cell.ratio is not None and cell.ratio < NOT_SLOWER
    ]  # fmt: skip
    header = "lab | MPI | call | bytes | native / suiro | calls | what ran | verdict"
    return [*lines, "", *_markdown(header, open_cells)] if open_cells else lines


def _transports(names: list[str]) -> list[str]:
    rows = []
    for path in _paths(names):
        document = parse(Comparisons, path.read_bytes())
        for one in document.comparisons:
            size = "-" if one.bytes is None else size_text(one.bytes)
            first, *others = one.rows
            ratios = ", ".join(
                f"`{row.transport}` {_ratio(row.ratio, row.ratio_interval)}" for row in others
            )
            rows.append([
                f"`{document.machine.lab}`", f"`{one.kernel}`", size, time_text(first.seconds),
                ratios, f"{one.jobs} x {one.calls}",
            ])  # fmt: skip
    return _markdown("lab | kernel | bytes | suiro | other's time / suiro's | jobs x calls", rows)


def _tuned(names: list[str]) -> list[str]:
    rows = []
    for path in _paths(names):
        for one in json.loads(path.read_bytes())["collectives"]:
            for row in one["sizes"]:
                rows.append([
                    f"`{one['collective']}`", str(row["bytes"]), time_text(row["default_s"]),
                    time_text(row["winner_s"]), _ratio(row["gain"], row["gain_ci95"]),
                    row["choice"],
                ])  # fmt: skip
    return _markdown("call | bytes | default | tuned | default / tuned | what was chosen", rows)


def _model(names: list[str]) -> list[str]:
    """How far the model is from what was measured, which its command names."""
    rows = []
    for path in _paths(names):
        document: dict[str, Any] = json.loads(path.read_bytes())
        words = shlex.split(document["command"])
        measured = Path(words[words.index("--compare") + 1]).name
        error = f"{document['median_error']:.0%}"
        within = [f"{share:.0%}" for share in document["within"].values()]
        what = [f"`{document['network']}`", f"`{document['collective']}`", f"`{measured}`"]
        rows.append([*what, str(len(document["cells"])), error, *within])
    header = "network | call | measured | cells | median error | within 1.3 | within 1.5 | within 2"
    return _markdown(header, rows)


def _learnt(names: list[str]) -> list[str]:
    """What calls found where the model was told wrong rates: a row for each model."""
    [path] = _paths(names)
    document: dict[str, Any] = json.loads(path.read_bytes())
    cells: dict[str, list[str]] = {}
    for row in document["rows"]:
        cells.setdefault(row["model"], []).append(f"{row['total']:.2f}, {row['end']:.2f}")
    calls = (key.partition(":") for key in document["best"])
    titles = [f"`{name}` {size_text(int(size))}" for name, _, size in calls]
    best = [f"`{name}`" for _, name in document["best"].values()]
    rows = [[model, *row] for model, row in cells.items()]
    return _markdown(" | ".join(["model", *titles]), [["best by hand", *best], *rows])


def _changed(names: list[str]) -> list[str]:
    """What ran, and what it cost, while the rate of links changed: a row for each phase."""
    [path] = _paths(names)
    rows = []
    for row in json.loads(path.read_bytes())["rows"]:
        collective, _, size = row["key"].partition(":")
        alone, ended, best = (f"{1e3 * row[key]:.3g} ms" for key in ("alone_s", "end_s", "best_s"))
        rows.append([f"`{collective}` {size_text(int(size))}", f"{row['share']:.0%}", alone,
                     f"{ended} (`{row['ran']}`)", f"{row['total']:.2f}",
                     f"{best} (`{row['best']}`)"])  # fmt: skip
    header = "call | links | MPI alone | suiro at the end | all calls, of MPI alone | best by hand"
    return _markdown(header, rows)


def _rows(names: list[str]) -> Iterator[dict[str, Any]]:
    """Of the programs in tests/soak."""
    for path in _paths(names):
        yield from json.loads(path.read_bytes())["rows"]


def _crowd(names: list[str]) -> list[str]:
    """How jobs of many ranks begin: what their ranks are told, and what it costs `suiro run`."""
    rows = []
    for row in _rows(names):
        lack = f", {row['lack']:,} never come" if row["lack"] else ""
        said = [line.removeprefix("suiro: ").replace("|", "\\|") for line in row["said"]]
        more = row["said_lines"] - len(said)
        said += [f"{more:,} lines more"] if more else []
        rows.append([
            f"{row['ranks']:,}{lack}", f"{row['descriptors']:,}",
            f"over {row['over_s']:g} s" if row["over_s"] else "at once", f"{row['on']:,}",
            time_text(row["seconds"]), rough_size_text(row["peak_bytes"]), "; ".join(said) or "-",
        ])  # fmt: skip
    header = "ranks | `ulimit -n` | arriving | on | until all know | memory | what is said"
    return _markdown(header, rows)


def _advised(names: list[str]) -> list[str]:
    """How often what is said of native is right, on clusters of others."""
    rows = []
    for row in _rows(names):
        low, high = row["nodes"]
        nodes = str(low) if low == high else f"{low} to {high}"
        share = f"{row['solid_within'] / row['solid']:.0%}" if row["solid"] else "-"
        counts = [str(row[key]) for key in ("cells", "within", "solid", "solid_within")]
        rows.append([row["cluster"], row["mpi"], f"{nodes} x {row['ppn']}", *counts, share,
                     str(row["solid_without_cores"])])  # fmt: skip
    header = (
        "cluster | MPI | nodes x ranks | cells | within 1.5 | not open | of these within 1.5 |"
        " share | not open without `--cores`"
    )
    return _markdown(header, rows)


def _beside_alone(row: dict[str, Any]) -> list[str]:
    """What something takes without suiro and with it."""
    if "ratio" not in row:
        return ["-"] * 3
    times = [time_text(row[key]) for key in ("alone_s", "suiro_s")]
    return [*times, _ratio(row["ratio"], row["ratio_interval"])]


def _communicators(names: list[str]) -> list[str]:
    """What one of many costs that are made and freed."""
    rows = [[f"`{row['mpi']}`", row["case"], *_beside_alone(row)] for row in _rows(names)]
    return _markdown("MPI | communicators | MPI alone | suiro | suiro / MPI alone", rows)


def _starts(names: list[str]) -> list[str]:
    """Whether every collective is right with many ranks, and what a job's start and end take."""
    rows = [
        [row["shape"].replace("x", " x "), f"`{row['mpi']}`", "right" if row["right"] else "wrong",
         f"{row['compared']:,}", *_beside_alone(row)]
        for row in _rows(names)
    ]  # fmt: skip
    header = (
        "hosts x ranks | MPI | every collective | calls compared | start, MPI alone | suiro |"
        " suiro / MPI alone"
    )
    return _markdown(header, rows)


def _connections(names: list[str]) -> list[str]:
    """Messages to one peer beside many that are silent. Ratios of rates, with quartiles."""
    rows = []
    for row in _rows(names):
        seconds, size = row["half_round_trip_us"] / 1e6, row["bytes"]
        low, high = row["ratio_quartiles"]
        beside = row["connections"] - 1
        rows.append([
            size_text(size), f"{beside:,}", time_text(seconds), rate_text(8 * size / seconds),
            _ratio(1 / row["ratio"], (1 / high, 1 / low)) if beside else "-",
            f"{row['system_calls_per_message']:.1f}",
            rough_size_text(row["resident_bytes"]) if beside else "-",
        ])  # fmt: skip
    header = (
        "bytes | others | one way | bandwidth | of that with none beside | system calls |"
        " memory of each other"
    )
    return _markdown(header, rows)


def _footprint(names: list[str]) -> list[str]:
    """What a rank keeps, and what the making of it takes: a column for each number of ranks, and
    medians of all turns."""
    turns: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in _rows(names):
        turns.setdefault((row["what"], row["ranks"]), []).append(row)
    sizes = sorted({ranks for _, ranks in turns} - {0})  # 0: whatever their number
    cells = {
        key: f"{rough_size_text(median(row['bytes'] for row in rows))}, "
        f"{time_text(median(row['seconds'] for row in rows))}"
        for key, rows in turns.items()
    }
    lines = []
    for what in dict.fromkeys(what for what, _ in turns):
        title = f"schedule of `{what}`" if "/" in what else what
        lines.append([title, *(cells.get((what, size)) or cells[what, 0] for size in sizes)])
    return _markdown(" | ".join(["what", *(f"{size:,} ranks" for size in sizes)]), lines)


def _commands(names: list[str]) -> list[str]:
    """What to type to measure it again, and where it was measured."""
    found: dict[str, list[Provenance]] = {}
    for path in _paths(names):
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
    "advised": _advised,
    "cells": _cells,
    "changed": _changed,
    "commands": _commands,
    "communicators": _communicators,
    "connections": _connections,
    "crowd": _crowd,
    "footprint": _footprint,
    "gains": _gains,
    "learnt": _learnt,
    "model": _model,
    "starts": _starts,
    "transports": _transports,
    "tuned": _tuned,
    "verdict": _verdict,
}
