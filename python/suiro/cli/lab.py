# SPDX-License-Identifier: BSD-3-Clause
"""`suiro lab`: virtual clusters on this machine."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from suiro.cli.group import Group
from suiro.quantities import rate_text, time_text

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Virtual clusters on this machine: hosts, links, and a switch that behaves as told.",
)

SpecArgument = Annotated[str, typer.Argument(metavar="SPEC", help="A shipped name or TOML file.")]
CommandArgument = Annotated[
    list[str], typer.Argument(metavar="-- COMMAND...", help="The command and its arguments.")
]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name of a running lab.")]
MpiOption = Annotated[
    str | None,
    typer.Option(
        "--mpi", metavar="openmpi|mpich", help="Which MPI [default: the first installed]."
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="The lab's name [default: made from SPEC]."),
]
SlurmOption = Annotated[
    bool, typer.Option("--slurm", help="Run Slurm on the hosts; $SUIRO_LAB_MPIRUN is srun.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


@app.command()
def run(
    spec: SpecArgument,
    command: CommandArgument,
    mpi: MpiOption = None,
    name: NameOption = None,
    slurm: SlurmOption = False,
    counters: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the switch's final counters to it.")
    ] = None,
) -> None:
    """Run a command on host 0 of a lab made for it; exit as the command does.

    Inside, $SUIRO_LAB_MPIRUN starts one process per slot:

        suiro lab run 4x4-hol -- sh -c '$SUIRO_LAB_MPIRUN ./program'
    """
    from suiro import lab
    from suiro.output import WriteError, check_place, say, write_file

    if counters is not None:
        check_place(counters, "--counters")
    try:
        result = lab.run(spec, command, mpi=mpi, name=name, slurm=slurm)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    code = result.exit_code
    if counters is not None:
        try:
            write_file(counters, json.dumps(result.counters, indent=1) + "\n", "--counters")
        except WriteError as error:
            say(str(error))
            code = code or error.exit_code
    raise typer.Exit(code)


@app.command()
def up(
    spec: SpecArgument,
    mpi: MpiOption = None,
    name: NameOption = None,
    slurm: SlurmOption = False,
) -> None:
    """Start a lab that stays until `suiro lab down`; print its name."""
    from suiro import lab

    typer.echo(lab.up(spec, mpi=mpi, name=name, slurm=slurm))


@app.command("exec")
def execute(
    name: NameArgument,
    command: CommandArgument,
    host: Annotated[str, typer.Option(metavar="HOST", help="The host to run on.")] = "host0",
) -> None:
    """Run a command on a host of a running lab; exit as the command does.

    For example:  suiro lab exec pair --host host1 -- ip address
    """
    from suiro.lab import front

    raise typer.Exit(front.enter(name, host, command))


@app.command()
def down(name: NameArgument) -> None:
    """Take a lab down: every process in it, and all else that it is made of."""
    from suiro import lab

    lab.down(name)


@app.command("list")
def list_labs(as_json: JsonOption = False) -> None:
    """List the labs that run."""
    from suiro import lab
    from suiro.text_table import print_table

    labs = lab.list_labs()
    if as_json:
        typer.echo(json.dumps(labs))
        return
    rows = [
        {
            "name": str(entry["name"]),
            "spec": str(entry["spec"]),
            "hosts": str(entry["hosts"]),
            "ranks": str(entry["ranks"]),
            "rate": rate_text(entry["rate_bps"]),
            "up for": time_text(time.time() - entry["started"]),
            "command": " ".join(entry["command"] or ["-"]).splitlines()[0][:40],
        }
        for entry in labs
    ]
    if rows:
        print_table(
            rows, left=tuple(rows[0]), least=("rate", "hosts", "spec"), sentences=("command",)
        )
    else:
        typer.echo("no lab runs")


@app.command()
def status(name: NameArgument, as_json: JsonOption = False) -> None:
    """Show what the switch of a running lab has counted."""
    from suiro import lab
    from suiro.text_table import print_table

    document = lab.status(name)
    if as_json:
        typer.echo(json.dumps(document))
        return
    tables = [document.pop("ports", []), document.pop("links", [])]
    for key, value in document.items():
        typer.echo(f"{key}: {_cell(value)}")
    for entries in filter(None, tables):
        keys = list(entries[0])
        rows = [{key: _cell(entry.get(key)) for key in keys} for entry in entries]
        # What has not happened anywhere says least.
        least = sorted(keys[:0:-1], key=lambda key: any(row[key] != "0" for row in rows))
        print_table(rows, left=keys, least=least)


@app.command()
def throttle(
    name: NameArgument,
    share: Annotated[
        float,
        typer.Argument(metavar="SHARE", min=0.001, max=1, help="Of their rate; 1 is all of it."),
    ],
) -> None:
    """Let the links of a running lab carry a share of their rate from now on.

    As if others used them:  suiro lab throttle pair 0.1
    """
    from suiro import lab

    lab.throttle(name, share)


@app.command()
def specs(as_json: JsonOption = False) -> None:
    """List the shipped specs."""
    from suiro.lab.spec import parse, shipped
    from suiro.text_table import print_table

    known = {name: parse(path) for name, path in shipped().items()}
    if as_json:
        typer.echo(json.dumps({name: spec.model_dump() for name, spec in known.items()}))
        return
    rows = [
        {
            "name": name,
            "links": " + ".join(map(rate_text, spec.link.rates)),
            "what it is": spec.description,
        }
        for name, spec in known.items()
    ]
    print_table(rows, left=("name",), sentences=("links", "what it is"))


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value) if isinstance(value, dict | list) else str(value)
