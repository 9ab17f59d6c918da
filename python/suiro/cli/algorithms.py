# SPDX-License-Identifier: BSD-3-Clause
"""`suiro algorithms`: the catalog, as the native side has it."""

from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console


def algorithms(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[COLLECTIVE|ALGORITHM]",
            help="Only these, such as bcast, or all about one, such as bcast/pipeline.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the algorithms; of one, tell its cost, parameters and proven properties.

    Force one in a job:  suiro run --force alltoall=linear_capped:cap=4 -- mpirun -np 64 ./app
    """
    import json as json_module
    import sys

    from suiro import native_json

    arguments = ["algorithms", "--json", *([] if what is None else [what])]
    document = native_json.call("suiro-schedule", arguments, "reading the catalog").document
    if json:
        sys.stdout.write(json_module.dumps(document, indent=2) + "\n")
        return
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    rows = document["algorithms"]
    if len(rows) == 1:
        _print_details(rows[0], console)
        return
    for collective, members in groupby(rows, key=lambda row: row["collective"]):
        _print_list(collective, list(members), console)
    first = f"{rows[0]['collective']}/{rows[0]['name']}"
    console.print(f"suiro algorithms {first} tells all about one.")


def _print_list(collective: str, rows: list[dict[str, Any]], console: "Console") -> None:
    console.print(collective, style="bold")
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        _print_line(f"  {row['name']:{width}}  {row['summary']}", " " * (width + 4), console)
    console.print()


def _print_line(text: str, indent: str, console: "Console") -> None:
    import sys

    from suiro.output import columns, wrapped

    for line in wrapped(text, columns(sys.stdout), indent):
        console.print(line, markup=False)


def _print_details(row: dict[str, Any], console: "Console") -> None:
    console.print(f"{row['collective']}/{row['name']}", style="bold")
    lines = [row["summary"], f"source: {row['source']}", f"cost: {row['cost']}"]
    lines += [f"parameter {_parameter(parameter)}" for parameter in row["parameters"]]
    lines += [f"proven: {', '.join(row['properties'])}"] if row["properties"] else []
    for line in lines:
        _print_line(line, "  ", console)


def _parameter(parameter: dict[str, Any]) -> str:
    return "{name} {minimum}..{maximum}, default {default}: {meaning}".format(**parameter)
