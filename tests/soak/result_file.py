# SPDX-License-Identifier: BSD-3-Clause
"""What a program of this folder has measured, as a file for docs/results."""

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from suiro.bench.launcher import launcher_of
from suiro.provenance import describe_machine, provenance


def add_option(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    parser.add_argument(
        "--json",
        type=Path,
        required=required,
        metavar="FILE",
        help="write a result there, too (docs/results)",
    )


def write(
    path: Path | None,
    began: str,
    content: Mapping[str, object],
    *,
    mpis: Sequence[str] = (),
    lab: str | None = None,
) -> None:
    """Nothing where no file was asked for."""
    if path is None:
        return
    names = [launcher_of([f"mpirun.{mpi}"]).full_name for mpi in mpis]
    machine = describe_machine(" and ".join(names), None).model_copy(update={"lab": lab})
    command = f"./dev run .venv/bin/python {shlex.join(sys.argv)}"
    document = provenance(command, machine, began).model_dump() | content
    path.write_text(json.dumps(document, indent=1) + "\n")
