# SPDX-License-Identifier: BSD-3-Clause
"""What MPICH runs by itself, of releases 4.0 and 5.0: what a file for it must say of everything
that it does not change, since MPICH starts with no file in which a collective is missing.

Described after what maint/tuning/coll/{mpir,ch4}/generic.json of 4.0.2 and 5.0.1 decide."""

from suiro.tune.csel import Tree, by_size

MPIR, CH4 = "mpir", "ch4"  # over the ranks of a communicator; which of its parts are asked
Collectives = dict[str, dict[str, Tree]]  # by collective and kind of communicator


def _average(*steps: tuple[int, Tree], rest: Tree) -> Tree:
    return by_size("avg_msg_size", *steps, rest=rest)


def _below(measure: str, bytes_end: int, tree: Tree, rest: Tree) -> Tree:
    return {f"{measure}<{bytes_end}": tree, f"{measure}=any": rest}


def _if_many(name: str, otherwise: str) -> Tree:
    """Only for MPI's own operations, and as many elements as a power of two of ranks."""
    many: Tree = {"count<pow2": otherwise, "count=any": name}
    return {"is_op_built_in=no": otherwise, "is_op_built_in=yes": many}


def _commutes(tree: Tree, otherwise: Tree) -> Tree:
    return {"is_commutative=yes": tree, "is_commutative=no": otherwise}


def _with_nodes(tree: Tree, otherwise: Tree) -> Tree:
    """Where the communicator has several nodes, and some with several ranks."""
    return {"comm_hierarchy=parent": tree, "comm_hierarchy=any": otherwise}


def _in_place(tree: Tree, otherwise: Tree) -> Tree:
    return {"is_sendbuf_inplace=yes": tree, "is_sendbuf_inplace=no": otherwise}


def _ranks(few: Tree, power_of_two: Tree, others: Tree) -> Tree:
    return {"comm_size<8": few, "comm_size=pow2": power_of_two, "comm_size=any": others}


_NOTHING = 0  # calls without data


def _bcast() -> Tree:
    doubling, ring = "scatter_recursive_doubling_allgather", "scatter_ring_allgather"
    few = _with_nodes(_average((_NOTHING, "smp"), rest="binomial"), "binomial")
    two, others = [(12288, "binomial"), (524288, doubling)], [(12288, "binomial")]
    none = (_NOTHING, "smp")
    return _ranks(
        few,
        _with_nodes(_average(none, *two, rest=ring), _average(*two, rest=ring)),
        _with_nodes(_average(none, *others, rest=ring), _average(*others, rest=ring)),
    )


def _ibcast() -> Tree:
    doubling, ring = "sched_scatter_recursive_doubling_allgather", "sched_scatter_ring_allgather"
    two: Tree = {
        "avg_msg_size<12288": "sched_binomial",
        "avg_msg_size<524288": doubling,
        "avg_msg_size=any": ring,
    }
    others = _below("avg_msg_size", 12288, "sched_binomial", ring)
    return _with_nodes("sched_smp", _ranks("sched_binomial", two, others))


def _allreduce() -> Tree:
    doubling = "recursive_doubling"
    return _average(
        (_NOTHING, _commutes("smp", doubling)),
        (8, doubling),
        rest=_if_many("reduce_scatter_allgather", doubling),
    )


def _reduce() -> Tree:
    rest = _if_many("reduce_scatter_gather", "binomial")
    return _with_nodes(
        _average((_NOTHING, _commutes("smp", "binomial")), (2048, "binomial"), rest=rest),
        _average((2048, "binomial"), rest=rest),
    )


def _ireduce() -> Tree:
    rest = _if_many("sched_reduce_scatter_gather", "sched_binomial")
    return _with_nodes(
        _commutes("sched_smp", "sched_binomial"), _average((2048, "sched_binomial"), rest=rest)
    )


def _allgather(prefix: str = "") -> Tree:
    ring = prefix + "ring"
    two = _below("total_msg_size", 524288, prefix + "recursive_doubling", ring)
    others = _below("total_msg_size", 81920, prefix + "brucks", ring)
    return {"comm_size=pow2": two, "comm_size=any": others}


def _reduce_scatter(regular: bool, prefix: str = "") -> Tree:
    halving, pairwise = prefix + "recursive_halving", prefix + "pairwise"
    commutes = _below("total_msg_size", 524288, halving, pairwise)
    doubling = prefix + "recursive_doubling"
    otherwise: Tree = {"comm_size=pow2": prefix + "noncommutative", "comm_size=any": doubling}
    if not regular:
        otherwise = {"is_block_regular=yes": otherwise, "is_block_regular=no": doubling}
    return _commutes(commutes, otherwise)


def _alltoall() -> Tree:
    many = _average((256, "brucks"), (32768, "scattered"), rest="pairwise")
    few = _average((32768, "scattered"), rest="pairwise")
    return _in_place("pairwise_sendrecv_replace", {"comm_size<8": few, "comm_size=any": many})


def _ialltoall() -> Tree:
    posted, pairwise = "sched_permuted_sendrecv", "sched_pairwise"
    many = _average((2048, "sched_brucks"), (32768, posted), rest=pairwise)
    few = _average((32768, posted), rest=pairwise)
    return _in_place("sched_inplace", {"comm_size<8": few, "comm_size=any": many})


def _iallreduce() -> Tree:
    doubling = "sched_recursive_doubling"
    return _average((2048, doubling), rest=_if_many("sched_reduce_scatter_allgather", doubling))


