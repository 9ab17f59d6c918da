# SPDX-License-Identifier: BSD-3-Clause
"""`suiro verdict`: was an algorithm ever slower than the MPI's own?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from suiro.bench.never_slower import Judged, Row, Verdicts

_WORDS = ("collective", "lab", "MPI", "ran", "verdict")
_ANSWERS = {True: "yes", False: "no", None: "undecided"}


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
    algorithm's is at least 0.97. Otherwise it is "undecided" if that interval is wider than
    +-3 %, and "slower" if it is not. Of a cell that was repeated, at most twice, the last counts.

    The grid of docs/measuring.md, sizes between its sizes and shapes beside its labs each have a
    line of their own below the table. Means leave out cells below 4 KiB.

    Exit code 1 if in one of these any cell is slower, more than 5 % are undecided, or none counts.
    """
    from suiro.bench.never_slower import judge
    from suiro.bench.result import read_result

    verdicts = judge([read_result(path) for path in results], algorithm)
    if json:
        print(verdicts.model_dump_json(indent=1))
    else:
        _print_table(verdicts)
    raise typer.Exit(0 if verdicts.never_slower else 1)


def _print_table(verdicts: "Verdicts") -> None:
    import sys

    from rich.console import Console

    from suiro.output import columns
    from suiro.text_table import lay_out

    console = Console(soft_wrap=True, highlight=False)
    rows = [_cell_row(cell) for cell in verdicts.cells]
    width = columns(sys.stdout)
    layout = lay_out(rows, width, left=_WORDS, least=("runs", "calls", "MPI", "95 %"))
    console.print(layout.heading, style="bold")
    for cell, row in zip(verdicts.cells, rows, strict=True):
        style = {"slower": "red", "void": "dim"}.get(cell.verdict, "")
        console.print(layout.line(row), style=style, markup=False)
    for line in layout.remarks(width):
        console.print(line, style="dim")
    for judged in verdicts.rows:
        console.print(_row_text(judged), style="bold")


def _cell_row(cell: "Judged") -> dict[str, str]:
    from suiro.quantities import size_text
    from suiro.text_table import NOTHING

    low, high = cell.ci95 or (None, None)
    return {
        "collective": cell.collective,
        "lab": cell.lab or NOTHING,
        "MPI": cell.mpi,
        "bytes": size_text(cell.bytes),
        "ran": cell.ran,
        "native / it": NOTHING if cell.ratio is None else f"{cell.ratio:.2f}",
        "95 %": NOTHING if low is None else f"{low:.2f} {high:.2f}",
        "calls": str(cell.repetitions),
        "runs": str(cell.measured),
        "verdict": cell.verdict,
    }


def _row_text(row: "Row") -> str:
    mean = "-" if row.geometric_mean is None else f"{row.geometric_mean:.3f}"
    below = f" ({row.undecided_below} all below 0.97)" if row.undecided_below else ""
    return (
        f"{row.part}: never slower: {_ANSWERS[row.never_slower]}; of {row.cells} cells "
        f"{row.slower} slower, {row.undecided} undecided{below}, {row.void} void, "
        f"{row.no_ratio} without a ratio; geometric mean of {row.cells_in_mean} from 4 KiB up "
        f"{mean}"
    )
