# SPDX-License-Identifier: BSD-3-Clause
"""`suiro tune`: finds the fastest algorithms of a cluster and writes them where MPIs read them."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suiro import variables
from suiro.cli.bench import LauncherArgument, check_mpi
from suiro.cli.in_lab import repeat_command, run_in_lab

if TYPE_CHECKING:
    from suiro.tune.export import Target
    from suiro.tune.plans import Wish
    from suiro.tune.run import Outcome, Request

_SIZES = "1K,8K,64K,512K"

CollectivesArgument = Annotated[
    str, typer.Argument(metavar="COLLECTIVE,...", help="As MPI has them: bcast,allreduce; or all.")
]
RootOption = Annotated[
    int | None, typer.Option(min=0, metavar="RANK", help="The root [default: 1].")
]
SizesOption = Annotated[
    str,
    typer.Option(
        metavar="A,B,FIRST-LAST:STEP",
        help="Bytes, as suiro bench takes them [default: 1K,8K,64K,512K].",
    ),
]
NativeOption = Annotated[
    bool,
    typer.Option("--native", help="Compare the MPI's own algorithms, not suiro's."),
]
StrategyOption = Annotated[
    str,
    typer.Option(metavar="a|b|c", help="a: by model; b: everything, so many times; c: search."),
]
BudgetOption = Annotated[
    str, typer.Option(metavar="TIME", help="Measure no longer than this: 90s, 5m, 1h.")
]
RepeatOption = Annotated[
    int, typer.Option(min=2, metavar="N", help="Calls of each candidate, of strategy b.")
]
WithoutOption = Annotated[
    str, typer.Option(metavar="A,B", help="Algorithms that are not to be tried.")
]
ExportOption = Annotated[
    list[str] | None,
    typer.Option(metavar="KIND:FILE", help="openmpi:, openmpi2:, mpich: or suiro:, and a file."),
]
ClusterOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The network, for the model: cluster.toml.")
]
PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw time over size into this SVG file; one collective."),
]
RanksOption = Annotated[
    str,
    typer.Option(metavar="A,B", help="In communicators of the first so many ranks [default: all]."),
]
LikeOption = Annotated[
    Path | None,
    typer.Option(metavar="TRACE", help="Tune what a program calls, from `suiro run --trace`."),
]
AgainOption = Annotated[
    bool, typer.Option("--again", help="Measure also what the store knows already.")
]


def tune(
    collectives: CollectivesArgument,
    launcher: LauncherArgument = None,
    lab: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Make this lab and measure in it.")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(metavar="openmpi|mpich", help="Which MPI [default: the launcher's]."),
    ] = None,
    sizes: SizesOption = "",
    native: NativeOption = False,
    strategy: StrategyOption = "c",
    budget: BudgetOption = "15m",
    repeat: RepeatOption = 100,
    root: RootOption = None,
    without: WithoutOption = "",
    export: ExportOption = None,
    cluster: ClusterOption = None,
    ranks: RanksOption = "",
    like: LikeOption = None,
    again: AgainOption = False,
    plot: PlotOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find the fastest algorithm of each size by measuring, and write it down for suiro or the MPI.

    In a lab:       suiro tune bcast,allreduce --lab 8x4-shared --sizes 1000-10000:1000,64K

    For a plain MPI: suiro tune bcast --native --export openmpi:bcast.rules -- mpirun -np 64

    What a program calls, at its sizes, in communicators of its sizes:

    suiro tune all --like trace.jsonl --export suiro:app.json -- mpirun -np 64 --hostfile hosts

    Of candidates that the model does not rule out the better ones go on from round to round; the
    last round is measured afresh, and the default stays unless another is faster by more than
    chance. What was measured is kept in SUIRO_STORE and is not measured again: so an interrupted
    run goes on where it was. An exported file is proven: the MPI reads it, and data arrive.
    """
    from suiro.tune.plans import Manner, plans
    from suiro.tune.run import run
    from suiro.tune.sizes import parse_time

    check_mpi(mpi)
    targets = _targets(export or [], native, strategy)
    owner = _owner(native, mpi, launcher)
    left_out = frozenset(filter(None, without.split(",")))
    wishes = _wishes(collectives, sizes, ranks, like, owner, quiet=lab is not None)
    planned = plans(wishes, Manner(strategy, root, repeat, owner, left_out))
    budget_s = parse_time(budget)
    _check_plot(plot, len(planned))
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi, bool(launcher)))
    request = _request(launcher or [], mpi, native, strategy, budget_s, again, cluster)
    _check_mpi(targets, request.mpi)
    request = replace(request, plans=planned, targets=targets)
    _conclude(request, run(request, _tell), json, plot)


