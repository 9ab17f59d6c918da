# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own algorithms, what each of them needs, and the files with which users choose among
them.

Sources, read in 4.0.2 and 5.0.1: src/mpi/coll/coll_algorithms.txt and src/mpi/coll/*/*_intra_*.c
for what algorithms need, src/mpi/coll/src/csel_container.c for their parameters,
src/mpid/ch4/src/ch4_coll.h for compositions. MPICH does not check what an algorithm needs: one that
is chosen where it must not be brings wrong data, without an error."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from suiro.errors import UsageError
from suiro.tune import mpich_defaults
from suiro.tune.csel import Document, Tree, document, settled, text
from suiro.tune.mpich_defaults import ALL_AT_ONCE, CH4, MPIR

DEFAULT = "default"
NEVER = "never"  # what stands for it fails: nothing is chosen
RELEASES = ("4.0", "5.0")
_BYTES_MAX = 2**31 - 1  # a file's numbers are of C's int
_INTEGER_BYTES = 4

# What an algorithm may need of a call, and what else the call may be.
COMMUTATIVE, BUILT_IN = "is_commutative=yes", "is_op_built_in=yes"
NOT_IN_PLACE = "is_sendbuf_inplace=no"
MANY = "count=any"  # elements: as many as the largest power of two of ranks, or more
NODES = "comm_hierarchy=parent"
POWER_OF_TWO = "comm_size=pow2"
_IN_PLACE = "is_sendbuf_inplace=yes"
WORDS = {
    COMMUTATIVE: "an operation that commutes",
    BUILT_IN: "an operation of MPI's",
    NOT_IN_PLACE: "two buffers",
    _IN_PLACE: "one buffer, in place",
    "is_block_regular=yes": "blocks of one size",
    MANY: "as many elements as a power of two of ranks",
    NODES: "several nodes with several ranks",
    POWER_OF_TWO: "a power of two of ranks",
}
_OPPOSITES = {
    COMMUTATIVE: "is_commutative=no",
    BUILT_IN: "is_op_built_in=no",
    NOT_IN_PLACE: "is_sendbuf_inplace=yes",
    MANY: "count<pow2",
    NODES: "comm_hierarchy=any",
}
# A condition that always holds is the last one.
_HOLDS_ALWAYS = (MANY, "comm_hierarchy=any")
# Elements are compared where an operation of MPI's says that all ranks count alike.
_MPI_SUM = (COMMUTATIVE, BUILT_IN)


@dataclass(frozen=True)
class Algorithm:
    """`model`: the catalog's that moves the same; `{segment}` is filled in."""

    name: str
    needs: tuple[str, ...] = ()
    model: str | None = None
    since: int = 4
    segments: bool = False


_TREE = "tree:tree_type={},k={},is_non_blocking=1"
_PIPELINE = (
    "pipelined_tree:tree_type=kary,k={},is_non_blocking=1,recv_pre_posted=0,chunk_size={{segment}}"
)
_ALGORITHMS: dict[str, tuple[Algorithm, ...]] = {
    "bcast": (
        Algorithm("binomial", model="binomial:segment={size}"),
        Algorithm("scatter_recursive_doubling_allgather", model="scatter_allgather"),
        Algorithm("scatter_ring_allgather"),
        Algorithm("smp", (NODES,)),
        Algorithm(_TREE.format("kary", 2), model="binary:segment={size}", since=5),
        Algorithm(_TREE.format("knomial_1", 4), model="knomial:radix=4,segment={size}", since=5),
        Algorithm(_PIPELINE.format(1), (), "pipeline:segment={segment}", 5, segments=True),
        Algorithm(_PIPELINE.format(2), (), "binary:segment={segment}", 5, segments=True),
    ),
    "reduce": (
        Algorithm("binomial", model="binomial:segment={size}"),
        Algorithm("reduce_scatter_gather", (BUILT_IN, MANY), "rabenseifner"),
        Algorithm("smp", (COMMUTATIVE, NODES)),
    ),
    "allreduce": (
        Algorithm("recursive_doubling", model="recursive_doubling"),
        Algorithm("reduce_scatter_allgather", (BUILT_IN, MANY), "rabenseifner"),
        Algorithm("smp", (COMMUTATIVE, NODES)),
        Algorithm("ring", (*_MPI_SUM, MANY), "ring", 5),
        Algorithm("recursive_multiplying:k=4", _MPI_SUM, since=5),
        Algorithm("recexch:k=4,single_phase_recv=0", _MPI_SUM, since=5),
        Algorithm("k_reduce_scatter_allgather:k=4,single_phase_recv=0",
                  (*_MPI_SUM, MANY), since=5),
    ),
    "allgather": (
        Algorithm("brucks", model="bruck"),
        Algorithm("recursive_doubling", (POWER_OF_TWO,), "recursive_doubling"),
        Algorithm("ring", model="ring"),
        Algorithm("k_brucks:k=4", since=5),
        Algorithm("recexch_doubling:k=2,single_phase_recv=0", since=5),
        Algorithm("recexch_halving:k=2,single_phase_recv=0", since=5),
    ),
    "alltoall": (
        Algorithm("brucks", (NOT_IN_PLACE,), "bruck"),
        Algorithm("pairwise", (NOT_IN_PLACE,), "pairwise"),
        Algorithm("scattered", (NOT_IN_PLACE,), "linear"),
        Algorithm("k_brucks:k=4", (NOT_IN_PLACE,), since=5),
    ),
    "reduce_scatter_block": (
        Algorithm("recursive_halving", (COMMUTATIVE,), "recursive_halving"),
        Algorithm("pairwise", (COMMUTATIVE,), "pairwise"),
        Algorithm("recursive_doubling"),
        Algorithm("noncommutative", (POWER_OF_TWO,)),
    ),
}  # fmt: skip
_REPLACED = Algorithm("pairwise_sendrecv_replace", (_IN_PLACE,))
# What there is nothing to choose from, or what is for some calls only.
_NOT_TRIED: dict[str, tuple[Algorithm, ...]] = {
    "allreduce": (Algorithm("tree"), Algorithm("ccl")),
    "alltoall": (_REPLACED,),
    "alltoallv": (_REPLACED, Algorithm("scattered", (NOT_IN_PLACE,))),
    "alltoallw": (_REPLACED, Algorithm("scattered", (NOT_IN_PLACE,))),
    "allgatherv": (
        Algorithm("brucks"), Algorithm("recursive_doubling", (POWER_OF_TWO,)), Algorithm("ring")
    ),
    "reduce_scatter": (
        Algorithm("noncommutative", (POWER_OF_TWO, "is_block_regular=yes")),
        Algorithm("pairwise", (COMMUTATIVE,)),
        Algorithm("recursive_doubling"),
        Algorithm("recursive_halving", (COMMUTATIVE,)),
    ),
    "barrier": (
        Algorithm("smp"), Algorithm("dissemination"), Algorithm("k_dissemination"),
        Algorithm("recexch"),
    ),
    "gather": (Algorithm("binomial"),),
    "scatter": (Algorithm("binomial"),),
    "scan": (Algorithm("smp"), Algorithm("recursive_doubling")),
    "exscan": (Algorithm("recursive_doubling"),),
}  # fmt: skip
COLLECTIVES = tuple(_ALGORITHMS)
# Files count all ranks' bytes of these.
_TIMES_RANKS = {"allgather", "reduce_scatter_block"}


@dataclass(frozen=True)
class Job:
    """The MPICH that runs, and where its ranks are."""

    release: str
    node_of_rank: tuple[int, ...]

    @cached_property
    def ranks(self) -> int:
        return len(self.node_of_rank)

    @cached_property
    def major(self) -> int:
        return int(self.release.partition(".")[0])

    @cached_property
    def has_hierarchy(self) -> bool:
        return 1 < len(set(self.node_of_rank)) < self.ranks

    def offers(self, algorithm: Algorithm, elements: int) -> bool:
        """Whether it could ever run for a call of so many elements."""
        if algorithm.since > self.major or (NODES in algorithm.needs and not self.has_hierarchy):
            return False
        power = 1 << (self.ranks.bit_length() - 1)
        if POWER_OF_TWO in algorithm.needs and power != self.ranks:
            return False
        return MANY not in algorithm.needs or elements >= power


def job_of(version: str, node_of_rank: Sequence[int]) -> Job:
    """`version` is what the MPI library says of itself. UsageError if it is none that was read."""
    match = re.match(r"MPICH Version:\s*(\d+\.\d+)", version)
    if match is None or match[1] not in RELEASES:
        said = " ".join(version.split("\n")[0].split())
        raise UsageError(
            f"files for MPICH can be written for {' and '.join(RELEASES)}, whose defaults are "
            f"known; this is {said}"
        )
    return Job(match[1], tuple(node_of_rank))


@dataclass(frozen=True)
class Choice:
    name: str
    model: str | None


def choices(collective: str, size: int, segments: Sequence[int], job: Job) -> list[Choice]:
    """Every algorithm; those that cut a message with each segment that is shorter."""
    made = []
    for row in _ALGORITHMS[collective]:
        if not job.offers(row, size // _INTEGER_BYTES):
            continue
        for segment in [one for one in segments if one < size] if row.segments else [0]:
            # The catalog's 0 chooses a segment by itself: none is one as long as the message.
            model = row.model and row.model.format(segment=segment, size=max(size, 1))
            made.append(Choice(row.name.format(segment=segment), model))
    return made


def needs(collective: str, name: str) -> tuple[str, ...] | None:
    """Of an algorithm, with its parameters or without; None if it is not known."""
    plain = name.partition(":")[0]
    for row in _known(collective):
        if row.name.partition(":")[0] == plain:
            return row.needs
    return None


def names(collective: str) -> set[str]:
    """Of all algorithms, without parameters; of what does not block nothing is known."""
    return {row.name.partition(":")[0] for row in _known(collective)}


def _known(collective: str) -> tuple[Algorithm, ...]:
    return _ALGORITHMS.get(collective, ()) + _NOT_TRIED.get(collective, ())


Rows = list[tuple[int, str]]  # from so many bytes on, as the table of collectives counts, what runs


def measure_of(collective: str) -> str:
    return "total_msg_size" if collective in _TIMES_RANKS else "avg_msg_size"


def rule_bytes(collective: str, size: int, ranks: int) -> int:
    """What a file calls a size of ours."""
    counted = size * ranks if collective in _TIMES_RANKS else size
    if counted > _BYTES_MAX:
        raise UsageError(
            f"{collective} of {size} bytes: MPICH counts {counted}, of all ranks, and its files "
            f"have no numbers above {_BYTES_MAX}"
        )
    return counted


Rules = Mapping[str, Mapping[Job, Rows]]  # of each collective, for communicators like a job


def files(rules: Rules, major: int) -> dict[str, str]:
    """The text of each, whole: with rules for communicators of exactly as many ranks as a job has,
    and MPICH's defaults."""
    return {
        MPIR: text(selection(MPIR, major, _trees(MPIR, rules, major))),
        CH4: text(selection(CH4, major, _trees(CH4, rules, major))),
    }


def selection(layer: str, major: int, changed: Mapping[str, Tree] | None = None) -> Document:
    """All collectives, some of them with other trees inside a communicator than the defaults."""
    mpir = layer == MPIR
    defaults = mpich_defaults.algorithms(major) if mpir else mpich_defaults.compositions(major)
    word = "algorithm=MPIR_" if mpir else "composition=MPIDI_"
    root: Document = {}
    for name, kinds in defaults.items():
        below: Document = {}
        for kind, tree in kinds.items():
            prefix = f"{word}{name.capitalize()}_{kind}_" + ("" if mpir else "composition_")
            chosen = (changed or {}).get(name, tree) if kind == "intra" else tree
            made = document(chosen, prefix)
            below |= made if kind == "allcomm" else {f"comm_type={kind}": made}
        root[f"collective={name}"] = below
    return root


def _trees(layer: str, rules: Rules, major: int) -> dict[str, Tree]:
    mpir = layer == MPIR
    maker = mpich_defaults.algorithms if mpir else mpich_defaults.compositions
    defaults = maker(major)
    trees: dict[str, Tree] = {}
    for name, jobs in rules.items():
        if not mpir and name not in ALL_AT_ONCE:
            continue
        default = defaults[name]["intra"]
        by_ranks: dict[str, Tree] = {}
        for job, rows in sorted(jobs.items(), key=lambda one: one[0].ranks):
            by_ranks[f"comm_size<{job.ranks}"] = default
            composition = None if mpir else ALL_AT_ONCE[name]
            by_ranks[f"comm_size<={job.ranks}"] = _steps(name, rows, job, default, composition)
        trees[name] = by_ranks | {"comm_size=any": default}
    return trees


def _steps(collective: str, rows: Rows, job: Job, default: Tree, composition: str | None) -> Tree:
    """By bytes. `composition`: what to write in place of whatever is chosen."""
    known = settled(default, {"comm_size": job.ranks})
    measure = measure_of(collective)

    def chosen(name: str) -> Tree:
        if name == DEFAULT:
            return known
        if name == NEVER:
            return composition or {"comm_type=inter": known}
        needed = needs(collective, name)
        assert needed is not None
        return _guarded(needed, composition or name, known)

    steps: dict[str, Tree] = {}
    before = DEFAULT
    for begin, name in rows:
        if begin > 0:
            steps[f"{measure}<{rule_bytes(collective, begin, job.ranks)}"] = chosen(before)
        before = name
    return steps | {f"{measure}=any": chosen(before)}


def _guarded(needed: tuple[str, ...], chosen: Tree, default: Tree) -> Tree:
    """What is chosen where a call is as it needs, else the default."""
    left = [one for one in needed if one in _OPPOSITES]  # numbers of ranks are known
    if not left:
        return chosen
    first, opposite = left[0], _OPPOSITES[left[0]]
    what, _, word = first.partition("=")
    inner = _guarded(tuple(left[1:]), chosen, settled(default, {what: word}))
    if first in _HOLDS_ALWAYS:
        return {opposite: default, first: inner}
    return {first: inner, opposite: settled(default, {what: opposite.partition("=")[2]})}


def variables(paths: Mapping[str, str]) -> dict[str, str]:
    """What makes MPICH read files, by layer."""
    names = {
        MPIR: "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
        CH4: "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE",
    }
    return {names[layer]: path for layer, path in paths.items()}


def variants(size: int, unit: int, picked: Sequence[str]) -> tuple[dict[str, int], Rows]:
    """A choice for each of the sizes beside each other from `size` on: the size of each by name,
    and the rows."""
    sizes = {name: size + index * unit for index, name in enumerate(picked)}
    rows = [(begin, name) for name, begin in sizes.items()]
    return sizes, [*rows, (size + len(rows) * unit, DEFAULT)]
