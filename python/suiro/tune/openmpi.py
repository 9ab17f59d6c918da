# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's own algorithms, and the files with which users choose among them (coll/tuned's dynamic
rules).

Sources, read in 4.1.4 to 5.0.10: ompi/mca/coll/tuned/coll_tuned_*_decision.c for numbers,
coll_tuned_dynamic_file.c for the format, coll_tuned_decision_dynamic.c for what a size means."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Rows = TypeVar("_Rows")

# Numbers of collectives (coll_base_functions.h).
COLLECTIVES = {
    "allgather": 0, "allgatherv": 1, "allreduce": 2, "alltoall": 3, "alltoallv": 4, "barrier": 6,
    "bcast": 7, "exscan": 8, "gather": 9, "reduce": 11, "reduce_scatter": 12,
    "reduce_scatter_block": 13, "scan": 14, "scatter": 15,
}  # fmt: skip
WITHOUT_CHOICE = {
    5: "alltoallw", 10: "gatherv", 16: "scatterv", 17: "neighbor_allgather",
    18: "neighbor_allgatherv", 19: "neighbor_alltoall", 20: "neighbor_alltoallv",
    21: "neighbor_alltoallw",
}  # fmt: skip
FIXED = 0  # the number that leaves a call to the built-in decision
NEVER = 99  # the number of no algorithm: a call that it is chosen for fails

# Sizes in rules are those of all ranks together, or there are none.
_TIMES_RANKS = {"allgather", "alltoall", "gather", "reduce_scatter", "reduce_scatter_block",
                "scatter"}  # fmt: skip
# Rules for these that depend on bytes read arguments that mean nothing on most ranks.
UNSAFE = {"gather", "scatter"}
# Looked up with a size of 0, whatever the call's is.
SIZELESS = {"alltoallv", "barrier"}
# So one row for all sizes; that of scan and exscan counts no elements.
ONE_ROW = UNSAFE | SIZELESS | {"exscan", "scan"}


@dataclass(frozen=True)
class Algorithm:
    """`model`: the catalog's that moves the same; `{...}` are filled in."""

    number: int
    name: str
    segments: bool = False
    fanouts: tuple[int, ...] = ()
    model: str | None = None


_ALGORITHMS: dict[str, tuple[Algorithm, ...]] = {
    "bcast": (
        Algorithm(1, "basic_linear", model="linear"),
        Algorithm(2, "chain", True, (2, 4), "chain:chains={fanout},segment={segment}"),
        Algorithm(3, "pipeline", True, model="pipeline:segment={segment}"),
        Algorithm(4, "split_binary_tree", True, model="split_binary:segment={segment}"),
        Algorithm(5, "binary_tree", True, model="binary:segment={segment}"),
        Algorithm(6, "binomial", True, model="binomial:segment={segment}"),
        Algorithm(7, "knomial", True, model="knomial:radix=4,segment={segment}"),
        Algorithm(8, "scatter_allgather", model="scatter_allgather"),
        Algorithm(9, "scatter_allgather_ring"),
    ),
    "allreduce": (
        Algorithm(1, "basic_linear"),
        Algorithm(2, "nonoverlapping"),
        Algorithm(3, "recursive_doubling", model="recursive_doubling"),
        Algorithm(4, "ring", model="ring"),
        Algorithm(5, "segmented_ring", True),
        Algorithm(6, "rabenseifner", model="rabenseifner"),
    ),
    "reduce": (
        Algorithm(1, "linear", model="linear"),
        Algorithm(2, "chain", True, (2, 4), "chain:chains={fanout},segment={segment}"),
        Algorithm(3, "pipeline", True, model="pipeline:segment={segment}"),
        Algorithm(4, "binary", True, model="binary:segment={segment}"),
        Algorithm(5, "binomial", True, model="binomial:segment={segment}"),
        Algorithm(6, "in_order_binary", True),
        Algorithm(7, "rabenseifner", model="rabenseifner"),
    ),
    "allgather": (
        Algorithm(1, "linear"),
        Algorithm(2, "bruck", model="bruck"),
        Algorithm(3, "recursive_doubling", model="recursive_doubling"),
        Algorithm(4, "ring", model="ring"),
        Algorithm(5, "neighbor", model="neighbor_exchange"),
    ),
    "allgatherv": (
        Algorithm(1, "default"),
        Algorithm(2, "bruck", model="bruck"),
        Algorithm(3, "ring", model="ring"),
        Algorithm(4, "neighbor", model="neighbor_exchange"),
    ),
    "alltoall": (
        Algorithm(1, "linear", model="linear"),
        Algorithm(2, "pairwise", model="ring"),
        Algorithm(3, "modified_bruck", model="bruck"),
        Algorithm(4, "linear_sync", model="linear"),
    ),
    "alltoallv": (Algorithm(1, "basic_linear"), Algorithm(2, "pairwise")),
    "reduce_scatter": (
        Algorithm(1, "non_overlapping"),
        Algorithm(2, "recursive_halving", model="recursive_halving"),
        Algorithm(3, "ring", model="ring"),
        Algorithm(4, "butterfly"),
    ),
    "reduce_scatter_block": (
        Algorithm(1, "basic_linear"),
        Algorithm(2, "recursive_doubling"),
        Algorithm(3, "recursive_halving", model="recursive_halving"),
        Algorithm(4, "butterfly"),
    ),
    "gather": (
        Algorithm(1, "basic_linear", model="linear"),
        Algorithm(2, "binomial", model="binomial"),
        Algorithm(3, "linear_sync", True),
    ),
    "scatter": (
        Algorithm(1, "basic_linear", model="linear"),
        Algorithm(2, "binomial", model="binomial"),
        Algorithm(3, "linear_nb", model="linear"),
    ),
    "barrier": (
        Algorithm(1, "linear"),
        Algorithm(2, "double_ring"),
        Algorithm(3, "recursive_doubling", model="recursive_doubling"),
        Algorithm(4, "bruck", model="dissemination"),
        Algorithm(6, "tree"),
    ),
    "scan": (Algorithm(1, "linear", model="linear"), Algorithm(2, "recursive_doubling")),
    "exscan": (Algorithm(1, "linear", model="linear"), Algorithm(2, "recursive_doubling")),
}

