# SPDX-License-Identifier: BSD-3-Clause
"""What is not known of a cluster, which command would tell it, and how long that takes."""

from dataclasses import dataclass

from suiro.advise.answer import Answer, Cell
from suiro.advise.question import Question
from suiro.bench.catalog import collectives
from suiro.quantities import size_text

_SECONDS_OF_PROBE = "some 10 s"  # docs/probe.md
_BUDGET = "5m"


@dataclass(frozen=True)
class Unknown:
    """`what` is not known, `why` that matters; `command` tells, and takes so long."""

    what: str
    why: str
    command: str
    takes: str

    @property
    def said(self) -> str:
        """What comes before the command."""
        return f"{self.what}, {self.why}. In {self.takes} this tells"


def unknown(answer: Answer) -> list[Unknown]:
    """The most useful first."""
    question = answer.question
    one_each = f"-- {_launcher(question, len(question.ranks_of_node), one_per_node=True)}"
    found = []
    several = len(question.ranks_of_node) > 1
    if several and question.kind is None:
        count = sum(one.switch_matters for one in answer.cells)
        why = f"and answers depend on it, {count} by much" if count else "and may change what runs"
        found.append(Unknown("the kind of switch", why,
                             f"suiro probe --switch --write-cluster cluster.toml {one_each}",
                             _SECONDS_OF_PROBE))  # fmt: skip
    if several and "latency_s" not in question.network:
        what = "the way between nodes" if question.rate_bps else "rate and way between nodes"
        found.append(Unknown(what, "and a usual one is taken" if question.rate_bps else
                             "and 1 and 100 Gbit/s are both thought of",
                             f"suiro probe --sites {one_each}", _SECONDS_OF_PROBE))  # fmt: skip
    doubtful = [one for one in answer.cells if one.doubt and _is_tuned(one)]
    if several and doubtful:
        names = sorted({one.collective for one in doubtful})
        sizes = sorted({one.choice.bytes for one in doubtful})
        words = [size_text(size).replace(" ", "") for size in sizes]
        command = f"suiro tune {','.join(names)} --sizes {','.join(words)}"
        command += f" --budget {_BUDGET} -- {_launcher(question, question.ranks)}"
        found.append(Unknown("what is fastest in open cells", "since only measuring shows it",
                             command, "5 minutes"))  # fmt: skip
    return found


def _is_tuned(cell: Cell) -> bool:
    """By `suiro tune`: not what has no data, or blocks of several sizes."""
    row = collectives()[cell.collective]
    return row.has_data and not row.unequal


def _launcher(question: Question, ranks: int, one_per_node: bool = False) -> str:
    if question.mpi.name == "openmpi":
        return f"mpirun -np {ranks}" + (" --map-by ppr:1:node" if one_per_node else "")
    return f"mpiexec -n {ranks}" + (" -ppn 1" if one_per_node else "")
