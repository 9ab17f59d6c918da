# SPDX-License-Identifier: BSD-3-Clause
"""Files by which sizes beside each other run different algorithms of Open MPI, so that one job
measures them all."""

from pathlib import Path

from suiro.errors import UsageError
from suiro.output import write_file
from suiro.tune import han, openmpi
from suiro.tune.candidates import DEFAULT
from suiro.tune.tuner import CallKind, Placed, Plan


def files(
    plans: list[Plan], folder: Path, major: int
) -> tuple[dict[str, str], dict[CallKind, Placed]]:
    """Written there: the variables that make Open MPI of that release read them, and by call the
    size of each candidate."""
    placed: dict[CallKind, Placed] = {}
    rules: dict[str, dict[int, list[openmpi.Rule]]] = {}
    left_by_han: dict[str, dict[int, han.Rows]] = {}
    for plan in plans:
        name, ranks = plan.call
        rows = [openmpi.Rule(0, openmpi.FIXED_CHOICE)]
        placed[plan.call] = {size: _place(plan, size, rows) for size in plan.sizes}
        rules.setdefault(name, {})[ranks] = rows
        left_by_han.setdefault(name, {})[ranks] = _tried(placed[plan.call])
    path = folder / "candidates.rules"
    write_file(path, openmpi.file_text(rules))
    variables = openmpi.variables(str(path))
    if major >= han.FIRST_RELEASE:
        path = folder / "candidates.han"
        write_file(path, han.file_text(left_by_han))
        variables |= han.variables(str(path))
    return variables, placed


def _place(plan: Plan, size: int, rules: list[openmpi.Rule]) -> dict[str, int]:
    """Adds the rules of one size."""
    name, unit = plan.collective.name, plan.collective.unit_bytes
    picked = [one.rule or openmpi.FIXED_CHOICE for one in plan.candidates.at(size)]
    sizes, rows = openmpi.variants(name, size, unit, plan.ranks, picked)
    if rules[-1].from_bytes > rows[0].from_bytes:
        raise UsageError(
            f"--sizes: {name} has {len(picked)} candidates, for which sizes beside each other "
            f"stand, so sizes must be {len(picked) * unit} bytes apart: {size} is not"
        )
    if rules[-1].from_bytes == rows[0].from_bytes:
        rules.pop()
    rules += rows
    return sizes


def _tried(placed: Placed) -> han.Rows:
    """Each candidate's size, and whether it is one of those that rules decide."""
    rows: han.Rows = []
    for _, sizes in sorted(placed.items()):
        rows += [(begin, name != DEFAULT) for name, begin in sizes.items()]
        step = 1 if len(sizes) < 2 else rows[-1][0] - rows[-2][0]
        rows.append((rows[-1][0] + step, False))
    return rows
