# SPDX-License-Identifier: BSD-3-Clause
"""`suiro doctor`: will suiro work here?"""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from suiro.doctor.finding import Findings

# Everything from the launcher on belongs to the launcher.
CONTEXT = {"allow_interspersed_args": False}


def doctor(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- LAUNCHER ARGS...]",
            help="Look at the hosts that this launcher starts ranks on; the program is not run.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say what of suiro will work on this machine, or on the hosts of a job.

    In an allocation:  suiro doctor -- mpirun -np 64 ./app

    One line for each finding. A problem stops suiro; a warning costs speed, and has an advice.

    Exit code 1 if there is a problem.
    """
    from suiro.doctor import here, job
    from suiro.doctor.finding import Findings

    findings = here.examine(bool(command))
    if command:
        findings += job.examine(command, here.libraries())
    found = Findings(findings=findings)
    if json:
        _print_json(found)
    else:
        _print_lines(found)
    raise typer.Exit(0 if found.ok else 1)


def _print_json(found: "Findings") -> None:
    import json as json_module
    import sys

    document = {"ok": found.ok, **found.model_dump(mode="json")}
    sys.stdout.write(json_module.dumps(document, indent=2) + "\n")


def _print_lines(found: "Findings") -> None:
    import sys

    from rich.console import Console
    from rich.text import Text

    from suiro.output import columns, wrapped

    console = Console(highlight=False, soft_wrap=True)
    styles = {"ok": "green", "warning": "yellow", "problem": "bold red"}
    for finding in found.findings:
        where = f"{_some(finding.hosts)}: " if finding.hosts else ""
        head = f"{finding.status:8} {finding.check:9} "
        advice = f"; {finding.advice}" if finding.advice else ""
        text = f"{head}{where}{finding.text}{advice}"
        for line in wrapped(text, columns(sys.stdout), " " * len(head)):
            shown = Text(line)
            if line.startswith(head):
                shown.stylize(styles[finding.status], 0, len(finding.status))
            console.print(shown)


def _some(hosts: list[str]) -> str:
    shown = ", ".join(hosts[:4])
    return shown if len(hosts) <= 4 else f"{shown} and {len(hosts) - 4} more"
