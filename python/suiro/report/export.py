# SPDX-License-Identifier: BSD-3-Clause
"""The evidence for other programs: one JSON document, or one table of comma-separated values."""

import csv
import io
import json
from typing import Any

from suiro.report.evidence import Group, Row
from suiro.report.measured import Report
from suiro.report.predicted import agreement

_OF_SETTING = ("source", "place", "mpi", "family", "collective", "nodes", "ranks", "root",
               "spread_percent")  # fmt: skip
_OF_ROW = ("bytes", "bytes_to", "algorithm", "ran", "control", "calls", "median_s")
_REST = ("low_s", "high_s", "gain", "gain_low", "gain_high", "chosen", "predicted_s", "spent_s",
         "void_reason")  # fmt: skip
COLUMNS = (*_OF_SETTING, *_OF_ROW, *_REST)


def json_text(report: Report) -> str:
    """Groups of rows that may be compared, and what was left out."""
    document = {
        "groups": [_group(group) for group in report.groups],
        "left_out": [one.model_dump() for one in report.left_out],
        "remarks": report.remarks,
    }
    return json.dumps(document, indent=1)


def _group(group: Group) -> dict[str, Any]:
    found = agreement(group)
    return group.model_dump() | {
        "mean_gain": group.mean_gain,
        "crossovers": [
            {"from_bytes": one.bytes, "algorithm": one.algorithm} for one in group.crossovers
        ],
        "prediction_median_error": found.median_error if found else None,
    }


def csv_text(report: Report) -> str:
    """A line for each time; seconds and bytes. What is not known is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for group in report.groups:
        chosen = {(choice.bytes, choice.algorithm) for choice in group.choices}
        for row in group.rows:
            writer.writerow(_line(group, row) | {"chosen": (row.bytes, row.algorithm) in chosen})
    return out.getvalue()


def _line(group: Group, row: Row) -> dict[str, object]:
    low_s, high_s = row.ci95_s or (None, None)
    gain_low, gain_high = row.gain_ci95 or (None, None)
    return {
        **{name: getattr(group.setting, name) for name in _OF_SETTING},
        **{name: getattr(row, name) for name in _OF_ROW},
        "low_s": low_s, "high_s": high_s, "gain": row.gain, "gain_low": gain_low,
        "gain_high": gain_high, "predicted_s": row.predicted_s, "spent_s": row.spent_s,
        "void_reason": row.void_reason,
    }  # fmt: skip
