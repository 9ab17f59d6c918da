# SPDX-License-Identifier: BSD-3-Clause
"""What is not known of a cluster, which command would tell it, and how long that takes."""

import shlex
from dataclasses import dataclass

from suiro.advise.answer import Answer, Cell
from suiro.advise.question import Question
from suiro.bench.catalog import collectives
from suiro.quantities import size_text

_SECONDS_OF_PROBE = 10  # docs/probe.md
_BUDGET = "5m"


@dataclass(frozen=True)
class Unknown:
    """`what` is not known, and why that matters; `command` tells, and takes so long."""

    what: str
    command: str
    takes: str

    @property
    def said(self) -> str:
        """What comes before the command."""
        return f"{self.what}. In {self.takes} this tells"


def unknown(answer: Answer) -> list[Unknown]:
    """The most useful first."""
    if len(answer.question.ranks_of_node) == 1:
        return []
    return [*_to_probe(answer), *_to_tune(answer)]


def _to_probe(answer: Answer) -> list[Unknown]:
    """One command, whose file has both."""
    question = answer.question
    missing = []  # what, why it matters, and which probe tells
    if question.kind is None:
        count = sum(one.switch_matters for one in answer.cells)
        why = f"and answers depend on it, {count} by much" if count else "and may change what runs"
        missing.append(("the kind of switch", why, "--switch --write-cluster cluster.toml"))
    if "latency_s" not in question.network:
        what = "the way between nodes" if question.rate_bps else "rate and way between nodes"
        why = "and a usual one is taken" if question.rate_bps else (
            "and 1 and 100 Gbit/s are both thought of")  # fmt: skip
        missing.append((what, why, "--sites"))
    if not missing:
        return []
    whats, whys, options = zip(*missing, strict=True)
    probes = options[0] if len(missing) == 1 else "--switch --sites"
    launcher = _launcher(question, len(question.ranks_of_node), one_per_node=True)
    return [Unknown("; ".join(f"{what}, {why}" for what, why in zip(whats, whys, strict=True)),
                    f"suiro probe {probes} -- {launcher}",
                    f"some {_SECONDS_OF_PROBE * len(missing)} s")]  # fmt: skip


def _to_tune(answer: Answer) -> list[Unknown]:
    question = answer.question
    doubtful = [one for one in answer.cells if one.doubt and _is_tuned(one)]
    if not doubtful:
        return []
    names = sorted({one.collective for one in doubtful})
    sizes = sorted({one.choice.bytes for one in doubtful})
    words = [size_text(size).replace(" ", "") for size in sizes]
    command = f"suiro tune {','.join(names)} --sizes {','.join(words)}"
    command += f" --budget {_BUDGET} -- {_launcher(question, question.ranks)}"
    what = "what is fastest in open cells, since only measuring shows it"
    return [Unknown(what, command, "5 minutes")]


def _is_tuned(cell: Cell) -> bool:
    """By `suiro tune`: not what has no data, or blocks of several sizes."""
    row = collectives()[cell.collective]
    return row.has_data and not row.unequal


def _launcher(question: Question, ranks: int, one_per_node: bool = False) -> str:
    """The user's own where there is one: it knows how the hosts are reached."""
    if question.launcher:
        return shlex.join(question.launcher)
    if question.mpi.name == "openmpi":
        return f"mpirun -np {ranks}" + (" --map-by ppr:1:node" if one_per_node else "")
    return f"mpiexec -n {ranks}" + (" -ppn 1" if one_per_node else "")
