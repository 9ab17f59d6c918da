# SPDX-License-Identifier: BSD-3-Clause
"""`suiro sim`: what the model says of algorithms on a network."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suiro.cli.bench import CollectiveArgument
from suiro.cli.stated import (
    ClusterOption,
    CoresOption,
    MpiOption,
    NodesOption,
    PpnOption,
    RateOption,
    SwitchOption,
)

if TYPE_CHECKING:
    from suiro.advise.question import Question, Stated
    from suiro.bench.catalog import Collective
    from suiro.sim.compare import Comparison
    from suiro.sim.estimate import Estimate
    from suiro.sim.network import Scene


_PARTS = ("link", "way", "messages", "copies", "repeats", "others")
# What a narrow terminal can do without.
_LEAST = ("repeats", "way", "others", "copies", "messages", "mean", "link", "/ bound")
_FACTORS = (1.3, 1.5, 2.0)

AlgorithmOption = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        "--algorithms",
        metavar="A,B",
        help="Which, also with parameters; native and auto are what the MPI and suiro run "
        "[default: all].",
    ),
]
SizesOption = Annotated[str, typer.Option(metavar="A,B", help="Bytes, as suiro bench takes them.")]
LabOption = Annotated[str | None, typer.Option(metavar="SPEC", help="On the network of this lab.")]
CompareOption = Annotated[
    Path | None,
    typer.Option(
        metavar="RESULT",
        help="Set it beside what suiro bench --json printed, or a CSV table of OSU's benchmarks.",
    ),
]
SvgOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Draw over time what links carry, and which rank waits for which; one algorithm and "
        "size.",
    ),
]
ExportOption = Annotated[
    tuple[str, Path] | None,
    typer.Option(
        metavar="simgrid FOLDER",
        help="Write schedules and network into a new folder, for SimGrid to replay. It knows no "
        "blocked queues, losses and shared processors.",
        autocompletion=lambda: ["simgrid"],
    ),
]


def sim(
    collective: CollectiveArgument,
    algorithm: AlgorithmOption = None,
    lab: LabOption = None,
    nodes: NodesOption = None,
    ppn: PpnOption = None,
    rate: RateOption = None,
    mpi: MpiOption = None,
    cluster: ClusterOption = None,
    switch: SwitchOption = None,
    cores: CoresOption = 0,
    sizes: SizesOption = "64K,1M",
    root: Annotated[
        int | None, typer.Option(min=0, metavar="RANK", help="The root [default: 1].")
    ] = None,
    compare: CompareOption = None,
    svg: SvgOption = None,
    export: ExportOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Predict how long algorithms take on a network, and where the time goes; nothing runs.

    In a lab's network:  suiro sim bcast --lab 8x4-shared --sizes 64K,1M

    On your own:         suiro sim allreduce --cluster cluster.toml --ppn 16 --sizes 1M

    On a large one:      suiro sim alltoall --nodes 4096 --ppn 64 --algorithm ring --sizes 1K

    Against a result:    suiro bench bcast --lab 4x4-hol --json --algorithms pipeline > r.json;
                         suiro sim bcast --lab 4x4-hol --compare r.json

    Against others':     suiro sim bcast --cluster c5n.toml --nodes 8 --ppn 36 --compare osu.csv,
                         columns: size, and one for each algorithm's microseconds, by its name

    A second opinion:    suiro sim bcast --lab 4x4-voq --export simgrid FOLDER; cat FOLDER/README

    A line of the table: the time until the last rank is done, that of a rank in the mean, what the
    busiest link needs over the former, and the part of the time that went to links, the way,
    messages, copies, and TCP's repeats. native and auto are as suiro advise says in these words.
    """
    from suiro.advise.question import Stated
    from suiro.bench.catalog import find_collective

    row = find_collective(collective)
    question = _question(lab, Stated(nodes, ppn, rate, switch, cores, cluster))
    scene = question.scene
    _check_places(scene, svg, export, compare)
    root = _root(row.rooted, root, scene.ranks)
    if compare is not None:
        _compare(scene, collective, compare, root, json)
        return
    estimates = _estimates(question, mpi, row, algorithm, sizes, root, svg)
    if json:
        _print_json([one.model_dump() for one in estimates])
    else:
        _print_estimates(scene, estimates)
    if svg is not None:
        _draw(scene, estimates[0], svg)
    if export is not None:
        _export(scene, estimates, root, export[1])


