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
    """Blocks of `collective` from `first` to below `end` bytes. `gain` is native's time over the
    algorithm's, as measured."""

    kind: Kind
    mpis: tuple[str, ...]
    nodes: int  # from so many on
    first: int
    end: int
    algorithm: str
    gain: str
    collective: str = "alltoall"


_OPENMPI = ("openmpi",)
_BOTH = ("openmpi", "mpich")
_AGGREGATION = "send_side_aggregation"
_PAIRS = "two_level_pairwise"

# 4x4-hol, and 4x4-shared and 8x4-shared for loss: docs/results.md, blocks of middle size. A message
# of 32 KB, which aggregation makes of blocks of 8 KB, is TCP's worst. With 8 nodes buffers overflow
# from 16 KB on, with 4 from 32 KB.
LINES = (
    Line("head_of_line", _BOTH, 3, 4 * _KIB, 7 * _KIB, _AGGREGATION, "1.35 to 1.41"),
    Line("head_of_line", _BOTH, 3, 7 * _KIB, 16 * _KIB, "two_level_ring", "1.22 to 1.27"),
    Line("head_of_line", _BOTH, 3, 16 * _KIB, 64 * _KIB, _AGGREGATION, "1.20 to 1.48"),
    Line("head_of_line", _OPENMPI, 3, 192 * _KIB, 448 * _KIB, _PAIRS, "1.42", "alltoallv"),
    Line("drop", _OPENMPI, 3, 4 * _KIB, 7 * _KIB, _AGGREGATION, "1.06"),
    Line("drop", _OPENMPI, 8, 16 * _KIB, 32 * _KIB, _AGGREGATION, "2.5"),
    Line("drop", _OPENMPI, 3, 32 * _KIB, 64 * _KIB, _AGGREGATION, "2.3 to 2.7"),
)

_PPN = [3, 8]  # measured with 4


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
        "ppn": _PPN,
        "bytes": [line.first, line.end - 1],
        "algorithm": line.algorithm,
        "comment": (
            f"probe: {NAMES[line.kind]}; {line.gain} times native's speed in the labs of 4 ranks "
            "per node"
        ),
    }
