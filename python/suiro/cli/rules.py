# SPDX-License-Identifier: BSD-3-Clause
"""`suiro rules`: files that choose algorithms."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from suiro.cli.group import Group
from suiro.cli.stated import (
    ClusterOption,
    CoresOption,
    MpiOption,
    NodesOption,
    PpnOption,
    RateOption,
    SwitchOption,
)

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Files that choose algorithms, suiro's and MPIs': what they say, what is wrong.",
)

FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A rule file of suiro, of Open MPI's coll_tuned, or of MPICH's selection.",
    ),
]
OptionalFileArgument = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[FILE]", help="Of one of these kinds; without it suiro decides."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.command()
def show(file: FileArgument, json: JsonOption = False) -> None:
    """Print the rules as a table."""
    from dataclasses import asdict

    from suiro.rules.files import read

    found = read(file)
    if json:
        _print_json([asdict(line) for line in found.lines])
        return
    if found.lines:
        _print_table([_words(line) for line in found.lines])
    else:
        print("no rules")
    _warn(found.warnings)


def _words(line: object) -> list[str]:
    from suiro.rules.files import Line

    assert isinstance(line, Line)
    return [str(line.line), line.collective, line.where, line.bytes, line.algorithm]


def _print_table(rows: list[list[str]]) -> None:
    from suiro.text_table import print_table

    names = ("line", "collective", "where", "bytes", "algorithm")
    cells = [dict(zip(names, row, strict=True)) for row in rows]
    print_table(cells, left=names, sentences=("where", "bytes", "algorithm"))


@app.command()
def check(file: FileArgument) -> None:
    """Say whether a file is right; what MPIs ignore in silence is told with its line.

    Exit code 0 if it is right, 1 if it may do harm, 2 if it is wrong.
    """
    from suiro.rules.files import read

    found = read(file)
    _warn(found.warnings)
    if found.warnings:
        raise typer.Exit(1)
    print(f"{file}: {len(found.lines)} rules of {found.kind}, nothing wrong")


def _warn(warnings: list[str]) -> None:
    for line in warnings:
        sys.stderr.write(f"{line}\n")


@app.command()
def diff(
    first: FileArgument,
    second: Annotated[Path, typer.Argument(metavar="OTHER", help="The other one.")],
) -> None:
    """Print the rules that only one of two files has.

    Exit code 1 if there are any.
    """
    from suiro.rules.files import read

    left, right = ([_words(line)[1:] for line in read(file).lines] for file in (first, second))
    only = [["-", *row] for row in left if row not in right]
    only += [["+", *row] for row in right if row not in left]
    if not only:
        print("the same rules")
        return
    _print_table(only)
    raise typer.Exit(1)


@app.command()
def explain(
    *,
    files: OptionalFileArgument = None,
    collective: Annotated[str, typer.Argument(metavar="COLLECTIVE", help="As MPI has it: bcast.")],
    size: Annotated[
        str, typer.Option("--bytes", metavar="SIZE", help="As suiro bench takes them: 64K.")
    ],
    nodes: NodesOption = None,
    ppn: PpnOption = None,
    rate: RateOption = None,
    mpi: MpiOption = None,
    cluster: ClusterOption = None,
    switch: SwitchOption = None,
    cores: CoresOption = 0,
    json: JsonOption = False,
) -> None:
    """Say what would run for a call, and which line or which reason says so.

    By a file:  suiro rules explain my.rules bcast --nodes 8 --ppn 4 --bytes 64K

    By suiro:   suiro rules explain bcast --nodes 8 --ppn 4 --bytes 64K

    Without FILE, and where none of suiro's rules matches, it is decided as in `suiro advise`, of
    whose options all that describe a cluster mean the same here. With FILE, --nodes and --ppn are
    1 by default.
    """
    from dataclasses import asdict

    from suiro.advise.question import Stated
    from suiro.bench.catalog import find_collective
    from suiro.bench.plan import parse_size
    from suiro.errors import UsageError
    from suiro.rules.explain import explain as explain_call

    if files and len(files) > 1:
        raise UsageError("rules explain takes one FILE, and COLLECTIVE")
    row = find_collective(collective)
    bytes_ = parse_size(size) if row.has_data else 0
    stated = Stated(nodes, ppn, rate, switch, cores, cluster)
    answer = explain_call(files[0] if files else None, row, bytes_, stated, mpi)
    if json:
        _print_json(asdict(answer))
    else:
        print(f"{answer.algorithm}: {answer.reason}")


def _print_json(document: object) -> None:
    import json

    print(json.dumps(document, indent=1))