def _check_places(
    scene: "Scene", svg: Path | None, export: tuple[str, Path] | None, compare: Path | None
) -> None:
    from suiro.errors import UsageError, did_you_mean
    from suiro.output import check_place
    from suiro.sim.simgrid import check_export

    if svg is not None:
        check_place(svg, "--svg")
    if export is None:
        return
    kind, folder = export
    if kind != "simgrid":
        near = did_you_mean(kind, ["simgrid"])
        raise UsageError(f"--export takes simgrid and a folder, not '{kind}'{near}")
    if compare is not None:
        raise UsageError("--export is for predictions alone: leave out --compare")
    check_export(scene, folder)


def _compare(scene: "Scene", collective: str, path: Path, root: int, json: bool) -> None:
    from suiro.bench.result import read_result
    from suiro.errors import UsageError
    from suiro.sim import osu
    from suiro.sim.compare import compare

    if osu.is_table(path):
        cells = osu.read_table(path, collective, len(scene.ranks_of_node), scene.ranks)
        comparisons = compare(scene, cells, 0, of_ranks=True)
    else:
        cells = [cell for cell in read_result(path).cells if cell.collective == collective]
        comparisons = compare(scene, cells, root)
    if not comparisons:
        raise UsageError("--compare: the result has no cell of this collective that the model "
                         "knows: it needs algorithms other than native")  # fmt: skip
    if json:
        _print_json(_document(scene, collective, comparisons))
    else:
        _print_comparison(comparisons)


def _question(lab: str | None, stated: "Stated") -> "Question":
    """Of no MPI yet: where neither native nor auto is asked for, none need be there."""
    from suiro.advise.question import Mpi, Question, Stated
    from suiro.errors import UsageError
    from suiro.sim.network import of_lab

    if lab is None:
        if stated.cluster is None and stated.nodes is None:
            raise UsageError("which network is it? Give --lab SPEC, --cluster FILE or --nodes N")
        return stated.question(Mpi())
    if stated != Stated():
        raise UsageError("--lab says what --cluster, --nodes, --ppn, --rate, --switch and --cores "
                         "would: leave these out")  # fmt: skip
    scene = of_lab(lab)
    return Question(Mpi(), scene.ranks_of_node, dict(scene.network), place=scene.name)


def _estimates(
    question: "Question",
    mpi: str | None,
    row: "Collective",
    algorithm: str | None,
    sizes: str,
    root: int,
    svg: Path | None,
) -> "list[Estimate]":
    from dataclasses import replace

    from suiro.advise.question import parse_mpi
    from suiro.bench.plan import parse_algorithms, sizes_of
    from suiro.errors import UsageError
    from suiro.output import say
    from suiro.sim.chosen import NAMES, chosen
    from suiro.sim.estimate import estimate

    names = list(parse_algorithms(algorithm)) if algorithm else [*NAMES, *row.algorithms]
    scene = question.scene
    wanted = list(sizes_of(row, sizes if row.has_data else None))
    own = [name for name in names if name not in NAMES]
    if svg is not None and (len(own), len(names), len(wanted)) != (1, 1, 1):
        raise UsageError("--svg draws one algorithm with one size: give --algorithm and --sizes")
    asked = [name for name in NAMES if name in names]
    if mpi or asked:
        question = replace(question, mpi=parse_mpi(mpi))
    found = chosen(question, row, asked, wanted, root)
    if own:
        found.rows += estimate(scene, row.regular, own, wanted, root, transfers=svg is not None)
    if not found.rows:
        raise UsageError("; ".join(found.remarks))
    for remark in found.remarks:
        say(remark)
    return found.rows


def _root(rooted: bool, given: int | None, ranks: int) -> int:
    from suiro.errors import UsageError

    if given is not None and not rooted:
        raise UsageError("--root is for collectives that have one")
    if given is not None and given >= ranks:
        raise UsageError(f"--root {given}: there are {ranks} ranks, 0 to {ranks - 1}")
    return (min(1, ranks - 1) if given is None else given) if rooted else 0


def _print_json(document: object) -> None:
    import json

    print(json.dumps(document, indent=1))