# For two ranks, or in some releases only.
_NOT_TRIED = {
    "alltoall": {5: "two_proc"},
    "allgather": {6: "two_proc", 7: "sparbit"},
    "allgatherv": {5: "two_proc", 6: "sparbit"},
    "barrier": {5: "two_proc"},
}


@dataclass(frozen=True)
class Choice:
    """One row's algorithm: its number, fan-out and segment in bytes (0: none)."""

    number: int
    fanout: int
    segment: int
    name: str
    model: str | None = None


FIXED_CHOICE = Choice(FIXED, 0, 0, "default")


def choices(collective: str, size: int, segments: Sequence[int]) -> list[Choice]:
    """Every algorithm; those that cut a message without segments and with each that is shorter."""
    made = []
    for row in _ALGORITHMS[collective]:
        for fanout in row.fanouts or (0,):
            lengths = [0, *(one for one in segments if one < size)] if row.segments else [0]
            made += [_choice(row, fanout, segment, size) for segment in lengths]
    return made


def _choice(row: Algorithm, fanout: int, segment: int, size: int) -> Choice:
    given = [f"fanout={fanout}"] if fanout else []
    given += [f"segment={segment}"] if segment else []
    name = row.name + (":" + ",".join(given) if given else "")
    model = row.model
    if model is not None:
        # The catalog's 0 chooses a segment by itself: none is one as long as the message.
        model = model.format(fanout=fanout, segment=segment or max(size, 1))
    return Choice(row.number, fanout, segment, name, model)


@dataclass(frozen=True)
class Rule:
    """From so many bytes on, as the file counts them."""

    from_bytes: int
    choice: Choice


def rule_bytes(collective: str, size: int, ranks: int) -> int:
    """What a rule calls a size of ours."""
    return size * ranks if collective in _TIMES_RANKS else size


def file_text(rules: dict[str, dict[int, list[Rule]]], version: int = 1, comment: str = "") -> str:
    """A file in the classic format, for communicators of exactly so many ranks. `rules`: by
    collective and ranks, ascending, each list beginning with 0 bytes. Version 2 (4.1.8, 5.0.7 and
    later) adds a column that is 0 here.

    The largest number of ranks that is not above a communicator's decides, and the first row if all
    are above: so a row for 0 ranks comes first, and one for a rank more than what was measured."""
    lines = ["rule-file-version-2"] if version == 2 else []
    lines += [f"# {line}" for line in comment.splitlines()]
    lines.append(f"{len(rules)} # collectives")
    for collective, blocks in rules.items():
        sizes = guarded(0, blocks, [Rule(0, FIXED_CHOICE)])
        lines.append(f"{COLLECTIVES[collective]} # {collective}")
        lines.append(f"{len(sizes)} # numbers of ranks")
        for ranks, rows in sizes:
            lines += [f"{ranks} # ranks", f"{len(rows)} # rows"]
            lines += [_row(row, version) for row in rows]
    return "\n".join(lines) + "\n"


def guarded(first: int, blocks: Mapping[int, _Rows], nothing: _Rows) -> list[tuple[int, _Rows]]:
    """Rows for exactly those numbers of ranks, where rows hold up to the next number."""
    made = [(first, nothing)]
    for ranks in sorted(blocks):
        if made[-1][0] == ranks:
            made.pop()
        made += [(ranks, blocks[ranks]), (ranks + 1, nothing)]
    return made


def _row(rule: Rule, version: int) -> str:
    choice = rule.choice
    columns = [rule.from_bytes, choice.number, choice.fanout, choice.segment]
    columns += [0] if version == 2 else []
    return " ".join(map(str, columns)) + f" # {choice.name}"


def variables(path: str) -> dict[str, str]:
    """What makes Open MPI read the file."""
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": path,
    }


def options(given: Mapping[str, str]) -> str:
    """Variables, for a command line."""
    names = given.items()
    return " ".join(f"--mca {name.removeprefix('OMPI_MCA_')} {value}" for name, value in names)


def variants(
    collective: str, size: int, unit: int, ranks: int, picked: Iterable[Choice]
) -> tuple[dict[str, int], list[Rule]]:
    """A choice for each of the sizes beside each other from `size` on: the size of each by name,
    and the rules."""
    sizes: dict[str, int] = {}
    rules = []
    for index, choice in enumerate(picked):
        sizes[choice.name] = size + index * unit
        rules.append(Rule(rule_bytes(collective, size + index * unit, ranks), choice))
    end = rule_bytes(collective, size + len(rules) * unit, ranks)
    return sizes, [*rules, Rule(end, FIXED_CHOICE)]


def numbers(collective: str) -> dict[int, str]:
    """The algorithms of 4.1 and 5.0 by number, also those that are not tried."""
    known = {row.number: row.name for row in _ALGORITHMS.get(collective, ())}
    return known | _NOT_TRIED.get(collective, {})
