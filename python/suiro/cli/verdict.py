# SPDX-License-Identifier: BSD-3-Clause
"""`suiro verdict`: was an algorithm ever slower than the MPI's own?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from suiro.bench.never_slower import Verdicts


def verdict(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULT...", help="Files from suiro bench --json.")
    ],
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="Which to judge against native.")
    ] = "auto",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Judge an algorithm over many measurements: was it ever slower than native?

    A cell is "not slower" if the lower end of the 95 % interval of native's time over the
    algorithm's is at least 0.97, and "undecided" if that interval is wider than 3 %.

    Exit code 1 if any cell is slower, if more than 5 % of them are undecided, or if none counts.
    """
    from suiro.bench.never_slower import judge, read_result

    verdicts = judge([read_result(path) for path in results], algorithm)
    if json:
        print(verdicts.model_dump_json(indent=1))
    else:
        _print_table(verdicts)
    raise typer.Exit(0 if verdicts.never_slower else 1)


def _print_table(verdicts: "Verdicts") -> None:
    import sys

    from rich.console import Console
    from rich.table import Table

    from suiro.bench.table import size_text

    console = Console(width=None if sys.stdout.isatty() else 100)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("lab", "MPI", "bytes", "ran", "native / it", "95 %", "calls", "verdict"):
        numbers = heading in ("bytes", "native / it", "95 %", "calls")
        table.add_column(heading, justify="right" if numbers else "left", overflow="fold")
    for cell in verdicts.cells:
        low, high = cell.ci95 or (None, None)
        table.add_row(
            cell.lab or "-",
            cell.mpi,
            size_text(cell.bytes),
            cell.ran,
            "-" if cell.ratio is None else f"{cell.ratio:.2f}",
            "-" if low is None else f"{low:.2f} {high:.2f}",
            str(cell.repetitions),
            cell.verdict,
            style={"slower": "red", "void": "dim"}.get(cell.verdict, ""),
        )
    console.print(table)
    mean = verdicts.geometric_mean
    answer = {True: "yes", False: "no", None: "undecided"}[verdicts.never_slower]
    console.print(
        f"never slower: {answer}; {verdicts.undecided} undecided and {verdicts.void} void of "
        f"{len(verdicts.cells)} cells; geometric mean {'-' if mean is None else f'{mean:.3f}'}",
        style="bold",
    )
