# SPDX-License-Identifier: BSD-3-Clause
"""The `suiro` command: finds the subcommand and loads only its module, so that help stays fast."""

import importlib
import sys

import click
import typer

from suiro import __version__
from suiro.errors import SuiroError

# name -> (module with a typer `app`, the line shown in the command list)
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("suiro.cli.run", "Run an MPI job with suiro's collectives."),
    "bench": ("suiro.cli.bench", "Measure a collective: algorithms against native, in one run."),
    "lab": ("suiro.cli.lab", "A virtual cluster: hosts, links and a switch on this machine."),
    "algorithms": ("suiro.cli.algorithms", "List the algorithm catalog with costs."),
    "verify": ("suiro.cli.verify", "Prove the catalog, or show what is wrong with a schedule."),
    "demo": ("suiro.cli.demo", "Show what suiro does on three kinds of switch, with a report."),
}


class _LazyGroup(typer.core.TyperGroup):
    """Imports a command's module when it is used; the list of commands needs no imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, summary = COMMANDS[cmd_name]
        if ctx.params.get("_listing"):
            return click.Command(cmd_name, help=summary)
        command = typer.main.get_command(importlib.import_module(module).app)
        command.name = cmd_name
        return command


app = typer.Typer(cls=_LazyGroup, no_args_is_help=True, rich_markup_mode=None)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"suiro {__version__}")
        raise typer.Exit()


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """suiro makes MPI collectives fast on Ethernet clusters, under the MPI you already run.

    Prefix the command you have: suiro run -- mpirun -np 64 ./app
    """


def main() -> None:
    """Entry point: a SuiroError becomes one line on standard error and its exit code."""
    try:
        app()
    except SuiroError as error:
        sys.stderr.write(f"suiro: {error}\n")
        raise SystemExit(error.exit_code) from None
