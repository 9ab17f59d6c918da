# SPDX-License-Identifier: BSD-3-Clause
"""`suiro demo`: three networks, an unmodified program and the bench, without and with suiro."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    report: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Write the HTML report into it.")
    ] = Path("report"),
    sizes: Annotated[str, typer.Option(metavar="A,B", help="Bytes per block.")] = "128K",
    repeat: Annotated[
        int, typer.Option(min=1, metavar="N", help="Repetitions of each measurement.")
    ] = 5,
) -> None:
    """Show on this machine where suiro helps and where it does not.

    Brings up three virtual clusters, runs an unmodified Fourier transform and the bench in each,
    without and with suiro, and writes a report.
    """
    from suiro.bench.plan import parse_sizes
    from suiro.demo import run_demo

    parse_sizes(sizes)

    run_demo(report, sizes, repeat)
