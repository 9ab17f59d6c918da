# SPDX-License-Identifier: BSD-3-Clause
"""Rules from a probe: the lines that a finding adds to what is built in, each with its gain.

What is built in may not be slower on any switch, so it leaves native where one model gains and
another loses. When the model is known, these lines say the rest. docs/results.md has the
measurements, with their intervals.
"""

import json
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from suiro.errors import SuiroError, UsageError
from suiro.probe.finding import Kind
from suiro.probe.measure import Probe
from suiro.probe.report import NAMES

_KIB = 1024


class Line(NamedTuple):
    """Blocks of `collective` from `first` to below `end` bytes, if it has an end. `gain` is
    native's time over the algorithm's, as measured."""

    kind: Kind
    mpis: tuple[str, ...]
    nodes: int  # from so many on
    first: int
    end: int | None
    algorithm: str
    gain: str
    collective: str = "alltoall"
    ppn: tuple[int, int] = (3, 8)  # measured with 4
    cap: int | None = None  # of the capped ones


_OPENMPI = ("openmpi",)
_MPICH = ("mpich",)
_BOTH = ("openmpi", "mpich")
_ONE = (1, 1)
_AGGREGATION = "send_side_aggregation"
_RING = "two_level_ring"
_PAIRS = "two_level_pairwise"
_CAPPED = "linear_capped"
_FEW = "two_level_capped"

# docs/results.md, blocks of middle size and what a probe adds: 4x4-hol and 8x4-hol, 4x4-shared and
# 8x4-shared for loss, and 12 hosts of one rank. A message of 32 KB, which aggregation makes of
# blocks of 8 KB, is TCP's worst. With 8 nodes buffers overflow from 16 KB on, with 4 from 32 KB.
LINES = (
    Line("head_of_line", _BOTH, 3, 4 * _KIB, 7 * _KIB, _AGGREGATION, "1.35 to 1.41"),
    Line("head_of_line", _BOTH, 3, 7 * _KIB, 16 * _KIB, _RING, "1.22 to 1.27"),
    Line("head_of_line", _BOTH, 3, 16 * _KIB, 64 * _KIB, _AGGREGATION, "1.20 to 1.48"),
    Line("head_of_line", _OPENMPI, 3, 4 * _KIB, 24 * _KIB, _RING, "1.29 to 1.60", "alltoallv"),
    Line("head_of_line", _OPENMPI, 3, 48 * _KIB, 448 * _KIB, _PAIRS, "1.19 to 1.42", "alltoallv"),
    Line("head_of_line", _MPICH, 3, 4 * _KIB, 24 * _KIB, _FEW, "1.23 to 1.26", "alltoallv", cap=2),
    Line("head_of_line", _MPICH, 3, 24 * _KIB, 192 * _KIB, _PAIRS, "1.35 to 1.54", "alltoallv"),
    Line("head_of_line", _OPENMPI, 8, 48 * _KIB, None, _PAIRS, "1.78 to 1.90", ppn=_ONE),
    Line("head_of_line", _MPICH, 8, 24 * _KIB, None, _PAIRS, "1.13 to 1.69", ppn=_ONE),
    Line("head_of_line", _OPENMPI, 8, 96 * _KIB, None, _PAIRS, "1.31 to 1.41", "alltoallv", _ONE),
    Line("head_of_line", _MPICH, 8, 24 * _KIB, None, _PAIRS, "1.40 to 1.53", "alltoallv", _ONE),
    Line("drop", _OPENMPI, 3, 4 * _KIB, 7 * _KIB, _AGGREGATION, "1.06"),
    Line("drop", _OPENMPI, 8, 16 * _KIB, 32 * _KIB, _AGGREGATION, "2.5"),
    Line("drop", _OPENMPI, 3, 32 * _KIB, 64 * _KIB, _AGGREGATION, "2.3 to 2.7"),
    Line("drop", _OPENMPI, 8, 12 * _KIB, 48 * _KIB, _CAPPED, "1.9 to 2.5", "alltoallv", cap=8),
    Line("drop", _MPICH, 8, 12 * _KIB, 24 * _KIB, _FEW, "2.7", "alltoallv", cap=4),
    Line("drop", _MPICH, 8, 24 * _KIB, 48 * _KIB, _PAIRS, "1.9", "alltoallv"),
    Line("drop", _BOTH, 3, 48 * _KIB, 192 * _KIB, _PAIRS, "1.25 to 1.78", "alltoallv"),
    Line("drop", _OPENMPI, 8, 24 * _KIB, 96 * _KIB, _CAPPED, "1.9 to 3.3", "alltoall", _ONE, 4),
    Line("drop", _OPENMPI, 8, 24 * _KIB, 96 * _KIB, _CAPPED, "1.8 to 3.1", "alltoallv", _ONE, 4),
    Line("drop", _MPICH, 8, 48 * _KIB, 96 * _KIB, _CAPPED, "1.7", "alltoallv", _ONE, 4),
)


def check_target(path: Path) -> None:
    """Before the network is filled for it."""
    if path.exists():
        raise UsageError(f"--write-rules {path}: exists already; give another name, or remove it")
    if not path.resolve().parent.is_dir():
        raise UsageError(f"--write-rules {path}: no such folder")


def write_rules(path: Path, probe: Probe, mpi: str, now: datetime) -> int:
    """Writes what follows from the probe; how many lines that is."""
    document = rule_file(probe, mpi, now)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(document, indent=2) + "\n")
    except OSError as error:
        raise SuiroError(f"--write-rules {path}: {error.strerror}") from None
    return len(document["rules"])


def rule_file(probe: Probe, mpi: str, now: datetime) -> dict[str, Any]:
    """As docs/rule-file.md describes it."""
    lines = [line for line in LINES if line.kind == probe.finding.kind and mpi in line.mpis]
    return {
        "suiro_rules": 1,
        "comment": _header(probe, now, bool(lines)),
        "rules": [_rule(line) for line in lines],
    }


def _header(probe: Probe, now: datetime, has_lines: bool) -> str:
    finding, hosts = probe.finding, probe.evidence.hosts
    consequence = (
        "These lines come before what is built in; docs/results.md tells where they were measured"
        if has_lines
        else "That changes nothing of what is built in, so there are no lines"
    )
    return (
        f"{NAMES[finding.kind]} ({finding.tries} of {finding.of} tries), found by `suiro probe "
        f"--switch` on {now:%Y-%m-%d %H:%M} between {', '.join(hosts)}, for {probe.machine.mpi}. "
        f"{consequence}."
    )


def _rule(line: Line) -> dict[str, Any]:
    return {
        "collective": line.collective,
        "sites": 1,
        "nodes": [line.nodes, None],
        "ppn": list(line.ppn),
        "bytes": [line.first, line.end - 1 if line.end else None],
        "algorithm": line.algorithm,
        **({"parameters": {"cap": line.cap}} if line.cap else {}),
        "comment": (
            f"probe: {NAMES[line.kind]}; {line.gain} times native's speed in the labs of "
            f"{'4 ranks' if line.ppn[1] > 1 else '1 rank'} per node"
        ),
    }
