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
    from suiro.text_table import print_table

    _print_lines([f"every shape of 1 to {document['max_ranks']} ranks"], style="bold")
    algorithms = document["algorithms"]
    rows = [
        {
            "collective": row["collective"],
            "algorithm": row["algorithm"],
            "schedules": str(row["schedules"]),
            "delivery": "proven" if row["ok"] else "FAILED",
            "declared properties": _declared(row["properties"]),
        }
        for row in algorithms
    ]
    words = ("collective", "algorithm", "delivery")
    styles = ["" if row["ok"] else "red" for row in algorithms]
    print_table(rows, left=words, sentences=("declared properties",), styles=styles)
    for row in algorithms:
        _print_details(row)


def _declared(proofs: list[dict[str, Any]]) -> str:
    return ", ".join(
        proof["name"] if proof["holds"] else f"{proof['name']} FAILED"
        for proof in proofs
        if proof["declared"]
    )


def _print_lines(lines: list[str], style: str = "") -> None:
    """Between words only they go on below: they are read, searched and quoted."""
    import sys

    from suiro.output import columns, console, wrapped

    shown = console(markup=False, highlight=False, soft_wrap=True)
    for line in lines:
        for part in wrapped(line, columns(sys.stdout), "    "):
            shown.print(part, style=style)


def _print_details(row: dict[str, Any]) -> None:
    lines = [f"  {failure['schedule']}: {failure['line']}" for failure in row["failures"]]
    for proof in row["properties"]:
        found = proof["counterexample"]
        if found:
            lines.append(f"  not {proof['name']}, {found['schedule']}: {found['line']}")
    if lines:
        print()
        _print_lines([f"{row['collective']}/{row['algorithm']}"], style="bold")
        _print_lines(lines)


def _print_file(document: dict[str, Any]) -> None:
    verdict, style = ("proven", "green") if document["ok"] else ("FAILED", "red")
    _print_lines([f"{verdict}  {document['file']}"], style=style)
    lines = [violation["line"] for violation in document["violations"]]
    for proof in document["properties"]:
        found = proof["counterexample"]
        state = f"does not hold: {found['line']}" if found else "holds"
        lines.append(f"{proof['name']}: {state}")
    if not lines:
        lines = ["no `nodes` line says where ranks are, so no property of nodes was looked at"]
    _print_lines([f"  {line}" for line in lines])
