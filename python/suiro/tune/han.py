# SPDX-License-Identifier: BSD-3-Clause
"""The file by which Open MPI 5's component for nodes, coll/han, leaves calls to the one that has
rules, coll/tuned: han comes first for some collectives, and would never ask it.

Source, read in 5.0.10: ompi/mca/coll/han/coll_han_dynamic_file.{h,c} and coll_han_dynamic.c."""

from collections.abc import Mapping

from suiro.tune import openmpi

COLLECTIVES = {"allgather", "allreduce", "bcast", "reduce"}  # whose choice depends on bytes
FIRST_RELEASE = 5  # before, it does nothing unless asked to
_WHOLE_COMMUNICATOR = 2  # not a part of it that han made
_HAN, _TUNED = "han", "tuned"

# Ascending, from so many bytes on, as the table of collectives counts: whether a rule decides.
Rows = list[tuple[int, bool]]


def file_text(rules: Mapping[str, Mapping[int, Rows]], comment: str = "") -> str:
    """By collective and ranks, for communicators of exactly so many; all else stays han's. What has
    fewer than a row's ranks takes the row before it, and the first must be for 1."""
    lines = [f"# {line}" for line in comment.splitlines()]
    kept = {name: rows for name, rows in rules.items() if name in COLLECTIVES}
    lines.append(f"{len(kept)} # collectives")
    for name, blocks in kept.items():
        sizes = openmpi.guarded(1, blocks, [])
        lines.append(f"{openmpi.COLLECTIVES[name]} # {name}")
        lines.append(f"1 {_WHOLE_COMMUNICATOR} # whole communicators")
        lines.append(f"{len(sizes)} # numbers of ranks")
        for ranks, rows in sizes:
            lines += _block(ranks, rows)
    return "\n".join(lines) + "\n"


def _block(ranks: int, rows: Rows) -> list[str]:
    found = [(0, False)]
    for begin, decides in rows:
        if found[-1][0] == begin:
            found.pop()
        if not found or found[-1][1] != decides:
            found.append((begin, decides))
    said = [f"{begin} {_TUNED if decides else _HAN}" for begin, decides in found]
    return [f"{ranks} # ranks", f"{len(found)} # rows", *said]


def variables(path: str) -> dict[str, str]:
    """What makes han read the file."""
    return {
        "OMPI_MCA_coll_han_use_dynamic_file_rules": "1",
        "OMPI_MCA_coll_han_dynamic_rules_filename": path,
    }
