# SPDX-License-Identifier: BSD-3-Clause
"""Decision trees as MPICH writes them: objects in objects, whose keys are conditions that are tried
one after the other, and at the end the name of what runs.

Source, read in 4.0.2 and 5.0.1: src/mpi/coll/src/csel.c."""

import json
import re
from collections.abc import Mapping

# Conditions and what holds then; or, as a word, what runs: NAME or NAME:PARAMETER=VALUE,...
Tree = str | Mapping[str, "Tree"]
Document = dict[str, "Document"]  # as it stands in a file

_PAGE_BYTES = 4096  # of larger pages, too, every end is a multiple of it
_CONDITION = re.compile(r"(\w+)(<=|<|=)(\w+)")


def by_size(measure: str, *steps: tuple[int, Tree], rest: Tree) -> Tree:
    """Up to so many bytes each."""
    tree: dict[str, Tree] = {f"{measure}<={bytes_max}": tree for bytes_max, tree in steps}
    return tree | {f"{measure}=any": rest}


def condition(key: str) -> tuple[str, str, str]:
    """What is looked at, how it is compared, and with what; ValueError if it is no condition."""
    match = _CONDITION.fullmatch(key)
    if match is None:
        raise ValueError(f'"{key}" is no condition')
    return match[1], match[2], match[3]


def settled(tree: Tree, facts: Mapping[str, str | int]) -> Tree:
    """Without the conditions that facts decide: numbers of sizes, words of all else.

    In 4.0.2 a comm_size< below a message's size holds for that very size, too, so trees for a known
    number of ranks must not have any."""
    if isinstance(tree, str):
        return tree
    made: dict[str, Tree] = {}
    for key, below in tree.items():
        known = holds(key, facts)
        if known is False:
            continue
        rest = settled(below, facts)
        if known:
            return rest if not made else made | {key: rest}
        made[key] = rest
    return made


def holds(key: str, facts: Mapping[str, str | int]) -> bool | None:
    """None where the facts do not say."""
    what, sign, wanted = condition(key)
    if what not in facts:
        return None
    fact = facts[what]
    if wanted == "any":
        return True
    if not isinstance(fact, int):
        return fact == wanted
    if wanted == "pow2":
        return _compared_with_power(what, fact, facts.get("comm_size"))
    if not wanted.isdecimal():
        return None
    return fact <= int(wanted) if sign == "<=" else fact < int(wanted)


def _compared_with_power(what: str, fact: int, ranks: str | int | None) -> bool | None:
    """Numbers of ranks are a power of two or not; elements are fewer than the largest one that is
    not above the number of ranks, or not."""
    if what == "comm_size":
        return fact & (fact - 1) == 0
    return fact < 1 << (ranks.bit_length() - 1) if isinstance(ranks, int) else None


def document(tree: Tree, prefix: str) -> Document:
    """With a prefix for what runs: algorithm=MPIR_Bcast_intra_."""
    if not isinstance(tree, str):
        return {key: document(below, prefix) for key, below in tree.items()}
    name, _, values = tree.partition(":")
    return {prefix + name: {value: {} for value in values.split(",") if value}}


def text(root: Document) -> str:
    """MPICH maps a file into memory and reads on behind its end, where there may be nothing after a
    whole number of pages."""
    made = json.dumps(root, indent=1) + "\n"
    return made if len(made) % _PAGE_BYTES else made + "\n"
