# SPDX-License-Identifier: BSD-3-Clause
"""`suiro advise`: what suiro would do for a cluster, before anything runs there."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    from suiro.advise.answer import Answer
    from suiro.advise.program import Program
    from suiro.advise.question import Question, Stated
    from suiro.advise.unknown import Unknown
    from suiro.bench.catalog import Collective

_BEGUN = time.monotonic()
_SIZES = "8,1K,8K,64K,256K,1M,4M"
_TO_START_S = 1.5  # and to print: what is left of the time is for answers
_TO_DRAW_S = 2.5  # six maps, of the kinds of switch and the rates that are thought of


LauncherArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- LAUNCHER ARGS...]",
        help="Ask the hosts that this launcher starts ranks on; the program is not run.",
    ),
]
CollectivesOption = Annotated[
    str, typer.Option(metavar="A,B", help="As MPI has them [default: all but the v and w kinds].")
]
SizesOption = Annotated[
    str,
    typer.Option(
        metavar="A,B",
        help="Bytes, as suiro bench takes them [default: 8,1K,8K,64K,256K,1M,4M].",
    ),
]
LikeOption = Annotated[
    Path | None,
    typer.Option(metavar="TRACE", help="Of the calls of a program, from `suiro run --trace`."),
]
WithinOption = Annotated[
    str, typer.Option(metavar="TIME", help="Answer after this time, with what is known: 10s, 2m.")
]
HtmlOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Write it as a page, too.")]


def advise(
    launcher: LauncherArgument = None,
    nodes: NodesOption = None,
    ppn: PpnOption = None,
    rate: RateOption = None,
    mpi: MpiOption = None,
    cluster: ClusterOption = None,
    switch: SwitchOption = None,
    cores: CoresOption = 0,
    like: LikeOption = None,
    collectives: CollectivesOption = "",
    sizes: SizesOption = "",
    within: WithinOption = "10s",
    html: HtmlOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say what suiro would do for a cluster, and what it would gain; nothing runs.

    A cluster in words:     suiro advise --nodes 16 --ppn 64 --rate 25G --mpi openmpi-4.1

    A cluster's file:       suiro advise --cluster cluster.toml --ppn 16

    On a cluster:           suiro advise -- mpirun -np 64 --hostfile hosts ./app

    What a program calls:   suiro run --trace t.jsonl -- mpirun -np 64 ./app;
                            suiro advise --like t.jsonl --nodes 4 --ppn 16 --rate 10G

    For each collective and size: which algorithm would run, as `suiro run` decides, and how many
    times as fast as the MPI's own it is. An open mark: it may be otherwise, and below is why. Then
    what is not known of the cluster, which command tells it, and how long that takes. What earlier
    jobs and `suiro tune` measured on the nodes of --cluster comes before the model.

    Exit codes: 0, also where not all could be told in time; 2 for a wrong option or file; 3 where
    suiro's own programs are missing.
    """
    from suiro.advise import program as programs
    from suiro.advise.answer import ask
    from suiro.advise.question import Stated, parse_mpi
    from suiro.advise.unknown import unknown
    from suiro.output import check_place
    from suiro.report.figures import check_can_draw

    if html is not None:
        check_can_draw("--html")
        check_place(html, "--html")
    until = _BEGUN + _for_answers(within, html is not None)
    stated = Stated(nodes, ppn, rate, switch, cores, cluster)
    question = _of_job(launcher, stated, mpi) if launcher else stated.question(parse_mpi(mpi))
    question.expect_several_nodes()
    program = None if like is None else programs.read(like)
    calls = _calls(collectives, sizes, program)
    answer = ask(question, calls, until)
    left = unknown(answer)
    try:
        _print(answer, left, program, json)
    finally:  # where nobody can read it there, too
        if html is not None:
            _write_page(html, answer, left, program)


def _print(
    answer: "Answer", left: "list[Unknown]", program: "Program | None", as_json: bool
) -> None:
    from suiro.advise.table import print_answer
    from suiro.output import columns

    if as_json:
        _print_json(answer, left, program)
    else:
        print_answer(columns(sys.stdout), answer, left, program)


def _for_answers(within: str, with_page: bool) -> float:
    """What is left of the time, in seconds since the start."""
    from suiro.tune.sizes import parse_time

    not_for_answers_s = _TO_START_S + (_TO_DRAW_S if with_page else 0.0)
    return max(0.5, parse_time(within, "--within") - not_for_answers_s)


def _of_job(launcher: list[str], stated: "Stated", mpi: str | None) -> "Question":
    from suiro.advise.job import of_job
    from suiro.advise.question import Stated, parse_mpi
    from suiro.errors import UsageError

    if stated != Stated(cluster=stated.cluster):
        raise UsageError("the hosts tell what --nodes, --ppn, --rate, --switch and --cores would: "
                         "leave these out, or the launcher")  # fmt: skip
    return of_job(launcher, parse_mpi(mpi) if mpi else None, stated.cluster)


def _calls(
    collectives: str, sizes: str, program: "Program | None"
) -> "list[tuple[Collective, int]]":
    from suiro.bench import catalog
    from suiro.bench.plan import parse_sizes
    from suiro.errors import UsageError

    if program is not None:
        if collectives or sizes:
            raise UsageError("--like says which collectives and sizes: leave out those you named")
        return program.calls()
    wanted = parse_sizes(sizes or _SIZES)
    names = collectives.split(",") if collectives else [
        row.name for row in catalog.collectives().values() if not row.unequal]  # fmt: skip
    rows = [catalog.find_collective(name) for name in dict.fromkeys(names)]
    return [(row, size) for row in rows for size in (wanted if row.has_data else (0,))]


def _print_json(answer: "Answer", left: "list[Unknown]", program: "Program | None") -> None:
    import json
    from dataclasses import asdict

    from suiro import __version__
    from suiro.cli.in_lab import repeat_command

    question = answer.question
    document = {
        "advise": 1,
        "suiro": __version__,
        "command": repeat_command(),
        "mpi": question.mpi.full_name,
        "ranks_of_node": question.ranks_of_node,
        "network": question.network,
        "link_Bps": question.link_Bps,
        "cells": [one.document() for one in answer.cells],
        "missing": [{"collective": name, "bytes": size} for name, size in answer.missing],
        "not_known": [asdict(one) for one in left],
        "program": None if program is None else [asdict(one) for one in program.kinds],
    }
    print(json.dumps(document, indent=1))


def _write_page(
    path: Path, answer: "Answer", left: "list[Unknown]", program: "Program | None"
) -> None:
    from suiro.advise.page import render
    from suiro.cli.in_lab import repeat_command
    from suiro.output import write_file

    write_file(path, render(answer, left, program, repeat_command()), "--html")
    typer.echo(f"page: {path}", err=True)
