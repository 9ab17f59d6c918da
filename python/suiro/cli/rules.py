# SPDX-License-Identifier: BSD-3-Clause
"""`suiro rules`: files that choose algorithms."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from suiro.cli.group import Group

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
    file: FileArgument,
    collective: Annotated[str, typer.Argument(metavar="COLLECTIVE", help="As MPI has it: bcast.")],
    size: Annotated[
        str, typer.Option("--bytes", metavar="SIZE", help="As suiro bench takes them: 64K.")
    ],
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="How many nodes there are.")] = 1,
    ppn: Annotated[int, typer.Option(min=1, metavar="P", help="How many ranks on each.")] = 1,
    json: JsonOption = False,
) -> None:
    """Say what would run for a call, and which line says so.

    For example:  suiro rules explain bcast.rules bcast --nodes 8 --ppn 4 --bytes 64K
    """
    from suiro.bench.catalog import find_collective
    from suiro.bench.plan import parse_size
    from suiro.rules.files import explain as explain_call

    find_collective(collective)
    answer = explain_call(file, collective, [ppn] * nodes, parse_size(size))
    if json:
        _print_json({"algorithm": answer.algorithm, "reason": answer.reason})
    else:
        print(f"{answer.algorithm}: {answer.reason}")


def _print_json(document: object) -> None:
    import json

    print(json.dumps(document, indent=1))
