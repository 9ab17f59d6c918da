# SPDX-License-Identifier: BSD-3-Clause
"""Reads MPICH's files of selection as MPICH does, and says what it would not say: that it would not
start with a file, or that a call may bring wrong data.

Source: src/mpi/coll/src/csel.c in 4.0.2 and 5.0.1."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suiro.bench.catalog import find_collective
from suiro.errors import UsageError
from suiro.rules.csel_text import Entry, parse
from suiro.tune import csel, mpich, mpich_defaults

_LEAVES = ("algorithm=", "composition=")
_SIZES = ("avg_msg_size", "total_msg_size")
_ALL_RANKS = "total_msg_size"
# Any of them left out is an error when MPICH starts; of the others, when a call comes.
_NEED_A_REST = (*_SIZES, "comm_size", "comm_avg_ppn", "count")
_CONDITIONS = {*_NEED_A_REST, "is_multi_threaded", "comm_type", "comm_hierarchy", "collective",
               "is_node_consecutive", "is_sendbuf_inplace", "is_block_regular", "is_commutative",
               "is_op_built_in"}  # fmt: skip
_INTEGER_BYTES = 4


@dataclass(frozen=True)
class Leaf:
    """What runs where all these conditions hold and none of those that come before them."""

    line: int
    collective: str
    holds: tuple[str, ...]
    excluded: tuple[str, ...]
    kind: str  # algorithm or composition
    name: str  # with parameters
    communicator: str  # intra, inter or allcomm


@dataclass(frozen=True)
class Selection:
    path: Path
    collectives: dict[str, Entry]
    leaves: list[Leaf]
    warnings: list[str]


def is_one(keys: list[str]) -> bool:
    """By the first level of a file."""
    return any(key.replace(" ", "").startswith(("collective=", "comm_type=")) for key in keys)


def begins_one(text: str) -> bool:
    """The same of a file that is no JSON."""
    return re.match(r'\{\s*"\s*(collective|comm_type)\s*=', text) is not None


def read(path: Path) -> Selection:
    """UsageError with file, line and what was expected."""
    root = parse(path, path.read_text())
    collectives: dict[str, Entry] = {}
    leaves: list[Leaf] = []
    warnings: list[str] = []
    for entry in root:
        what, _, name = entry.key.partition("=")
        if what != "collective":
            raise UsageError(f"{path}:{entry.line}: expected collective=NAME, got {entry.key}")
        if name not in mpich_defaults.algorithms(5):
            raise UsageError(f'{path}:{entry.line}: MPICH has no collective "{name}"')
        collectives[name] = entry
        leaves += _leaves(path, name, entry, (), ())
        warnings += _gaps(path, entry)
    leaves = [leaf for leaf in leaves if _is_reached(leaf)]
    warnings += _missing(path, collectives, leaves)
    warnings += [f"{path}:{leaf.line}: {what}" for leaf in leaves for what in _wrongs(leaf)]
    return Selection(path, collectives, leaves, warnings)


def _leaves(
    path: Path, collective: str, entry: Entry, holds: tuple[str, ...], excluded: tuple[str, ...]
) -> Iterator[Leaf]:
    before: tuple[str, ...] = ()
    for one in entry.below:
        if one.key.startswith(_LEAVES):
            yield _leaf(path, collective, one, holds, excluded)
            return
        _check_condition(path, one)
        yield from _leaves(path, collective, one, (*holds, one.key), excluded + before)
        before = (*before, one.key)


def _check_condition(path: Path, entry: Entry) -> None:
    try:
        what, _, _ = csel.condition(entry.key)
    except ValueError:
        what = ""
    if what not in _CONDITIONS:
        raise UsageError(f'{path}:{entry.line}: MPICH has no condition "{entry.key}"')


def _leaf(
    path: Path, collective: str, entry: Entry, holds: tuple[str, ...], excluded: tuple[str, ...]
) -> Leaf:
    kind, _, full = entry.key.partition("=")
    owner = "MPIR" if kind == "algorithm" else "MPIDI"
    for communicator in ("intra", "inter", "allcomm"):
        prefix = f"{owner}_{collective.capitalize()}_{communicator}_"
        if full.startswith(prefix):
            break
    else:
        raise UsageError(
            f"{path}:{entry.line}: expected {kind}={owner}_{collective.capitalize()}_intra_..., "
            f"got {full}"
        )
    name = full.removeprefix(prefix).removeprefix("composition_")
    known = mpich.names(collective)
    if kind == "algorithm" and communicator == "intra" and known and name not in known:
        raise UsageError(f"{path}:{entry.line}: {collective} has no algorithm {name}; every rank "
                         "would end when it starts")  # fmt: skip
    values = ",".join(one.key for one in entry.below)
    said = f"{name}:{values}" if values else name
    return Leaf(entry.line, collective, holds, excluded, kind, said, communicator)


def _gaps(path: Path, entry: Entry) -> Iterator[str]:
    """Conditions beside each other must leave nothing over."""
    below = [one for one in entry.below if not one.key.startswith(_LEAVES)]
    if not below or len(below) < len(entry.below):
        return
    last = below[-1]
    what, _, _ = csel.condition(last.key)
    values = {one.key.partition("=")[2] for one in below if one.key.startswith(f"{what}=")}
    # A few collectives have one kind of communicator only.
    complete = what == "comm_type" or "any" in values or {"yes", "no"} <= values
    if not complete:
        effect = "MPICH would not start" if what in _NEED_A_REST else "such a call would abort"
        yield f'{path}:{last.line}: nothing is said of what "{last.key}" leaves over: {effect}'
    for one in below[:-1]:
        if one.key.endswith("=any"):
            yield f'{path}:{one.line}: "{one.key}" takes all, what comes after it is never reached'
    for one in below:
        yield from _gaps(path, one)


def _missing(path: Path, collectives: dict[str, Entry], leaves: list[Leaf]) -> Iterator[str]:
    if any(leaf.kind == "composition" for leaf in leaves):
        return  # what is not there is not composed
    for name in mpich_defaults.algorithms(4):
        if name not in collectives:
            yield f"{path}:1: {name} is missing: MPICH would not start"


def _wrongs(leaf: Leaf) -> Iterator[str]:
    """What an algorithm needs, and nothing makes sure of."""
    if leaf.kind != "algorithm" or leaf.communicator != "intra":
        return
    for need in mpich.needs(leaf.collective, leaf.name) or ():
        if need == mpich.POWER_OF_TWO:
            sure = need in leaf.holds or _is_power(leaf)
        elif need == mpich.MANY:
            sure = "count<pow2" in leaf.excluded
        else:
            sure = need in leaf.holds or need == mpich.NODES
        if not sure:
            yield (f"{leaf.collective} by {leaf.name} needs {mpich.WORDS[need]}, of which nothing "
                   "makes sure: data may be wrong")  # fmt: skip


def _is_power(leaf: Leaf) -> bool:
    """Whether the conditions leave one number of ranks, which is a power of two."""
    for key in leaf.holds:
        what, sign, value = csel.condition(key)
        if (what, sign) == ("comm_size", "<=") and f"comm_size<{value}" in leaf.excluded:
            return int(value) & (int(value) - 1) == 0
    return False


def _range(leaf: Leaf, whats: tuple[str, ...]) -> tuple[int, int | None]:
    """The least and the largest number, if there is any."""
    first, last = int("comm_size" in whats), None
    for key in (*leaf.holds, *leaf.excluded):
        what, sign, value = csel.condition(key)
        if what not in whats or not value.isdecimal():
            continue
        end = int(value) - (sign == "<")
        if key in leaf.excluded:
            first = max(first, end + 1)
        else:
            last = end if last is None else min(last, end)
    return first, last


def _is_reached(leaf: Leaf) -> bool:
    """Conditions further out may leave no number of ranks, or of bytes."""
    bounds = (_range(leaf, ("comm_size",)), _range(leaf, _SIZES))
    return all(last is None or first <= last for first, last in bounds)


def _range_text(first: int, last: int | None) -> str:
    return f"{first}" if first == last else f"{first} on" if last is None else f"{first} to {last}"


def bytes_text(leaf: Leaf) -> str:
    said = _range_text(*_range(leaf, _SIZES))
    in_all = any(key.startswith(_ALL_RANKS) for key in leaf.holds)
    return f"{said} of all ranks" if in_all else said


def where_text(leaf: Leaf) -> str:
    """Ranks, and then conditions as they stand in the file."""
    first, last = _range(leaf, ("comm_size",))
    said = [] if (first, last) == (1, None) else [f"{_range_text(first, last)} ranks"]
    for key in (*leaf.holds, *(f"not {one}" for one in leaf.excluded)):
        what, _, value = csel.condition(key.removeprefix("not "))
        ranged = what in _SIZES or (what == "comm_size" and value.isdecimal())
        # Where one of two words holds, the other does not.
        other = key.startswith("not ") and value in ("yes", "no", "intra", "inter")
        if not ranged and not other and value not in ("any", "intra"):
            said.append(key)
    return ", ".join(dict.fromkeys(said))


def find(selection: Selection, collective: str, ranks_of_node: list[int], size: int) -> Leaf | None:
    """What runs for a call with two buffers and an operation of MPI's on integers."""
    entry = selection.collectives.get(collective)
    if entry is None:
        return None
    ranks = sum(ranks_of_node)
    whole = "whole" in find_collective(collective).bytes
    facts: dict[str, str | int] = {
        "comm_type": "intra", "comm_size": ranks, "is_multi_threaded": "no",
        "comm_hierarchy": "parent" if 1 < len(ranks_of_node) < ranks else "flat",
        "is_node_consecutive": "yes", "is_sendbuf_inplace": "no", "is_block_regular": "yes",
        "is_commutative": "yes", "is_op_built_in": "yes", "count": size // _INTEGER_BYTES,
        "avg_msg_size": size, "total_msg_size": size if whole else size * ranks,
        "comm_avg_ppn": -(-ranks // len(ranks_of_node)),
    }  # fmt: skip
    for leaf in selection.leaves:
        if leaf.collective != collective:
            continue
        if all(_holds(key, facts, ranks_of_node) for key in leaf.holds) and not any(
            _holds(key, facts, ranks_of_node) for key in leaf.excluded
        ):
            return leaf
    return None


def _holds(key: str, facts: dict[str, str | int], ranks_of_node: list[int]) -> bool:
    if key == "comm_size=node_comm_size":
        return len(ranks_of_node) == 1
    return bool(csel.holds(key, facts))
