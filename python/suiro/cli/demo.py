# SPDX-License-Identifier: BSD-3-Clause
"""`suiro demo`: unmodified programs in three labs, without suiro and with it."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    report: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Write the page, index.html, into it.")
    ] = Path("report"),
    pairs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Runs of each program without suiro, and with.")
    ] = 3,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show in two minutes what suiro does to programs that know nothing of it.

    Brings up three virtual clusters, one after the other, and runs a program in each, without suiro
    and with it in turn: broadcasts and gathers; short sums on many ranks per node; a Fourier
    transform, once `suiro probe` has told how the switch queues. Each checks its own result.
    """
    from suiro.demo.run import run_demo

    try:
        run_demo(report, pairs, json)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
