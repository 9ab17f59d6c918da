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
    str, typer.Argument(metavar="COLLECTIVE", help="As MPI has it, in small letters: bcast.")
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
SizesOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="Bytes of a block, of an all-to-all, or of the whole message; K and M are 1024s "
        "[default: 32K,256K].",
    ),
]
RootOption = Annotated[
    int | None,
    typer.Option(min=0, metavar="RANK", help="The root, where there is one [default: 1]."),
]
SpreadOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=100,
        metavar="PERCENT",
        help="How much larger or smaller blocks are that may differ [default: 50].",
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

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
StepsOption = Annotated[
    bool, typer.Option("--steps", help="Time each round of the schedules, too.")
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
    ] = "native,auto",
    sizes: SizesOption = None,
    root: RootOption = None,
    repeat: RepeatOption = None,
    budget: BudgetOption = 600,
    steps: StepsOption = False,
    interface: Annotated[
        str, typer.Option(metavar="NAME", help="Network interface of the control flow.")
    ] = "-",
    link_rate: LinkRateOption = None,
    spread: SpreadOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
    save: SaveOption = None,
) -> None:
    """Measure a collective; all algorithms in one job, interleaved, against native and a control.

    In a lab:         suiro bench bcast --lab 4x4-hol --sizes 64K --algorithms native,pipeline

    On your cluster:  suiro bench allreduce -- mpirun -np 16 --hostfile hosts

    A line of the table: the median time of a call and its 95 % interval; what the busiest node
    moves in that time, also over what one TCP stream reaches (/ line) and the network allows
    (/ bound); native's and the control's (native's algorithm, run by suiro) time over it. The first
    call of each algorithm is not counted, and what it delivers is checked.
    """
    from suiro.bench import plan as plans
    from suiro.bench.catalog import find_collective

    measured = find_collective(collective)
    _refuse_early(measured.has_data, mpi, plot)
    plans.check_steps(measured, steps)
    plan = plans.Plan(
        collective=measured,
        algorithms=plans.parse_algorithms(algorithms),
        sizes=plans.sizes_of(measured, sizes),
        repeat=repeat,
        budget_s=budget,
        steps=steps,
        interface=interface,
        link_rate_bps=plans.parse_rate(link_rate) if link_rate else None,
        spread_percent=plans.spread_of(measured, spread),
        root=plans.root_of(measured, root),
    )
    plans.check_algorithms(measured, plan.algorithms)
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi, bool(launcher)))
    _measure_and_show(plan, launcher or [], mpi, json, plot, save)


def _refuse_early(has_data: bool, mpi: str | None, plot: Path | None) -> None:
    """What cannot work is said before a cluster is started for it."""
    from suiro.bench.plot import check_plot_target
    from suiro.errors import UsageError

    if mpi not in (None, "openmpi", "mpich"):
        raise UsageError(f'--mpi "{mpi}": give openmpi or mpich')
    if plot is not None and not has_data:
        raise UsageError("--plot draws bandwidth, and a call without data has none")
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
