# SPDX-License-Identifier: BSD-3-Clause
"""Tables of others: what OSU's benchmarks printed with one algorithm after the other forced. A CSV
file with a column `size` and one for each algorithm, named as the MPI names it; microseconds, the
mean over ranks of each rank's own time."""

import csv
from pathlib import Path

from suiro.bench.result import Cell
from suiro.errors import UsageError

# By collective: what the MPIs call it, and what moves the same data along the same ways. Trees of
# Open MPI are over ranks as they are numbered; what cannot cut a message into as many parts as
# there are ranks runs something else (coll_base_allreduce.c, coll_base_bcast.c).
_NAMES = {
    "bcast": {
        "basic linear": "linear",
        "chain": "chain",
        "pipeline": "pipeline",
        "split binary tree": "split_binary",
        "binary tree": "openmpi.binary",
        "binomial tree": "openmpi.binomial",
        "knomial tree": "knomial:radix=4",
        "scatter_allgather": "scatter_allgather",
        "Binomial": "openmpi.binomial",
    },
    "allreduce": {
        "nonoverlapping": "nonoverlapping",
        "recursive doubling": "recursive_doubling",
        "ring": "ring",
        "segmented ring": "ring",
        "Recursive doubling": "recursive_doubling",
        "Rabenseifner's": "rabenseifner",
        "Ring": "ring",
    },
}
_SEGMENTED = ("linear", "chain", "pipeline", "split_binary", "knomial")  # of bcast: forced whole


def is_table(path: Path) -> bool:
    return path.suffix == ".csv"


def read_table(path: Path, collective: str, nodes: int, ranks: int) -> list[Cell]:
    """A cell for each size and algorithm that suiro has, too; others are left out."""
    names = _NAMES.get(collective)
    if names is None:
        raise UsageError(f"--compare {path}: tables of {', '.join(_NAMES)} can be read, and "
                         f"{collective} is none of these")  # fmt: skip
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--compare {path}: cannot be read: {error}") from None
    sizes = [index for index, row in enumerate(rows) if row[0] == "size"]
    if not sizes or sizes[0] + 1 == len(rows):
        raise UsageError(f"--compare {path}: expected a column `size`, and rows below it")
    labels, first = rows[0] if sizes[0] > 0 else rows[sizes[0]], sizes[0] + 1
    cells = []
    for line, row in enumerate(rows[first:], first + 1):
        for label, text in zip(labels[1:], row[1:], strict=False):
            name = names.get(_name_of(label))
            if name is not None and text:
                cells.append(_cell(path, line, (collective, name), (nodes, ranks), (row[0], text)))
    if not cells:
        raise UsageError(f"--compare {path}: no column is named as one of {', '.join(names)}")
    return cells


def _name_of(label: str) -> str:
    """ "2. chain | OpenMPI 4" names a chain; of other networks than TCP nothing is compared."""
    name, _, library = label.partition("|")
    if "EFA" in library:
        return ""
    number, dot, rest = name.strip().partition(". ")
    return rest if dot and number.isdigit() else name.strip()


def _cell(
    path: Path, line: int, what: tuple[str, str], shape: tuple[int, int], row: tuple[str, str]
) -> Cell:
    try:
        size, seconds = int(row[0]), float(row[1]) * 1e-6
    except ValueError:
        raise UsageError(f"--compare {path}:{line}: expected numbers, got {row}") from None
    collective, name = what
    if collective == "allreduce" and name == "ring" and size // 4 < shape[1]:
        name = "recursive_doubling"  # fewer elements than ranks
    if name == "scatter_allgather" and size < shape[1]:
        name = "linear"
    if collective == "bcast" and name.partition(":")[0] in _SEGMENTED:
        name += ("," if ":" in name else ":") + f"segment={max(size, 1)}"
    return Cell(
        collective=collective,
        algorithm=name,
        nodes=shape[0],
        ranks=shape[1],
        bytes=size,
        median_s=seconds,
        mean_s=seconds,
        ci95_s=(seconds, seconds),
        bandwidth_Bps=0.0,
        repetitions=1,
    )
