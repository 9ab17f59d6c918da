# SPDX-License-Identifier: BSD-3-Clause
"""`suiro bench-transport`: suiro's transport against what an MPI has by itself."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from suiro.cli.in_lab import repeat_command, run_in_lab

if TYPE_CHECKING:
    from suiro.bench.transports import Comparison, Transport


def bench_transport(
    launcher: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- LAUNCHER...]", help="A launcher prefix: mpirun -np 2."),
    ] = None,
    lab: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Make this lab and measure in it.")
    ] = None,
    mpi: Annotated[
        str, typer.Option(metavar="openmpi|openmpi5|mpich5", help="Which MPI the launcher is of.")
    ] = "openmpi",
    kernels: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help="pingpong, stream; behind a second of computation: receive, send, resume; "
            "halo, and like NPB: is, ft, cg, sweep (BT, SP), grid (MG), wave (LU).",
        ),
    ] = "pingpong,stream",
    sizes: Annotated[
        str, typer.Option(metavar="A,B", help="Bytes per message; K and M are 1024s.")
    ] = "8,48K,1M",
    transports: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="What to compare with the first [default: all that this MPI has]. "
            "NAME:VARIABLE=VALUE is one with other settings, + in a value a comma.",
        ),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, metavar="N", help="Jobs per transport.")] = 5,
    calls: Annotated[int, typer.Option(min=1, metavar="N", help="Calls per job.")] = 10,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Compare suiro's transport with those of the MPI: jobs in turns, ratios with intervals.

    In a lab:             suiro bench-transport --lab 2x1-wire --kernels pingpong --sizes 8,48K

    On your own cluster:  suiro bench-transport -- mpirun -np 2 --map-by node

    Two settings:         suiro bench-transport --transports suiro,suiro:SUIRO_NET_RAILS=striped ...
    """
    from suiro.bench import plan as plans

    chosen, numbers = _checked(mpi, kernels, transports), plans.parse_sizes(sizes)
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi.rstrip("5"), bool(launcher)))
    from suiro.bench.launcher import launcher_prefix
    from suiro.bench.transports import compare

    compared = partial(
        compare,
        mpi=mpi,
        prefix=launcher_prefix(launcher or []),
        transports=chosen,
        jobs=repeat,
        calls=calls,
        command=repeat_command(),
    )
    _show([compared(kernel, size) for kernel in kernels.split(",") for size in numbers], json)


def _checked(mpi: str, kernels: str, transports: str | None) -> "list[Transport]":
    """What to compare; wrong words are refused before a cluster is started for them."""
    from suiro.bench.transports import KERNELS, TRANSPORTS, parse_transports
    from suiro.errors import UsageError

    if mpi not in TRANSPORTS:
        raise UsageError(f'--mpi "{mpi}": give {", ".join(TRANSPORTS)}')
    chosen = transports.split(",") if transports else list(TRANSPORTS[mpi])
    parsed = parse_transports(mpi, chosen)
    for kernel in kernels.split(","):
        if kernel not in KERNELS:
            raise UsageError(f'--kernels "{kernel}": there are {", ".join(KERNELS)}')
    return parsed


def _show(results: "list[Comparison]", json: bool) -> None:
    if json:
        print("[" + ",\n".join(result.model_dump_json(indent=1) for result in results) + "]")
        return
    from rich.console import Console
    from rich.table import Column, Table

    against = f"its time / {results[0].rows[0].transport}'s"
    table = Table(
        "kernel", "bytes", Column("transport", overflow="fold"), "us", "processor us", against
    )
    for result in results:
        for row in result.rows:
            ratio = ""
            if row.ratio is not None and row.ratio_interval is not None:
                low, high = row.ratio_interval
                ratio = f"{row.ratio:.2f} [{low:.2f}, {high:.2f}]"
            times = (f"{row.seconds * 1e6:.1f}", f"{row.processor_s * 1e6:.0f}")
            table.add_row(result.kernel, str(result.bytes), row.transport, *times, ratio)
    Console(width=None if sys.stdout.isatty() else 100).print(table)
