# SPDX-License-Identifier: BSD-3-Clause
"""`suiro probe`: what the user's own network does."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suiro.cli.in_lab import repeat_command, run_in_lab

if TYPE_CHECKING:
    from suiro.probe.measure import Probe

LauncherArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- LAUNCHER...]",
        help="A launcher prefix, such as mpirun -np 4 --map-by ppr:1:node.",
    ),
]
PpnOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Predict for N ranks per node [default: as launched]."),
]
WriteRulesOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write what follows as a rule file for `suiro run`."),
]


def probe(
    launcher: LauncherArgument = None,
    switch: Annotated[
        bool, typer.Option("--switch", help="The two-target test: how does the switch queue?")
    ] = False,
    lab: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Make this lab and probe in it.")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(metavar="openmpi|mpich", help="Which MPI [default: the launcher's]."),
    ] = None,
    interface: Annotated[
        str, typer.Option(metavar="NAME", help="Network interface [default: the first one].")
    ] = "-",
    ppn: PpnOption = None,
    write_rules: WriteRulesOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find out how the switch between your hosts queues, and what that costs an all-to-all.

    On your own cluster:  suiro probe --switch -- mpirun -np 4 --map-by ppr:1:node

    In a lab:             suiro probe --switch --lab 4x4-hol

    To use the answer:    suiro probe --switch --write-rules FILE -- LAUNCHER
                          suiro run --rules FILE -- LAUNCHER ./app

    Tells head-of-line blocking, pause frames, loss where many send to one, and none of these (as
    with virtual output queues) apart. It takes 4 hosts or more, uses 8 at most, and fills their
    links for about 3 s, once more if that tells too little: run it when nobody else needs the
    network.

    Exit code 1 if the answer is not clear.
    """
    from suiro.bench.launcher import launcher_prefix, mpi_of
    from suiro.errors import UsageError
    from suiro.probe.measure import probe_switch
    from suiro.probe.rules import check_target

    if not switch:
        raise UsageError("say what to probe: there is --switch")
    if mpi not in (None, "openmpi", "mpich"):
        raise UsageError(f'--mpi "{mpi}": give openmpi or mpich')
    if write_rules is not None:
        check_target(write_rules)
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi, bool(launcher)))
    prefix = launcher_prefix(launcher or [])
    mpi = mpi or mpi_of(prefix)
    result = probe_switch(prefix, mpi, interface, ppn, repeat_command())
    _show(result, json)
    if write_rules is not None:
        _write(result, mpi, write_rules)
    raise typer.Exit(1 if result.finding.kind == "not_clear" else 0)


def _show(result: "Probe", json: bool) -> None:
    from rich.console import Console

    from suiro.probe.report import print_probe

    if json:
        print(result.model_dump_json(indent=1))
    else:
        print_probe(result, Console(width=None if sys.stdout.isatty() else 100))


def _write(result: "Probe", mpi: str, target: Path) -> None:
    """Says so on standard error, since standard output may be one document."""
    from datetime import datetime

    from suiro.probe.rules import write_rules

    if result.finding.kind == "not_clear":
        sys.stderr.write(f"suiro: {target} is not written, since the answer is not clear\n")
        return
    lines = write_rules(target, result, mpi, datetime.now())
    what = f"{lines} rules" if lines else "no rules: what is built in stays as it is"
    sys.stderr.write(f"suiro: wrote {target}: {what}\n")
