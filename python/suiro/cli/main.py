# SPDX-License-Identifier: BSD-3-Clause
"""The `suiro` command. Command modules import what they need inside functions: help stays fast."""

import sys
from collections.abc import Callable

import typer

from suiro import output
from suiro.cli import (
    advise,
    algorithms,
    bench,
    bench_transport,
    demo,
    doctor,
    lab,
    probe,
    report,
    rules,
    run,
    show,
    sim,
    top,
    tune,
    verdict,
    verify,
)
from suiro.cli.group import Group
from suiro.errors import SuiroError

CONTEXT = {"max_content_width": 100}
app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, context_settings=CONTEXT)
app.command(cls=run.RunCommand, context_settings=run.CONTEXT)(run.run)
app.command()(advise.advise)
app.command()(bench.bench)
app.command()(bench_transport.bench_transport)
app.command()(probe.probe)
app.command()(verdict.verdict)
app.command()(demo.demo)
app.command()(algorithms.algorithms)
app.command()(verify.verify)
app.command()(show.show)
app.command()(sim.sim)
app.command()(tune.tune)
app.command()(report.report)
app.command(context_settings=top.CONTEXT)(top.top)
app.command(context_settings=doctor.CONTEXT)(doctor.doctor)
app.add_typer(lab.app, name="lab")
app.add_typer(rules.app, name="rules")


def _version(value: bool) -> None:
    if value:
        from suiro.version import tell

        for line in tell().splitlines():
            for part in output.wrapped(line, output.columns(sys.stdout), "  "):
                print(part)
        raise typer.Exit()


@app.callback()
def root(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print version, build and MPIs."
    ),
) -> None:
    """suiro makes MPI collectives fast on Ethernet clusters, under the MPI you already run.

    Prefix the command you have:   suiro run -- mpirun -np 64 ./app

    Or look at a virtual cluster:  suiro lab run 4x4-hol -- sh -c '$SUIRO_LAB_MPIRUN ./app'

    Exit codes: that of the command that was run; else 1 for a failure, 2 for a wrong command line
    or file, 3 where this machine cannot do it.
    """
    from suiro import variables

    if context.invoked_subcommand != "doctor":  # to which it is a finding
        for line in variables.newly_unknown():
            output.say(line)


def main() -> None:
    """Entry point: what went wrong becomes one line on standard error and an exit code."""
    output.set_up()
    code = _ending(app)
    refused = _ending(sys.stdout.flush)  # what was printed may be refused as late as this
    raise SystemExit(code or refused)


def _ending(action: Callable[[], object]) -> int | str | None:
    try:
        action()
    except output.ReaderGoneError as error:
        return error.exit_code
    except (SuiroError, OSError) as error:
        output.say(output.told_of(error))
        return output.exit_code_of(error)
    except SystemExit as end:
        return end.code
    return 0
