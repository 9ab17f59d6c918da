# SPDX-License-Identifier: BSD-3-Clause
"""`suiro bench`: measures a collective, in a lab or on the user's own cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suiro.cli.in_lab import repeat_command, run_in_lab

if TYPE_CHECKING:
    from suiro.bench.every import Everything
    from suiro.bench.plan import Plan
    from suiro.bench.result import Result

_COMPARED = "native,auto"
_ALL = "all"


def _complete(begun: str) -> list[str]:
    """The collectives that the word may become; none where the native tools are missing."""
    from suiro.bench.catalog import collectives
    from suiro.errors import SuiroError

    try:
        return [name for name in (*collectives(), _ALL) if name.startswith(begun)]
    except SuiroError:
        return []


CollectiveArgument = Annotated[
    str,
    typer.Argument(
        metavar="COLLECTIVE",
        help="As MPI has it, in small letters: bcast. Or all.",
        autocompletion=_complete,
    ),
]
LauncherArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- LAUNCHER...]", help="A launcher prefix, such as mpirun -np 16."),
]
AlgorithmsOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B", help="What to compare; native is the MPI's own [default: native,auto]."
    ),
]
RepeatOption = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Repetitions [default: 200 below 4K, 50 below 32K, 10; all: 20]."
    ),
]
BudgetOption = Annotated[
    float | None,
    typer.Option(
        min=1,
        metavar="SECONDS",
        help="Cut the repetitions of a size to this time [default: 600; all: 20].",
    ),
]
LinkRateOption = Annotated[
    str | None,
    typer.Option(metavar="RATE", help="Bit/s of a link of your network, such as 1G."),
]
SizesOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="Bytes of a block, from one rank or for one rank, or of the whole message; of all, "
        "bytes through the busiest link. K and M are 1024s [default: 32K,256K; all: 64K,1M].",
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
    algorithms: AlgorithmsOption = None,
    sizes: SizesOption = None,
    root: RootOption = None,
    repeat: RepeatOption = None,
    budget: BudgetOption = None,
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

    Every collective: suiro bench all --lab 4x4-hol --sizes 64K,1M

    A line of the table: the median time of a call until the last rank is done, its 95 % interval,
    and the mean over ranks; what the busiest node moves in that time, also over what one TCP stream
    reaches (/ line) and the network allows (/ bound), or, where links have no rate, the processor
    time of the rank that took most (busiest); native's and the control's (native's algorithm, run
    by suiro) time over it. The first call of each algorithm is not counted, and what it delivers is
    checked.

    All collectives are compared at bytes that the busiest link must carry, whatever the algorithm:
    native against what suiro chooses.
    """
    options = _Options(sizes, root, repeat, budget, interface, link_rate)
    check_mpi(mpi)
    what: Plan | Everything
    if collective == _ALL:
        _check_left_out(algorithms=algorithms, spread=spread, steps=steps or None, plot=plot)
        what = options.everything()
    else:
        what = options.plan(collective, algorithms or _COMPARED, steps, spread)
        _check_plot(plot, what.collective.has_data)
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi, bool(launcher)))
    _measure_and_show(what, launcher or [], mpi, json, plot, save)


@dataclass(frozen=True)
class _Options:
    """What is asked for of one collective as well as of all."""

    sizes: str | None
    root: int | None
    repeat: int | None
    budget_s: float | None
    interface: str
    link_rate: str | None

    @property
    def link_rate_bps(self) -> int | None:
        from suiro.bench.plan import parse_rate

        return parse_rate(self.link_rate) if self.link_rate else None

    def plan(self, name: str, algorithms: str, steps: bool, spread: int | None) -> "Plan":
        """Of one collective; what cannot work is said before a cluster is started for it."""
        from suiro.bench import plan as plans
        from suiro.bench.catalog import find_collective

        collective = find_collective(name)
        plans.check_steps(collective, steps)
        plan = plans.Plan(
            collective=collective,
            algorithms=plans.parse_algorithms(algorithms),
            sizes=plans.sizes_of(collective, self.sizes),
            repeat=self.repeat,
            budget_s=self.budget_s or plans.DEFAULT_BUDGET_S,
            steps=steps,
            interface=self.interface,
            link_rate_bps=self.link_rate_bps,
            spread_percent=plans.spread_of(collective, spread),
            root=plans.root_of(collective, self.root),
        )
        plans.check_algorithms(collective, plan.algorithms)
        return plan

    def everything(self) -> "Everything":
        from suiro.bench import every
        from suiro.bench.plan import parse_sizes

        return every.Everything(
            sizes=parse_sizes(every.DEFAULT_SIZES if self.sizes is None else self.sizes),
            repeat=self.repeat or every.DEFAULT_REPEAT,
            budget_s=self.budget_s or every.DEFAULT_BUDGET_S,
            interface=self.interface,
            link_rate_bps=self.link_rate_bps,
            root=self.root,
        )


def check_mpi(mpi: str | None) -> None:
    from suiro.errors import check_choice

    if mpi is not None:
        check_choice("--mpi", mpi, ("openmpi", "mpich"))


def _check_left_out(**given: object) -> None:
    from suiro.errors import UsageError

    for name, value in given.items():
        if value is not None:
            raise UsageError(f"--{name} is for one collective: leave it out, or name one")


def _check_plot(plot: Path | None, has_data: bool) -> None:
    from suiro.bench.plot import check_plot_target
    from suiro.errors import UsageError

    if plot is not None and not has_data:
        raise UsageError("--plot draws bandwidth, and a call without data has none")
    if plot is not None:
        check_plot_target(plot)


def _measure_and_show(
    what: "Plan | Everything",
    launcher: list[str],
    mpi: str | None,
    json: bool,
    plot: Path | None,
    save: Path | None,
) -> None:
    from suiro.bench.every import Everything
    from suiro.bench.job import raw_record
    from suiro.bench.launcher import launcher_prefix, mpi_of
    from suiro.bench.measure import measure, measure_all
    from suiro.bench.plot import save_plot
    from suiro.output import write_file

    prefix = launcher_prefix(launcher)
    mpi = mpi or mpi_of(prefix)
    record = raw_record(save) if save is not None else None
    if isinstance(what, Everything):
        result = measure_all(what, prefix, mpi, repeat_command(), record)
    else:
        result = measure(what, prefix, mpi, repeat_command(), record)
    _show(result, isinstance(what, Everything), json)
    if save is not None and record is not None:
        write_file(save / "result.json", result.model_dump_json(indent=1) + "\n", "--save")
        record.close()
    if plot is not None:
        save_plot(result, plot)


def _show(result: "Result", everything: bool, json: bool) -> None:
    from suiro.bench.every_table import print_every
    from suiro.bench.table import print_result
    from suiro.bench.wide_area import model_lines
    from suiro.output import console

    if json:
        print(result.model_dump_json(indent=1))
    elif everything:
        print_every(result, console(124))
    else:
        print_result(result, console(112))
        lines = model_lines(result)
        if lines:
            print("the wide-area paper's models (its table 2):", *lines, sep="\n")
