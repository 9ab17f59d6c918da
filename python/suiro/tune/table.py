# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro tune` prints: times on a terminal, or all as one document."""

import json
import sys
from typing import Any

from suiro.output import columns, console, wrapped
from suiro.provenance import describe_machine, provenance
from suiro.quantities import size_text, time_text
from suiro.text_table import NOTHING, print_table
from suiro.tune import store
from suiro.tune.run import Outcome, Request
from suiro.tune.search import chosen
from suiro.tune.tuner import Tuning


def _rows(tuning: Tuning) -> list[dict[str, Any]]:
    return [
        {
            "bytes": one.size,
            "default_s": one.default_seconds,
            "choice": name,
            "winner": one.winner,
            "winner_s": one.seconds,
            "gain": one.gain,
            "gain_ci95": one.gain_ci95,
            "measured_before": one.size in tuning.known_before,
            "unsteady": one.unsteady,
        }
        for one, name in tuning.choices
    ]


def print_json(request: Request, outcome: Outcome) -> None:

    mpi = outcome.key.mpi if outcome.key else request.mpi
    origin = provenance(request.origin, describe_machine(mpi, None), outcome.began)
    document = origin.model_dump() | {
        "strategy": request.strategy,
        "family": "native" if request.native else "suiro",
        "cluster": outcome.key.cluster if outcome.key else None,
        "interrupted": outcome.interrupted,
        "collectives": [
            {
                "collective": tuning.plan.collective.name,
                "ranks": tuning.plan.ranks,
                "root": tuning.plan.root,
                "measurements": tuning.measurements,
                "sizes": _rows(tuning),
                "left": tuning.left,
            }
            for tuning in outcome.tunings
        ],
        "remarks": outcome.remarks,
        "stored": [str(path) for path in outcome.stored],
        "exported": [{"file": str(target.path), "use": use} for target, use in outcome.exported],
    }
    print(json.dumps(document, indent=1))


def print_tunings(request: Request, outcome: Outcome) -> None:
    _begin()
    shown = console(highlight=False, markup=False, soft_wrap=True)
    said = "predicted" if request.strategy == "a" else "measured"
    for tuning in outcome.tunings:
        name, ranks = tuning.plan.call
        shown.print(f"{name} on {ranks} ranks, {said}", style="bold")
        if tuning.verdicts:
            print_table(_cells(tuning), left=("choice",), least=("95 %", "default"))
        remarks = [f"{tuning.measurements} calls were timed"] if request.strategy != "a" else []
        if tuning.known_before:
            remarks.append(f"{len(tuning.known_before)} sizes were in the store")
        unsteady = [size_text(one.size) for one in tuning.verdicts if one.unsteady]
        if unsteady:
            remarks.append(f"unsteady: {', '.join(unsteady)} (something else uses nodes or "
                           "network; --again measures anew)")  # fmt: skip
        if tuning.left:
            reason = "the model does not know the default" if request.strategy == "a" else "no time"
            remarks.append(f"left: {', '.join(map(size_text, tuning.left))} ({reason})")
        for line in wrapped("; ".join(remarks), columns(sys.stdout)):
            shown.print(line)


def print_files(request: Request, outcome: Outcome) -> None:
    """Where it is now, and who uses it."""
    _begin()
    for target, use in outcome.exported:
        print(f"wrote {target.path}; use it with:\n  {use}")
    if outcome.interrupted:
        print("interrupted: the same command goes on from here")
    if outcome.key and (outcome.stored or any(one.known_before for one in outcome.tunings)):
        user = "this command begins with it" if request.native else "`suiro run` will use it"
        place = store.cluster_folder(outcome.key.cluster)
        line = f"stored in {place}: on this cluster {user}"
        print(*wrapped(line, columns(sys.stdout)), sep="\n")


def _begin() -> None:
    """In the place of the line that changes."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")


def _cells(tuning: Tuning) -> list[dict[str, str]]:
    rows = []
    for winner, name in tuning.choices:
        one = chosen(winner, name)
        low, high = one.gain_ci95
        rows.append({
            "bytes": size_text(one.size),
            "default": time_text(one.default_seconds),
            "choice": name,
            "time": time_text(one.seconds),
            "x default": f"{one.gain:.2f}",
            "95 %": f"{low:.2f} to {high:.2f}" if one.significant else NOTHING,
        })  # fmt: skip
    return rows