def _blocking() -> Collectives:
    replaced = _in_place("pairwise_sendrecv_replace", "scattered")
    exchange = "pairwise_exchange"
    gather = _below("total_msg_size", 2048, "local_gather_remote_send", "linear")
    scatter = _below("total_msg_size", 2048, "remote_send_local_scatter", "linear")
    scattered = "remote_reduce_local_scatter"
    return {
        "bcast": {"intra": _bcast(), "inter": "remote_send_local_bcast"},
        "allreduce": {"intra": _allreduce(), "inter": "reduce_exchange_bcast"},
        "allgather": {"intra": _allgather(), "inter": "local_gather_remote_bcast"},
        "allgatherv": {"intra": _allgather(), "inter": "remote_gather_local_bcast"},
        "reduce": {"intra": _reduce(), "inter": "local_reduce_remote_send"},
        "reduce_scatter": {"intra": _reduce_scatter(False), "inter": scattered},
        "reduce_scatter_block": {"intra": _reduce_scatter(True), "inter": scattered},
        "gather": {"intra": "binomial", "inter": gather},
        "scatter": {"intra": "binomial", "inter": scatter},
        "gatherv": {"allcomm": "linear"},
        "scatterv": {"allcomm": "linear"},
        "scan": {
            "intra": {"is_node_consecutive=yes": "smp", "is_node_consecutive=no": _DOUBLING}
        },
        "exscan": {"intra": _DOUBLING},
        "alltoall": {"intra": _alltoall(), "inter": exchange},
        "alltoallv": {"intra": replaced, "inter": exchange},
        "alltoallw": {"intra": replaced, "inter": exchange},
    }  # fmt: skip


_DOUBLING = "recursive_doubling"
_NEIGHBOURS = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")


def _nonblocking() -> Collectives:
    blocked = _in_place("sched_inplace", "sched_blocked")
    exchange = "sched_pairwise_exchange"
    gather = _below("total_msg_size", 2048, "sched_short", "sched_long")
    scatter = _below("total_msg_size", 2048, "sched_remote_send_local_scatter", "sched_linear")
    scattered = "sched_remote_reduce_local_scatterv"
    scan = _with_nodes("sched_smp", "sched_recursive_doubling")
    gathered = _allgather("sched_")
    found: Collectives = {
        "ibarrier": {"intra": "sched_recursive_doubling", "inter": "sched_bcast"},
        "ibcast": {"intra": _ibcast(), "inter": "sched_flat"},
        "iallreduce": {"intra": _iallreduce(), "inter": "sched_remote_reduce_local_bcast"},
        "iallgather": {"intra": gathered, "inter": "sched_local_gather_remote_bcast"},
        "iallgatherv": {"intra": gathered, "inter": "sched_remote_gather_local_bcast"},
        "ireduce": {"intra": _ireduce(), "inter": "sched_local_reduce_remote_send"},
        "ireduce_scatter": {"intra": _reduce_scatter(False, "sched_"), "inter": scattered},
        "ireduce_scatter_block": {"intra": _reduce_scatter(True, "sched_"), "inter": scattered},
        "igather": {"intra": "sched_binomial", "inter": gather},
        "iscatter": {"intra": "sched_binomial", "inter": scatter},
        "igatherv": {"allcomm": "sched_linear"},
        "iscatterv": {"allcomm": "sched_linear"},
        "iscan": {"intra": scan},
        "iexscan": {"intra": "sched_recursive_doubling"},
        "ialltoall": {"intra": _ialltoall(), "inter": exchange},
        "ialltoallv": {"intra": blocked, "inter": exchange},
        "ialltoallw": {"intra": blocked, "inter": exchange},
    }
    return found | {f"ineighbor_{name}": {"allcomm": "sched_linear"} for name in _NEIGHBOURS}


def algorithms(major: int) -> Collectives:
    """What runs over the ranks of a communicator."""
    alone = "dissemination" if major < 5 else "k_dissemination:k=2"
    barrier: dict[str, Tree] = {"intra": _with_nodes("smp", alone), "inter": "bcast"}
    neighbours: Collectives = {f"neighbor_{name}": {"allcomm": "nb"} for name in _NEIGHBOURS}
    return _blocking() | {"barrier": barrier} | neighbours | _nonblocking()


# Of each, the composition that goes over all ranks at once, whatever nodes they are on.
ALL_AT_ONCE = {"bcast": "gamma", "allreduce": "beta", "reduce": "gamma"}


def compositions(major: int) -> Collectives:
    """Whether nodes are gone through one by one; of ch4 devices. What is not here is not composed,
    nor is what is between communicators."""
    later = "alpha" if major < 5 else "beta"
    found: dict[str, Tree] = {
        "bcast": _composed_bcast(),
        "allreduce": _composed_allreduce(),
        "reduce": _with_nodes(
            _commutes(_average((2048, "beta"), rest="alpha"), "gamma"), "gamma"
        ),
        "barrier": _with_nodes("alpha", "beta"),
        "alltoall": later,
        "allgather": later,
        "scan": {"is_node_consecutive=yes": "alpha", "is_node_consecutive=no": "beta"},
    }  # fmt: skip
    plain = ("gather", "gatherv", "scatter", "scatterv", "alltoallv", "alltoallw", "allgatherv",
             "reduce_scatter", "reduce_scatter_block", "exscan")  # fmt: skip
    found |= dict.fromkeys(plain, "alpha")
    return {name: {"intra": tree} for name, tree in found.items()}


def _composed_bcast() -> Tree:
    two: Tree = {
        "avg_msg_size<12288": "alpha", "avg_msg_size<524288": "beta", "avg_msg_size=any": "gamma"
    }  # fmt: skip
    others = _below("avg_msg_size", 12288, "alpha", "gamma")
    return _with_nodes(_ranks("alpha", two, others), "gamma")


def _composed_allreduce() -> Tree:
    spread = _with_nodes(_commutes("alpha", "beta"), "beta")
    return {"comm_size=node_comm_size": "gamma", "comm_size=any": spread}
