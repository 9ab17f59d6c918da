# SPDX-License-Identifier: BSD-3-Clause
"""What may change the decisions that --explain shows."""

import os
import re
from typing import Any

from suiro.cluster.of_job import NETWORK_VARIABLE

# Reasons of the library's (src/choose, src/mpi) where something may be faster, but not for sure on
# every kind of switch.
_UNSURE = ("surely beats", "perhaps: ")
_NATIVES_TURN = "trial: native's turn"
_PROBE_NODES_LEAST = 4


def hint(rows: list[dict[str, Any]]) -> str:
    """What may change decisions that have to hold on every kind of switch; empty where the kind is
    known, or too few nodes are there for a probe, or sites hide what switches do."""
    if '"kind"' in os.environ.get(NETWORK_VARIABLE, ""):
        return ""
    for row in rows:
        nodes = re.match(r"(\d+) node", row["shape"])
        enough = nodes is not None and int(nodes[1]) >= _PROBE_NODES_LEAST
        if enough and " sites" not in row["shape"] and _is_unsure(row, rows):
            return "the kind of switch is not known: `suiro probe --switch` may change this"
    return ""


def _is_unsure(row: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
    """Of a trial: native's calls come first, and many, only where the model is not sure."""
    if any(words in row["reason"] for words in _UNSURE):
        return True
    of_call = ("collective", "shape", "bytes")
    alike = [other for other in rows if all(other[key] == row[key] for key in of_call)]
    ours = any(other["algorithm"] != "native" for other in alike)
    return row["reason"].endswith(_NATIVES_TURN) and not ours
