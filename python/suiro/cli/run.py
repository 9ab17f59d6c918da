# SPDX-License-Identifier: BSD-3-Clause
"""`suiro run`: the options, and one call."""

import math
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

# Everything from the launcher on belongs to the launcher.
CONTEXT = {"allow_interspersed_args": False}

ClusterOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The sites of the nodes, by suiro probe --sites."),
]
ToleranceOption = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="How far an operation of the program's own may round, of the operands.",
    ),
]
ExplainJsonOption = Annotated[
    bool, typer.Option("--explain-json", hidden=True, help="The same as --explain=json.")
]
MpiOption = Annotated[
    str | None,
    typer.Option(metavar="auto|openmpi|mpich|mpi_abi", help="Whose library to preload."),
]
TransportOption = Annotated[
    str, typer.Option(metavar="mpi|suiro", help="What carries messages: MPI's own, or suiro's.")
]
LinkRateOption = Annotated[
    float | None,
    typer.Option(metavar="BITS_PER_SECOND", help="Of a node's link, for --explain's bound."),
]
LearnOption = Annotated[
    str,
    typer.Option(
        metavar="data|reductions",
        help="Hold predictions against native in the job's own calls: of what only moves data, or "
        "of reductions, too, whose last bits may then change within the job.",
    ),
]
NoLearnOption = Annotated[
    bool, typer.Option("--no-learn", help="Keep to the predictions.", show_default=False)
]
ReproducibleOption = Annotated[
    bool,
    typer.Option(
        "--reproducible",
        help="Choose no reduction by what was measured, so that jobs on equal nodes have equal "
        "bits.",
    ),
]
StoreOption = Annotated[
    bool,
    typer.Option(
        "--store/--no-store",
        help="Begin with what earlier jobs have shown, and keep what this does.",
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Exit with 3 where suiro cannot work.")
]
ForceOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLLECTIVE=ALGORITHM",
        help="Force one, as SUIRO_BCAST and so on do; also --bcast ALGORITHM and so on.",
    ),
]


class RunCommand(TyperCommand):
    """An option with a value that may be missing, --explain and --explain=json; and --bcast
    ALGORITHM, and so on for each collective, for --force bcast=ALGORITHM."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # else the shell asks how a word may end
            args = _in_full(args, self.get_params(ctx))
        return super().parse_args(ctx, args)


def _in_full(words: list[str], parameters: list[Any]) -> list[str]:
    """With options that `parameters` have. What comes behind them is the launcher's."""
    options = {name: one for one in parameters for name in (*one.opts, *one.secondary_opts)}
    full: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("--") and rest[0] != "--":
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if option == "--explain" and equals:
            full.append(_explain(value))
        elif option in options:
            takes_next = not equals and not options[option].is_flag
            full += [word, *([rest.pop(0)] if takes_next and rest else [])]
        else:
            algorithm = value if equals or not rest else rest.pop(0)
            full.append(f"--force={_collective(option, [*options])}={algorithm}")
    return full + rest


def _explain(value: str) -> str:
    from suiro.errors import check_choice

    check_choice("--explain", value, ["json"])
    return "--explain-json"


def _collective(option: str, options: list[str]) -> str:
    """The native tool, which knows the collectives, is asked only where one may be named."""
    from suiro.errors import UsageError, did_you_mean

    names = {f"--{name.replace('_', '-')}": name for name in _collective_names()}
    if option not in names:
        near = did_you_mean(option, [*options, *names])
        raise UsageError(f"there is no option {option}{near}")
    return names[option]


def _collective_names() -> list[str]:
    """None where the native tools are missing: what needs them will say so."""
    from suiro.bench.catalog import collectives
    from suiro.errors import SuiroError

    try:
        return list(collectives())
    except (SuiroError, OSError, ValueError):
        return []


