# SPDX-License-Identifier: BSD-3-Clause
"""`suiro probe`: what the user's own network does."""

import sys
from typing import Annotated

import typer

from suiro.cli.in_lab import repeat_command, run_in_lab


def probe(
    launcher: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- LAUNCHER...]",
            help="A launcher prefix, such as mpirun -np 4 --map-by ppr:1:node.",
        ),
    ] = None,
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
    ppn: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Predict for N ranks per node [default: as launched]."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find out how the switch between your hosts queues, and what that costs an all-to-all.

    On your own cluster:  suiro probe --switch -- mpirun -np 4 --map-by ppr:1:node

    In a lab:             suiro probe --switch --lab 4x4-hol

    Tells head-of-line blocking, pause frames, loss where many send to one, and none of these (as
    with virtual output queues) apart. It takes 4 hosts or more, uses 8 at most, and fills their
    links for about 3 s: run it when nobody else needs the network.

    Exit code 1 if the answer is not clear.
    """
    from suiro.bench.launcher import launcher_prefix, mpi_of
    from suiro.errors import UsageError

    if not switch:
        raise UsageError("say what to probe: there is --switch")
    if mpi not in (None, "openmpi", "mpich"):
        raise UsageError(f'--mpi "{mpi}": give openmpi or mpich')
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi, bool(launcher)))
    prefix = launcher_prefix(launcher or [])
    _probe_and_show(prefix, mpi or mpi_of(prefix), interface, ppn, json)


def _probe_and_show(
    prefix: list[str], mpi: str, interface: str, ppn: int | None, json: bool
) -> None:
    from rich.console import Console

    from suiro.probe.measure import probe_switch
    from suiro.probe.report import print_probe

    result = probe_switch(prefix, mpi, interface, ppn, repeat_command())
    if json:
        print(result.model_dump_json(indent=1))
    else:
        print_probe(result, Console(width=None if sys.stdout.isatty() else 100))
    raise typer.Exit(1 if result.finding.kind == "not_clear" else 0)
