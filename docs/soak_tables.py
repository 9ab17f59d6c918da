# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what the programs in tests/soak and `suiro advise` found."""

import json
from collections.abc import Callable
from statistics import median
from typing import Any

from table_parts import markdown, ratio, result_paths, rows_of

from suiro.quantities import rate_text, rough_size_text, size_text, time_text


def _learnt(names: list[str]) -> list[str]:
    """What calls found where the model was told wrong rates: a row for each model."""
    [path] = result_paths(names)
    document: dict[str, Any] = json.loads(path.read_bytes())
    cells: dict[str, list[str]] = {}
    for row in document["rows"]:
        cells.setdefault(row["model"], []).append(f"{row['total']:.2f}, {row['end']:.2f}")
    calls = (key.partition(":") for key in document["best"])
    titles = [f"`{name}` {size_text(int(size))}" for name, _, size in calls]
    best = [f"`{name}`" for _, name in document["best"].values()]
    rows = [[model, *row] for model, row in cells.items()]
    return markdown(" | ".join(["model", *titles]), [["best by hand", *best], *rows])


def _changed(names: list[str]) -> list[str]:
    """What ran, and what it cost, while the rate of links changed: a row for each phase."""
    [path] = result_paths(names)
    rows = []
    for row in json.loads(path.read_bytes())["rows"]:
        collective, _, size = row["key"].partition(":")
        alone, ended, best = (f"{1e3 * row[key]:.3g} ms" for key in ("alone_s", "end_s", "best_s"))
        rows.append([f"`{collective}` {size_text(int(size))}", f"{row['share']:.0%}", alone,
                     f"{ended} (`{row['ran']}`)", f"{row['total']:.2f}",
                     f"{best} (`{row['best']}`)"])  # fmt: skip
    header = "call | links | MPI alone | suiro at the end | all calls, of MPI alone | best by hand"
    return markdown(header, rows)


def _short(names: list[str]) -> list[str]:
    """What programs of some equal calls pay for trials, and have of them: a row for each call."""
    rows = []
    for path in result_paths(names):
        document = json.loads(path.read_bytes())
        for row in document["rows"]:
            collective, _, size = row["key"].partition(":")
            rows.append([f"`{document['machine']['lab']}`",
                         f"`{collective}` {size_text(int(size))}", time_text(row["alone_s"]),
                         ratio(row["total"], row["totals"]), f"{row['end']:.2f}",
                         time_text(row["late_s"]) if row["late_s"] > 0 else "-"])  # fmt: skip
    header = "lab | call | MPI alone | all calls | last quarter | the longest call is later by"
    return markdown(header, rows)


def _crowd(names: list[str]) -> list[str]:
    """How jobs of many ranks begin: what their ranks are told, and what it costs `suiro run`."""
    rows = []
    for row in rows_of(names):
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
    return markdown(header, rows)


def _advised(names: list[str]) -> list[str]:
    """How often what is said of native is right, on clusters of others."""
    rows = []
    for row in rows_of(names):
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
    return markdown(header, rows)


def _beside_alone(row: dict[str, Any]) -> list[str]:
    """What something takes without suiro and with it."""
    if "ratio" not in row:
        return ["-"] * 3
    times = [time_text(row[key]) for key in ("alone_s", "suiro_s")]
    return [*times, ratio(row["ratio"], row["ratio_interval"])]


def _communicators(names: list[str]) -> list[str]:
    """What one of many costs that are made and freed."""
    rows = [[f"`{row['mpi']}`", row["case"], *_beside_alone(row)] for row in rows_of(names)]
    return markdown("MPI | communicators | MPI alone | suiro | suiro / MPI alone", rows)


def _starts(names: list[str]) -> list[str]:
    """Whether every collective is right with many ranks, and what a job's start and end take."""
    rows = [
        [row["shape"].replace("x", " x "), f"`{row['mpi']}`", "right" if row["right"] else "wrong",
         f"{row['compared']:,}", *_beside_alone(row)]
        for row in rows_of(names)
    ]  # fmt: skip
    header = (
        "hosts x ranks | MPI | every collective | calls compared | start, MPI alone | suiro |"
        " suiro / MPI alone"
    )
    return markdown(header, rows)


def _connections(names: list[str]) -> list[str]:
    """Messages to one peer beside many that are silent. Ratios of rates, with quartiles."""
    rows = []
    for row in rows_of(names):
        seconds, size = row["half_round_trip_us"] / 1e6, row["bytes"]
        low, high = row["ratio_quartiles"]
        beside = row["connections"] - 1
        rows.append([
            size_text(size), f"{beside:,}", time_text(seconds), rate_text(8 * size / seconds),
            ratio(1 / row["ratio"], (1 / high, 1 / low)) if beside else "-",
            f"{row['system_calls_per_message']:.1f}",
            rough_size_text(row["resident_bytes"]) if beside else "-",
        ])  # fmt: skip
    header = (
        "bytes | others | one way | bandwidth | of that with none beside | system calls |"
        " memory of each other"
    )
    return markdown(header, rows)


def _footprint(names: list[str]) -> list[str]:
    """What a rank keeps, and what the making of it takes: a column for each number of ranks, and
    medians of all turns."""
    turns: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in rows_of(names):
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
    return markdown(" | ".join(["what", *(f"{size:,} ranks" for size in sizes)]), lines)


def _transforms(names: list[str]) -> list[str]:
    """Programs that are made of all-to-alls, under two algorithms."""
    lines = []
    for row in rows_of(names):
        times = [
            f"{time_text(seconds)}, {time_text(row['exchanging_s'][name])}"
            for name, seconds in row["seconds"].items()
        ]
        lines.append(
            [row["kernel"], row["size"], *times, ratio(row["ratio"], row["ratio_interval"])]
        )
    header = "program | size | Ring, in all-to-all | 2-Level Ring, in all-to-all | times as fast"
    return markdown(header, lines)


KINDS: dict[str, Callable[[list[str]], list[str]]] = {
    "advised": _advised,
    "changed": _changed,
    "communicators": _communicators,
    "connections": _connections,
    "crowd": _crowd,
    "footprint": _footprint,
    "learnt": _learnt,
    "short": _short,
    "starts": _starts,
    "transforms": _transforms,
}