def run(
    command: Annotated[
        list[str], typer.Argument(metavar="-- LAUNCHER ARGS...", help="The command that you have.")
    ],
    explain: Annotated[
        bool,
        typer.Option("--explain", help="At the end, tell what ran, why, and how fast. Also =json."),
    ] = False,
    explain_json: ExplainJsonOption = False,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write each call as a line of JSON.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run native too, and compare bit for bit.")
    ] = False,
    check_tolerance: ToleranceOption = None,
    rules: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A rule file, as SUIRO_RULES.")
    ] = None,
    cluster: ClusterOption = None,
    force: ForceOption = None,
    mpi: MpiOption = None,
    transport: TransportOption = "mpi",
    link_rate: LinkRateOption = None,
    learn: LearnOption = "data",
    no_learn: NoLearnOption = False,
    reproducible: ReproducibleOption = False,
    store: StoreOption = True,
    strict: StrictOption = False,
) -> None:
    """Run an MPI job with suiro's collectives: put `suiro run --` before its command."""
    from suiro.run.job import Options
    from suiro.run.job import run as run_job

    _check(mpi, transport, link_rate)
    _check_files({"--rules": rules, "--cluster": cluster, "--trace": trace})
    _check_tolerance(check_tolerance)
    _check_learn(learn, no_learn=no_learn, reproducible=reproducible)
    _check_settings(strict, rules)
    options = Options(
        explain="json" if explain_json else "table" if explain else None,
        trace=trace,
        check=check or check_tolerance is not None,
        check_tolerance=check_tolerance,
        rules=rules,
        forced=_forced(force or []),
        mpi=None if mpi == "auto" else mpi,
        learn=not no_learn,
        learn_reductions=learn == "reductions",
        reproducible=reproducible,
        store=store,
        strict=strict,
        link_rate_bps=link_rate,
        transport=transport,
        cluster=cluster,
    )
    raise typer.Exit(run_job(command, options))


def _check_learn(learn: str, *, no_learn: bool, reproducible: bool) -> None:
    from suiro.errors import UsageError, check_choice

    check_choice("--learn", learn, ("data", "reductions"))
    if learn == "reductions" and (no_learn or reproducible):
        other = "--no-learn" if no_learn else "--reproducible"
        raise UsageError(f"--learn reductions and {other} say the opposite: leave one out")


def _check_tolerance(share: float | None) -> None:
    from suiro.errors import UsageError

    if share is not None and not 0 <= share < math.inf:
        raise UsageError("--check-tolerance: expected a share from 0, such as 1e-9")


def _forced(given: list[str]) -> dict[str, str]:
    from suiro.errors import UsageError

    if not given:
        return {}
    known = _collective_names()
    forced = {}
    for text in given:
        collective, equals, algorithm = text.partition("=")
        if not equals or not algorithm:
            raise UsageError(f"--force {text}: expected COLLECTIVE=ALGORITHM, as bcast=pipeline")
        if known:
            _check_forced(f"--force {collective}", collective, algorithm)
        forced[collective] = algorithm
    return forced


def _check_forced(setting: str, collective: str, algorithm: str) -> None:
    from suiro.bench.catalog import find_collective
    from suiro.bench.plan import check_algorithms
    from suiro.errors import UsageError

    try:
        check_algorithms(find_collective(collective), (algorithm,))
    except UsageError as error:
        raise UsageError(f"{setting}={algorithm}: {error}") from None


def _check_settings(strict: bool, rules: Path | None) -> None:
    """What ranks would only complain of, and then run natively."""
    import os

    from suiro import variables
    from suiro.rules.files import read

    if not strict:
        return
    for collective in _collective_names():
        name = f"SUIRO_{collective.upper()}"
        if os.environ.get(name):
            _check_forced(name, collective, os.environ[name])
    file = rules or variables.text("SUIRO_RULES")
    if file:
        read(Path(file))


def _check(mpi: str | None, transport: str, link_rate: float | None) -> None:
    from suiro.errors import UsageError, check_choice

    if mpi is not None:
        check_choice("--mpi", mpi, ("auto", "openmpi", "mpich", "mpi_abi"))
    check_choice("--transport", transport, ("mpi", "suiro"))
    if link_rate is not None and link_rate <= 0:
        raise UsageError("--link-rate: expected bits per second above 0, such as 1e9")


def _check_files(given: dict[str, Path | None]) -> None:
    from suiro.errors import UsageError

    for option, path in given.items():
        if path == Path():  # of an empty word, too
            raise UsageError(f"{option}: expected the name of a file")
    rules = given["--rules"]
    if rules is not None and not rules.is_file():
        raise UsageError(f"--rules {rules}: no such file")
