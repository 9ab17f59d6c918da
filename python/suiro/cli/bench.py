# SPDX-License-Identifier: BSD-3-Clause
"""`suiro bench`: measures a collective, in a lab or on the user's own cluster."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suiro.cli.in_lab import repeat_command, run_in_lab

if TYPE_CHECKING:
    from suiro.bench.plan import Plan

CollectiveArgument = Annotated[
    str, typer.Argument(metavar="COLLECTIVE", help="alltoall, alltoallv or alltoallw")
]
LauncherArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- LAUNCHER...]", help="A launcher prefix, such as mpirun -np 16."),
]
RepeatOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Repetitions [default: 200 below 4K, 50 below 32K, 10]."),
]
BudgetOption = Annotated[
    float,
    typer.Option(min=1, metavar="SECONDS", help="Cut the repetitions of a size to this time."),
]
LinkRateOption = Annotated[
    str | None,
    typer.Option(metavar="RATE", help="Bit/s of a link of your network, such as 1G."),
]
SpreadOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=100,
        metavar="PERCENT",
        help="How much larger or smaller blocks of alltoallv and alltoallw are [default: 50].",
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw bandwidth over size into this SVG file."),
]
SaveOption = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Keep raw samples and the result in this folder."),
]


def bench(
    collective: CollectiveArgument,
    launcher: LauncherArgument = None,
    lab: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Make this lab and measure in it.")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(metavar="openmpi|mpich", help="Which MPI [default: the launcher's]."),
    ] = None,
    algorithms: Annotated[
        str, typer.Option(metavar="A,B", help="What to compare; native is the MPI's own.")
    ] = "native,ring,two_level_ring",
    sizes: Annotated[
        str, typer.Option(metavar="A,B", help="Bytes per block; K and M are 1024s.")
    ] = "32K,256K",
    repeat: RepeatOption = None,
    budget: BudgetOption = 600,
    steps: Annotated[
        bool, typer.Option("--steps", help="Time each round of the schedules, too.")
    ] = False,
    interface: Annotated[
        str, typer.Option(metavar="NAME", help="Network interface of the control flow.")
    ] = "-",
    link_rate: LinkRateOption = None,
    spread: SpreadOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    plot: PlotOption = None,
    save: SaveOption = None,
) -> None:
    """Measure a collective; all algorithms in one job, interleaved, against native and a control.

    In a lab:             suiro bench alltoall --lab 4x4-hol --algorithms native,ring

    On your own cluster:  suiro bench alltoall -- mpirun -np 16 --hostfile hosts
    """
    from suiro.bench import plan as plans

    _refuse_early(collective, mpi, plot)
    plan = plans.Plan(
        collective=collective,
        algorithms=plans.parse_algorithms(algorithms),
        sizes=plans.parse_sizes(sizes),
        repeat=repeat,
        budget_s=budget,
        steps=steps,
        interface=interface,
        link_rate_bps=plans.parse_rate(link_rate) if link_rate else None,
        spread_percent=plans.spread_of(collective, spread, steps),
    )
    plans.check_algorithms(collective, plan.algorithms)
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi, bool(launcher)))
    _measure_and_show(plan, launcher or [], mpi, json, plot, save)


def _refuse_early(collective: str, mpi: str | None, plot: Path | None) -> None:
    """What cannot work is said before a cluster is started for it."""
    from suiro.bench.plan import COLLECTIVES
    from suiro.bench.plot import check_plot_target
    from suiro.errors import UsageError

    if collective not in COLLECTIVES:
        raise UsageError(f'cannot measure "{collective}" yet: there are {", ".join(COLLECTIVES)}')
    if mpi not in (None, "openmpi", "mpich"):
        raise UsageError(f'--mpi "{mpi}": give openmpi or mpich')
    if plot is not None:
        check_plot_target(plot)


def _measure_and_show(
    plan: "Plan",
    launcher: list[str],
    mpi: str | None,
    json: bool,
    plot: Path | None,
    save: Path | None,
) -> None:
    from rich.console import Console

    from suiro.bench.launcher import launcher_prefix, mpi_of
    from suiro.bench.measure import measure
    from suiro.bench.plot import save_plot
    from suiro.bench.table import print_result

    prefix = launcher_prefix(launcher)
    result = measure(plan, prefix, mpi or mpi_of(prefix), repeat_command(), save)
    if plot is not None:
        save_plot(result, plot)
    if json:
        print(result.model_dump_json(indent=1))
    else:
        print_result(result, Console(width=None if sys.stdout.isatty() else 100))
