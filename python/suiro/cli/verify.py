# SPDX-License-Identifier: BSD-3-Clause
"""`suiro verify`: proofs of the catalog, or of one printed schedule."""

from typing import Annotated, Any

import typer


def verify(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[COLLECTIVE|ALGORITHM|FILE]",
            help="Names of the catalog, or a schedule printed by suiro-schedule show "
            "[default: the catalog].",
        ),
    ] = None,
    max_ranks: Annotated[
        int | None, typer.Option(metavar="N", help="Prove the catalog up to N ranks [default: 33].")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Prove that schedules deliver every block and operand once, without deadlock or races.

    One schedule:  suiro-schedule show ring --nodes 2 --ppn 2 > ring.txt; suiro verify ring.txt

    Exit code 1 if anything could not be proven.
    """
    import json as json_module
    import sys

    from suiro import native_json

    arguments = ["verify", "--json"]
    if max_ranks is not None:
        arguments += ["--max-ranks", str(max_ranks)]
    if what is not None:
        arguments.append(what)
    answer = native_json.call("suiro-schedule", arguments, "proving schedules")
    if json:
        sys.stdout.write(json_module.dumps(answer.document, indent=2) + "\n")
    elif "algorithms" in answer.document:
        _print_catalog(answer.document)
    else:
        _print_file(answer.document)
    raise typer.Exit(answer.exit_code)


def _print_catalog(document: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("collective", "algorithm", "schedules", "delivery", "declared properties"):
        table.add_column(heading, justify="right" if heading == "schedules" else "left")
    for row in document["algorithms"]:
        table.add_row(
            row["collective"],
            row["algorithm"],
            str(row["schedules"]),
            "[green]proven[/green]" if row["ok"] else "[red]FAILED[/red]",
            _declared(row["properties"]),
        )
    console = Console()
    console.print(f"every shape of 1 to {document['max_ranks']} ranks", style="bold")
    console.print(table)
    for row in document["algorithms"]:
        _print_details(console, row)


def _declared(proofs: list[dict[str, Any]]) -> str:
    return ", ".join(
        proof["name"] if proof["holds"] else f"[red]{proof['name']} FAILED[/red]"
        for proof in proofs
        if proof["declared"]
    )


def _print_details(console: Any, row: dict[str, Any]) -> None:
    """Plain lines that are not cut: they are read, searched and quoted."""
    lines = [f"  {failure['schedule']}: {failure['line']}" for failure in row["failures"]]
    for proof in row["properties"]:
        found = proof["counterexample"]
        if found:
            lines.append(f"  not {proof['name']}, {found['schedule']}: {found['line']}")
    if lines:
        console.print(f"\n{row['collective']}/{row['algorithm']}", style="bold")
        console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


def _print_file(document: dict[str, Any]) -> None:
    from rich.console import Console

    console = Console()
    verdict = "[green]proven[/green]" if document["ok"] else "[red]FAILED[/red]"
    console.print(verdict, end="  ")
    console.print(document["file"], markup=False, highlight=False, soft_wrap=True)
    lines = [violation["line"] for violation in document["violations"]]
    for proof in document["properties"]:
        found = proof["counterexample"]
        state = f"does not hold: {found['line']}" if found else "holds"
        lines.append(f"{proof['name']}: {state}")
    if not lines:
        lines = ["no `nodes` line says where ranks are, so no property of nodes was looked at"]
    for line in lines:
        console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
