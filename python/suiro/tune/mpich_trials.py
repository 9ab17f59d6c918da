# SPDX-License-Identifier: BSD-3-Clause
"""Files by which sizes beside each other run different algorithms of MPICH, so that one job
measures them all."""

from pathlib import Path

from suiro.errors import UsageError
from suiro.output import write_file
from suiro.tune import mpich
from suiro.tune.tuner import CallKind, Placed, Plan


def files(plans: list[Plan], folder: Path) -> tuple[dict[str, str], dict[CallKind, Placed]]:
    """Written there: the variables that make MPICH read them, and by call the size of each
    candidate."""
    placed: dict[CallKind, Placed] = {}
    rules: dict[str, dict[mpich.Job, mpich.Rows]] = {}
    for plan in plans:
        job = plan.candidates.job
        assert job is not None
        major = job.major
        placed[plan.call] = {}
        rows: mpich.Rows = []
        for size in plan.sizes:
            _place(plan, size, placed[plan.call], rows)
        rules.setdefault(plan.collective.name, {})[job] = rows
    paths = {}
    for layer, text in mpich.files(rules, major).items():
        path = folder / f"candidates.{layer}"
        write_file(path, text)
        paths[layer] = str(path)
    return mpich.variables(paths), placed


def _place(plan: Plan, size: int, placed: Placed, rows: mpich.Rows) -> None:
    unit = plan.collective.unit_bytes
    picked = [one.name for one in plan.candidates.at(size)]
    sizes, more = mpich.variants(size, unit, picked)
    if rows and rows[-1][0] > size:
        raise UsageError(
            f"--sizes: {plan.collective.name} has {len(picked)} candidates, for which sizes beside "
            f"each other stand, so sizes must be {len(picked) * unit} bytes apart: {size} is not"
        )
    if rows and rows[-1][0] == size:
        rows.pop()
    rows += more
    placed[size] = sizes
