# SPDX-License-Identifier: BSD-3-Clause
"""`suiro bench-transport`: suiro's transport against what an MPI has by itself."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from suiro.cli.in_lab import repeat_command, run_in_lab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suiro.bench.transports import Comparison, Comparisons, Row, Transport
    from suiro.bench.workloads import Workload

LauncherArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[-- LAUNCHER...]", help="A launcher prefix: mpirun -np 2."),
]
ProgramOption = Annotated[
    str | None,
    typer.Option(
        metavar="COMMAND", help="Instead of kernels, a program of yours with its arguments."
    ),
]
SecondsFromOption = Annotated[
    str | None,
    typer.Option(
        metavar="REGEX",
        help="Finds, as its one group, the seconds that the program prints [default: its time "
        "from start to end].",
    ),
]
KernelsOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="pingpong, stream, cold, lone, beside, flood; behind 5 ms of computation: phase; "
        "behind a second: receive, send, resume; "
        "allgather, halo, and like NPB: is, ft, cg, sweep (BT, SP), grid (MG), wave (LU) "
        "[default: pingpong,stream].",
    ),
]
TransportsOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="What to compare with the first [default: all that this MPI has]. "
        "NAME:VARIABLE=VALUE is one with other settings, + in a value a comma.",
    ),
]
LinksOption = Annotated[
    str | None,
    typer.Option(
        metavar="N,M",
        help="Over so many links of each host: the first ones of a lab's, or of those that "
        "SUIRO_NETS names; for suiro and Open MPI's tcp.",
    ),
]


def bench_transport(
    launcher: LauncherArgument = None,
    lab: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Make this lab and measure in it.")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(
            metavar="openmpi|openmpi5|mpich5",
            help="Which MPI the launcher is of [default: what it says of itself].",
        ),
    ] = None,
    program: ProgramOption = None,
    seconds_from: SecondsFromOption = None,
    kernels: KernelsOption = None,
    sizes: Annotated[
        str, typer.Option(metavar="A,B", help="Bytes per message of a kernel; K and M are 1024s.")
    ] = "8,48K,1M",
    transports: TransportsOption = None,
    links: LinksOption = None,
    repeat: Annotated[int, typer.Option(min=1, metavar="N", help="Jobs per transport.")] = 5,
    calls: Annotated[int, typer.Option(min=1, metavar="N", help="Calls of a kernel per job.")] = 10,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Compare suiro's transport with those of the MPI: jobs in turns, ratios with intervals.

    In a lab:             suiro bench-transport --lab 2x1-wire --kernels pingpong --sizes 8,48K

    On your own cluster:  suiro bench-transport -- mpirun -np 2 --map-by node

    Your own program:     suiro bench-transport --program "./app input" -- mpirun -np 64

    Is a link more use?   suiro bench-transport --lab four-rails --kernels ft --links 1,2,4

    Two settings:         suiro bench-transport --transports suiro,suiro:SUIRO_NET_RAILS=striped ...
    """
    from suiro.bench.links import links_here, over_links, parse_links

    workloads = _workloads(program, seconds_from, kernels, sizes, calls)
    counts = parse_links(links) if links is not None else None
    _refuse_early(mpi)
    prefix = _prefix(launcher or [], lab, mpi)
    generation, chosen = _transports(prefix, mpi, transports)
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, generation.rstrip("5"), bool(launcher)))
    if counts is not None:
        chosen = over_links(chosen, counts, links_here())
    _show(_compare(workloads, generation, prefix, chosen, repeat), json)


def _compare(
    workloads: "Sequence[Workload]",
    generation: str,
    prefix: list[str],
    chosen: "list[Transport]",
    repeat: int,
) -> "Comparisons":
    from suiro.bench.transports import Comparisons, compare, name_of
    from suiro.provenance import describe_machine, now, provenance

    measured_at = now()
    compared = partial(compare, mpi=generation, prefix=prefix, transports=chosen, jobs=repeat)
    machine = describe_machine(name_of(prefix, generation), None)
    return Comparisons(
        **dict(provenance(repeat_command(), machine, measured_at)),
        comparisons=[compared(workload) for workload in workloads],
    )


def _refuse_early(mpi: str | None) -> None:
    from suiro.bench.transports import TRANSPORTS
    from suiro.errors import check_choice

    if mpi is not None:
        check_choice("--mpi", mpi, [*TRANSPORTS])


def _prefix(launcher: list[str], lab: str | None, mpi: str | None) -> list[str]:
    """The launcher, or that which the lab will have."""
    if lab is None:
        from suiro.bench.launcher import launcher_prefix

        return launcher_prefix(launcher)
    from suiro.errors import MachineError
    from suiro.lab.environment import launcher_for

    prefix = launcher_for(mpi and mpi.rstrip("5"), under_slurm=False)[1]
    if not prefix:
        raise MachineError("no mpirun or mpiexec on the PATH: apt-get install openmpi-bin")
    return prefix


def _transports(
    prefix: list[str], mpi: str | None, labels: str | None
) -> "tuple[str, list[Transport]]":
    """The MPI, and what to compare; wrong words are refused before a cluster is started for
    them."""
    from suiro.bench.transports import TRANSPORTS, generation_of, parse_transports

    generation = generation_of(prefix, mpi)
    given = labels.split(",") if labels else list(TRANSPORTS[generation])
    return generation, parse_transports(generation, given)


def _workloads(
    program: str | None, seconds_from: str | None, kernels: str | None, sizes: str, calls: int
) -> "Sequence[Workload]":
    """The program, or every kernel with every size."""
    from suiro.bench.plan import parse_sizes
    from suiro.bench.workloads import parse_kernels, parse_program
    from suiro.errors import UsageError

    if program is None:
        if seconds_from is not None:
            raise UsageError("--seconds-from is for a program: give --program")
        return list(parse_kernels(kernels or "pingpong,stream", parse_sizes(sizes), calls))
    if kernels is not None:
        raise UsageError("give --program or --kernels, not both")
    return [parse_program(program, seconds_from)]


def _show(compared: "Comparisons", json: bool) -> None:
    if json:
        print(compared.model_dump_json(indent=1))
        return
    from suiro.text_table import print_table

    against = f"its time / {compared.comparisons[0].rows[0].transport}'s"
    rows = [_cells(result, row, against) for result in compared.comparisons for row in result.rows]
    print_table(rows, left=(), least=("processor time",), sentences=("kernel", "transport"))


def _cells(result: "Comparison", row: "Row", against: str) -> dict[str, str]:
    from suiro.quantities import size_text, time_text
    from suiro.text_table import NOTHING

    ratio = NOTHING
    if row.ratio is not None and row.ratio_interval is not None:
        low, high = row.ratio_interval
        ratio = f"{row.ratio:.2f} [{low:.2f}, {high:.2f}]"
    return {
        "kernel": result.kernel,
        "bytes": NOTHING if result.bytes is None else size_text(result.bytes),
        "transport": row.transport,
        "time": time_text(row.seconds),
        "processor time": NOTHING if row.processor_s is None else time_text(row.processor_s),
        against: ratio,
    }
