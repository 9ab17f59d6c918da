# SPDX-License-Identifier: BSD-3-Clause
"""What is to be tuned, from the words of the command line."""

from collections.abc import Iterable
from dataclasses import dataclass

from suiro.bench.catalog import Collective, collectives, find_collective
from suiro.errors import UsageError, did_you_mean
from suiro.tune import mpich, openmpi
from suiro.tune.candidates import Candidates
from suiro.tune.sizes import whole_units
from suiro.tune.tuner import Plan

ALL = "all"


@dataclass(frozen=True)
class Wish:
    """`ranks`: 0 for all that a job has. `reach`: how many times as large or small as a size
    those are for which it stands."""

    collective: Collective
    ranks: int
    sizes: list[int]
    reach: float = 1.0


@dataclass(frozen=True)
class Manner:
    """What is the same for all."""

    strategy: str
    root: int | None
    repeat: int
    owner: str  # the MPI whose own algorithms are compared; empty: suiro's are
    without: frozenset[str]


def parse_ranks(text: str) -> list[int]:
    """ "8,16" ascending; of nothing, 0: all that a job has."""
    if not text:
        return [0]
    found = set()
    for word in text.split(","):
        if not word.isdecimal() or int(word) < 2:
            raise UsageError(f'--ranks "{word}": give numbers of ranks from 2 on, such as 8,16,32')
        found.add(int(word))
    return sorted(found)


def why_not(collective: Collective, owner: str) -> str | None:
    """What keeps a collective from being tuned; None if nothing does."""
    if not collective.has_data or collective.unequal:
        return "only collectives with equal blocks and with data are tuned"
    name = collective.name
    if owner.startswith("mpich") and name not in mpich.COLLECTIVES:
        return (
            f"MPICH leaves no choice; of its collectives there are {', '.join(mpich.COLLECTIVES)}"
        )
    safe = name in openmpi.COLLECTIVES and name not in openmpi.ONE_ROW
    if owner.startswith("openmpi") and not safe:
        return "Open MPI's rules cannot safely choose by size for it"
    return None


def named(names: str, owner: str) -> list[Collective]:
    """Of a list; all that can be tuned of "all"."""
    if names == ALL:
        return [one for one in collectives().values() if why_not(one, owner) is None]
    found = [find_collective(name) for name in dict.fromkeys(names.split(","))]
    for one in found:
        reason = why_not(one, owner)
        if reason is not None:
            raise UsageError(f"{'--native ' if owner else ''}{one.name}: {reason}")
    return found


def wishes(names: str, sizes: list[int], ranks: list[int], owner: str) -> list[Wish]:
    """Every collective on every number of ranks."""
    return [Wish(one, count, sizes) for count in ranks for one in named(names, owner)]


def plans(asked: Iterable[Wish], manner: Manner) -> list[Plan]:
    made = []
    for wish in asked:
        one = wish.collective
        if manner.root is not None and not one.rooted:
            raise UsageError(f"--root: {one.name} has none")
        root = (1 if manner.root is None else manner.root) if one.rooted else 0
        made.append(
            Plan(
                collective=one,
                sizes=whole_units(wish.sizes, one.unit_bytes),
                strategy=manner.strategy,
                root=root,
                repeat=manner.repeat,
                candidates=Candidates(one, manner.owner != "", manner.without),
                reach=wish.reach,
                wanted_ranks=wish.ranks,
            )
        )
    if not manner.owner.startswith("mpich"):  # whose algorithms only a job tells
        check_without(made)
    return made


def check_without(made: Iterable[Plan]) -> None:
    """UsageError for a name of `without` that no collective has."""
    left_out: set[str] = set()
    known: set[str] = set()
    for plan in made:
        left_out |= plan.candidates.without
        known |= plan.candidates.names(max(plan.sizes))
    for name in sorted(left_out - known):
        raise UsageError(
            f'--without "{name}": nothing of that name would be tried; there are '
            f"{', '.join(sorted(known))}{did_you_mean(name, known)}"
        )
