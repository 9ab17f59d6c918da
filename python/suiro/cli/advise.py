# SPDX-License-Identifier: BSD-3-Clause
"""`suiro advise`: what suiro would do for a cluster, before anything runs there."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from suiro.advise.answer import Answer
    from suiro.advise.program import Program
    from suiro.advise.question import Question
    from suiro.advise.unknown import Unknown
    from suiro.bench.catalog import Collective

_BEGUN = time.monotonic()
_SIZES = "8,1K,8K,64K,256K,1M,4M"
_TO_START_S = 1.5  # and to print: what is left of the time is for answers


def _mpis(begun: str) -> list[str]:
    """Those whose decisions were read, and the other one."""
    read = ("openmpi-4.0", "openmpi-4.1", "openmpi-5.0", "mpich-4", "mpich-5", "intel")
    return [name for name in read if name.startswith(begun)]


def _kinds(begun: str) -> list[str]:
    from suiro.advise.question import KINDS

    return [kind for kind in KINDS if kind.startswith(begun)]


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
NodesOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many nodes there are.")
]
PpnOption = Annotated[int | None, typer.Option(min=1, metavar="P", help="Ranks on each node.")]
SizesOption = Annotated[
    str,
    typer.Option(
        metavar="A,B",
        help="Bytes, as suiro bench takes them [default: 8,1K,8K,64K,256K,1M,4M].",
    ),
]
ClusterOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The nodes and their network: cluster.toml of suiro probe."),
]
RateOption = Annotated[
    str | None, typer.Option(metavar="RATE", help="Of a node's links, in bit/s: 10G, 25G.")
]
MpiOption = Annotated[
    str | None,
    typer.Option(
        metavar="MPI-VERSION",
        help="openmpi-4.1, mpich-4, intel [default: that of the mpirun on the PATH].",
        autocompletion=_mpis,
    ),
]
SwitchOption = Annotated[
    str | None,
    typer.Option(
        metavar="voq|hol|pause|shared",
        help="What the switch does [default: not known].",
        autocompletion=_kinds,
    ),
]
CoresOption = Annotated[
    int, typer.Option(min=0, metavar="N", help="Cores of a node [default: one for each rank].",
                      show_default=False),
]  # fmt: skip
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

    For each collective and size: which algorithm would run, decided as `suiro run` decides, and how
    many times as fast as the MPI's own it is. An open mark stands where it may be otherwise, and
    below is why. Then what is not known of the cluster, which command tells it, and how long that
    takes. What earlier jobs and `suiro tune` measured on the nodes of --cluster comes before the
    model.

    Exit codes: 0, also where not all could be told in time; 2 for a wrong option or file; 3 where
    suiro's own programs are missing.
    """
    from suiro.advise import program as programs
    from suiro.advise.answer import ask
    from suiro.advise.learnt import lessons_for
    from suiro.advise.unknown import unknown
    from suiro.output import check_place
    from suiro.report.figures import check_can_draw
    from suiro.tune.sizes import parse_time

    if html is not None:
        check_can_draw("--html")
        check_place(html, "--html")
    until = _BEGUN + max(0.5, parse_time(within, "--within") - _TO_START_S)
    question = _question(launcher or [], (nodes, ppn), (rate, switch, cores), mpi, cluster)
    question.expect_several_nodes()
    program = None if like is None else programs.read(like)
    calls = _calls(collectives, sizes, program)
    answer = ask(question, calls, until, lessons_for(question))
    left = unknown(answer)
    if json:
        _print_json(answer, left, program)
    else:
        _print(answer, left, program)
    if html is not None:
        _write_page(html, answer, left, program)


def _question(
    launcher: list[str],
    shape: tuple[int | None, int | None],
    network: tuple[str | None, str | None, int],
    mpi: str | None,
    cluster: Path | None,
) -> "Question":
    from dataclasses import replace

    from suiro.advise.question import Question, described, of_cluster, parse_mpi
    from suiro.errors import UsageError

    (nodes, ppn), (rate, switch, cores) = shape, network
    if launcher:
        return _of_job(launcher, (nodes, ppn, rate, switch, cores or None), mpi, cluster)
    asked = parse_mpi(mpi)
    if cluster is None:
        ranks_of_node, known, link_Bps = described(nodes, ppn, rate, switch)
        return Question(asked, ranks_of_node, known, link_Bps, cores)
    if rate is not None or switch is not None:
        raise UsageError("--cluster says what --rate and --switch would: leave these out, or edit "
                         "the file")  # fmt: skip
    if ppn is None:
        raise UsageError("--cluster takes --ppn: how many ranks has a node?")
    return replace(of_cluster(cluster, ppn, nodes, asked), cores=cores)


def _of_job(
    launcher: list[str], told: tuple[object, ...], mpi: str | None, cluster: Path | None
) -> "Question":
    from suiro.advise.job import of_job
    from suiro.advise.question import parse_mpi
    from suiro.errors import UsageError

    if any(one is not None for one in told):
        raise UsageError("the hosts tell what --nodes, --ppn, --rate, --switch and --cores would: "
                         "leave these out, or the launcher")  # fmt: skip
    return of_job(launcher, parse_mpi(mpi) if mpi else None, cluster)


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


def _print(answer: "Answer", left: "list[Unknown]", program: "Program | None") -> None:
    from suiro.advise.table import WIDTH, print_answer
    from suiro.output import console

    print_answer(console(WIDTH, highlight=False), answer, left, program)


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
