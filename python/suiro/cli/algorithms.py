# SPDX-License-Identifier: BSD-3-Clause
"""`suiro algorithms`: the catalog, as the native side has it."""

from typing import Annotated, Any

import typer


def algorithms(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the algorithms with their costs, parameters and proven properties.

    Force one in a job:  suiro run --alltoall linear_capped:cap=4 -- mpirun -np 64 ./app
    """
    import json as json_module
    import sys

    from suiro import native_json

    arguments = ["algorithms", "--json"]
    document = native_json.call("suiro-schedule", arguments, "reading the catalog").document
    if json:
        sys.stdout.write(json_module.dumps(document, indent=2) + "\n")
    else:
        _print_table(document["algorithms"])


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("collective", "algorithm", "what it does", "parameters", "proven"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        parameters = [_parameter(parameter) for parameter in row["parameters"]]
        table.add_row(
            row["collective"],
            row["name"],
            f"{row['summary']}\n[dim]{row['cost']}; {row['source']}[/dim]",
            "\n".join(parameters),
            "\n".join(row["properties"]),
        )
    Console().print(table)


def _parameter(parameter: dict[str, Any]) -> str:
    return "{name} {minimum}..{maximum}, default {default}".format(**parameter)