def _print_estimates(scene: "Scene", estimates: "list[Estimate]") -> None:
    from rich.console import Console

    from suiro.output import columns
    from suiro.text_table import lay_out

    width = columns(sys.stdout)
    ordered = sorted(estimates, key=lambda one: (one.bytes, one.seconds))
    rows = [_row(one) for one in ordered]
    layout = lay_out(rows, width, left={"algorithm"}, least=_LEAST)
    console = Console(soft_wrap=True, markup=False, highlight=False)
    console.print(layout.heading, style="bold")
    previous = ordered[0].bytes
    for one, row in zip(ordered, rows, strict=True):
        if previous != one.bytes:
            console.print()
        previous = one.bytes
        console.print(layout.line(row), style="bold" if one.ran else None)
    for line in layout.remarks(width):
        console.print(line)
    console.print(f"predicted for {scene.name}, {scene.ranks} ranks on "
                  f"{len(scene.ranks_of_node)} nodes; nothing was measured")  # fmt: skip
    stand_ins = [one.name for one in estimates if one.played_ranks < scene.ranks]
    if stand_ins:
        names = ", ".join(dict.fromkeys(stand_ins))
        console.print(f"one node stood for all, which do the same: {names}")


def _row(one: "Estimate") -> dict[str, str]:
    from suiro.bench.table import figure
    from suiro.quantities import size_text, time_text

    return {
        "bytes": size_text(one.bytes),
        "algorithm": one.name + (f" ({one.ran})" if one.ran else ""),
        "time": time_text(one.seconds),
        "mean": time_text(one.mean_s),
        "/ bound": figure(one.bound_s / one.seconds if one.seconds and one.bound_s else None),
        **_parts(one),
    }


def _parts(one: "Estimate") -> dict[str, str]:
    """Where the time went."""
    spent = one.spent
    if spent is None or not one.seconds:
        return dict.fromkeys(_PARTS, "-")
    parts = (spent.port_s, spent.latency_s, spent.messages_s, spent.copies_s, spent.repeats_s,
             spent.processors_s)  # fmt: skip
    shares = [f"{part / one.seconds:.0%}" for part in parts]
    return dict(zip(_PARTS, shares, strict=True))


def _document(
    scene: "Scene", collective: str, comparisons: "list[Comparison]"
) -> dict[str, object]:
    from suiro.cli.in_lab import repeat_command
    from suiro.provenance import describe_machine, now, provenance
    from suiro.sim.compare import median_error, share_within

    origin = provenance(repeat_command(), describe_machine("", None), now())
    return origin.model_dump() | {
        "network": scene.name,
        "collective": collective,
        "median_error": median_error(comparisons),
        "within": {str(factor): share_within(comparisons, factor) for factor in _FACTORS},
        "cells": [
            {"algorithm": one.cell.algorithm, "bytes": one.cell.bytes,
             "measured_s": one.cell.median_s, "predicted_s": one.predicted_s,
             "error": one.error} for one in comparisons],
    }  # fmt: skip


def _print_comparison(comparisons: "list[Comparison]") -> None:
    from suiro.sim.compare import median_error, share_within

    error = median_error(comparisons)
    for one in comparisons:
        print(f"{one.cell.bytes:>9} B  {one.estimate.name:44} measured {one.cell.median_s:9.6f} s  "
              f"predicted {one.predicted_s:9.6f} s  {one.error:+.0%}")  # fmt: skip
    within = ", ".join(f"{share_within(comparisons, one):.0%} within a factor of {one}"
                       for one in _FACTORS)  # fmt: skip
    print(f"median error {error:.0%} over {len(comparisons)} cells; {within}")


def _export(scene: "Scene", estimates: "list[Estimate]", root: int, folder: Path) -> None:
    from suiro.errors import UsageError
    from suiro.sim.simgrid import export

    schedules = [one for one in estimates if not one.ran]  # native and auto are no schedules' names
    if not schedules:
        raise UsageError("--export needs algorithms other than native and auto")
    export(scene, schedules, root, folder)


def _draw(scene: "Scene", one: "Estimate", path: Path) -> None:
    from suiro.output import write_file
    from suiro.sim.timeline import drawing

    write_file(path, drawing(scene, one), "--svg")