def _owner(native: bool, mpi: str | None, launcher: list[str] | None) -> str:
    """The MPI whose own algorithms are compared; none if suiro's are. A lab is asked inside it."""

    from suiro.bench.launcher import launcher_prefix, mpi_of

    if not native:
        return ""
    if mpi is not None:
        return mpi
    if not launcher and not variables.text("SUIRO_LAB_MPIRUN"):
        return "openmpi"
    return mpi_of(launcher_prefix(launcher or []))


def _wishes(
    names: str, sizes: str, ranks: str, like: Path | None, owner: str, quiet: bool
) -> "list[Wish]":
    """`quiet`: what is wrong with a trace will be said by the command inside the lab."""
    from suiro.errors import UsageError
    from suiro.output import say
    from suiro.tune.like import like as wishes_of
    from suiro.tune.plans import parse_ranks, wishes
    from suiro.tune.sizes import parse_grid

    if like is None:
        return wishes(names, parse_grid(sizes or _SIZES), parse_ranks(ranks), owner)
    if sizes or ranks:
        raise UsageError("--like: sizes and ranks are those of the trace: leave out --sizes and "
                         "--ranks")  # fmt: skip
    found = wishes_of(like, names, owner)
    for remark in () if quiet else found.remarks:
        say(remark)
    return found.wishes


def _conclude(request: "Request", outcome: "Outcome", json: bool, plot: Path | None) -> None:
    """What was measured is shown first. No step that fails keeps another one from being done."""
    from suiro.errors import SuiroError
    from suiro.output import say
    from suiro.tune import table
    from suiro.tune.run import export_all

    steps: list[Callable[[], None]] = [
        partial(export_all, request, outcome, _tell),
        partial((table.print_json if json else table.print_files), request, outcome),
        partial(_draw, plot, outcome),
    ]
    if not json:
        steps = [partial(table.print_tunings, request, outcome), sys.stdout.flush, *steps]
    failed: list[SuiroError] = []
    for step in steps:
        try:
            step()
        except SuiroError as error:
            failed.append(error)
    for line in [*outcome.remarks, *outcome.lost]:
        say(line)
    if failed:
        raise failed[0]
    if outcome.interrupted or outcome.lost:
        raise typer.Exit(130 if outcome.interrupted else 1)


def _check_plot(plot: Path | None, collectives: int) -> None:
    from suiro.bench.plot import check_plot_target
    from suiro.errors import UsageError

    if plot is not None and collectives > 1:
        raise UsageError("--plot draws one collective: name one")
    if plot is not None:
        check_plot_target(plot)


def _draw(plot: Path | None, outcome: "Outcome") -> None:
    """What cannot be drawn is told with the rest."""
    from suiro.output import WriteError, write_file
    from suiro.report.tuning import tuning_figure

    if plot is None or not outcome.tunings or not outcome.tunings[0].verdicts:
        return
    try:
        write_file(plot, tuning_figure(outcome.tunings[0]), "--plot")
    except WriteError as error:
        outcome.lost.append(str(error))


def _targets(texts: list[str], native: bool, strategy: str) -> "list[Target]":
    """What cannot work is said before a cluster is started for it."""
    from suiro.errors import UsageError, check_choice
    from suiro.output import check_place
    from suiro.tune.export import parse_target

    check_choice("--strategy", strategy, ("a", "b", "c"))
    targets = [parse_target(text) for text in texts]
    for target in targets:
        check_place(target.path, "--export")
    if native and any(target.kind == "suiro" for target in targets):
        raise UsageError("--export suiro: needs suiro's algorithms: leave out --native")
    for kind, owner in (("openmpi", "Open MPI"), ("mpich", "MPICH")):
        if not native and any(target.kind == kind for target in targets):
            raise UsageError(f"--export {kind}: needs {owner}'s own algorithms: add --native")
    return targets


def _check_mpi(targets: "list[Target]", mpi: str) -> None:
    from suiro.errors import UsageError

    for target in targets:
        if target.kind != "suiro" and not mpi.startswith(target.kind):
            raise UsageError(f"--export {target.kind}: the launcher is of another MPI, {mpi}")


def _request(
    launcher: list[str],
    mpi: str | None,
    native: bool,
    strategy: str,
    budget_s: float,
    again: bool,
    cluster: Path | None,
) -> "Request":
    from suiro.bench.launcher import launcher_prefix, mpi_of
    from suiro.tune.run import Request

    prefix = launcher_prefix(launcher)
    mpi = mpi or mpi_of(prefix)
    return Request(
        plans=[],
        prefix=prefix,
        mpi=mpi,
        native=native,
        strategy=strategy,
        budget_s=budget_s,
        again=again,
        targets=[],
        origin=repeat_command(),
        cluster=cluster,
    )


def _tell(line: str) -> None:
    """Progress on standard error; on a terminal one line that changes."""
    from suiro.output import say

    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{line}")
    else:
        say(line)
