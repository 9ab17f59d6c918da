# SPDX-License-Identifier: BSD-3-Clause
"""`suiro probe`: what the user's own network does."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from suiro.cli.bench import check_mpi
from suiro.cli.in_lab import repeat_command, run_in_lab

if TYPE_CHECKING:
    from suiro.probe.answers import Answers
    from suiro.probe.measure import Probe
    from suiro.probe.sites import SitesProbe

LauncherArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- LAUNCHER...]",
        help="A launcher prefix, such as mpirun -np 4 --map-by ppr:1:node.",
    ),
]
SwitchOption = Annotated[
    bool, typer.Option("--switch", help="The two-target test: how does the switch queue?")
]
SitesOption = Annotated[
    bool, typer.Option("--sites", help="Which nodes are near each other, and what joins them?")
]
MpiOption = Annotated[
    str | None,
    typer.Option(metavar="openmpi|mpich", help="Which MPI [default: the launcher's]."),
]
InterfaceOption = Annotated[
    str, typer.Option(metavar="NAME", help="Network interface [default: the first one].")
]
PpnOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Predict for N ranks per node [default: as launched]."),
]
WriteClusterOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the answer for `suiro run` [default: cluster.toml, of --sites only].",
    ),
]
SvgOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the matrix of ways between nodes into this SVG file."),
]


def probe(
    launcher: LauncherArgument = None,
    switch: SwitchOption = False,
    sites: SitesOption = False,
    lab: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Make this lab and probe in it.")
    ] = None,
    mpi: MpiOption = None,
    interface: InterfaceOption = "-",
    ppn: PpnOption = None,
    write_cluster: WriteClusterOption = None,
    svg: SvgOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find out how the switch between your hosts queues, at which sites they are, or both.

    On your own cluster:  suiro probe --switch -- mpirun -np 4 --map-by ppr:1:node

    In a lab:             suiro probe --switch --lab 4x4-hol

    To use the answer:    suiro probe --switch --write-cluster FILE -- LAUNCHER
                          suiro run --cluster FILE -- LAUNCHER ./app

    Tells head-of-line blocking, pause frames, loss where many send to one, and none of these (as
    with virtual output queues) apart. It takes 4 hosts or more, uses 8 at most, and fills their
    links for about 3 s, once more if that tells too little: run it when nobody else needs the
    network.

    The sites:            suiro probe --sites -- mpirun -np 16 --map-by ppr:1:node

    To use them:          suiro run --cluster cluster.toml -- LAUNCHER ./app

    Times ways between pairs of nodes, tells sites by them, lets 1, 2, 4 and 8 pairs of nodes send
    from site to site until the sum grows no more, and writes cluster.toml.

    Both, in one file:    suiro probe --switch --sites -- mpirun -np 4 --map-by ppr:1:node

    Exit code 1 if the answer is not clear.
    """
    from suiro.bench.launcher import launcher_prefix, mpi_of
    from suiro.errors import UsageError
    from suiro.probe.answers import Answers

    if not switch and not sites:
        raise UsageError("say what to probe: --switch, --sites, or both")
    if not switch:
        _check_left_out("--switch", ppn=ppn)
    if not sites:
        _check_left_out("--sites", svg=svg)
    check_mpi(mpi)
    target = write_cluster or (Path("cluster.toml") if sites else None)
    _check_places(target, svg)
    if lab is not None:
        raise typer.Exit(run_in_lab(lab, mpi, bool(launcher)))
    prefix = launcher_prefix(launcher or [])
    mpi = mpi or mpi_of(prefix)
    places = _sites(prefix, mpi, interface) if sites else None
    queues = _switch(prefix, mpi, interface, ppn, places) if switch else None
    clear = _tell(Answers(places, queues, switch and sites), target, svg, json)
    raise typer.Exit(0 if clear else 1)


def _check_places(target: Path | None, svg: Path | None) -> None:
    from suiro.cluster.write import check_target
    from suiro.output import check_place

    if target is not None:
        check_target(target)
    if svg is not None:
        check_place(svg, "--svg")


def _check_left_out(probe: str, **given: object) -> None:
    from suiro.errors import UsageError

    for name, value in given.items():
        if value is not None:
            raise UsageError(f"--{name} is for {probe}: leave it out")


def _sites(prefix: list[str], mpi: str, interface: str) -> "SitesProbe":
    from suiro.probe.sites import probe_sites

    return probe_sites(prefix, mpi, interface, repeat_command())


def _switch(
    prefix: list[str], mpi: str, interface: str, ppn: int | None, places: "SitesProbe | None"
) -> "Probe | None":
    """With the answer of the other probe, none where hosts may be behind several switches, or where
    it fails: the line that tells why comes beside what was measured before."""
    from suiro.errors import SuiroError
    from suiro.output import say
    from suiro.probe.measure import probe_switch

    if places is None:
        return probe_switch(prefix, mpi, interface, ppn, repeat_command())
    if not places.clear or len(places.grouping.sites) > 1:
        why = "is of one site, and here are several" if places.clear else "may be one of several"
        say(f"the switch is not looked at, since it {why}: start on the nodes of one site")
        return None
    try:
        return probe_switch(prefix, mpi, interface, ppn, repeat_command())
    except SuiroError as error:
        say(str(error))
        return None


def _tell(answers: "Answers", target: Path | None, svg: Path | None, json: bool) -> bool:
    """Whether all is clear. Files are written where nobody can read what is printed, too."""
    from suiro.output import console, write_file
    from suiro.probe.sites_svg import drawing

    try:
        if json:
            print(answers.document())
        else:
            answers.print(console(100))
    finally:
        if target is not None:
            _write_cluster(answers, target)
        if svg is not None and answers.sites is not None:
            write_file(svg, drawing(answers.sites), "--svg")
    return answers.clear


def _write_cluster(answers: "Answers", target: Path) -> None:
    """Says so on standard error, since standard output may be one document."""
    from datetime import datetime

    from suiro.cluster.write import write
    from suiro.output import say

    found = answers.cluster(datetime.now())
    if found is None:
        say(f"{target} is not written, since the answer is not clear")
        return
    write(found, target)
    say(f"wrote {target}: suiro run --cluster {target} -- LAUNCHER ./app")
