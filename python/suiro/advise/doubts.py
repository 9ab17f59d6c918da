# SPDX-License-Identifier: BSD-3-Clause
"""Why a cell is not to be relied upon. The rules say what the model is known to leave out, and are
held against measurements of others (tests/advise/against_others.py, docs/advise.md)."""

from typing import TYPE_CHECKING

from suiro.advise.question import Question

if TYPE_CHECKING:
    from suiro.advise.answer import Choice

_CORES_FOR_THE_KERNEL = 4
_TOO_FEW = "too few bytes"  # native runs, and surely
_BY_NODES = 0.5  # of native's time: more than half


def doubt_of(question: Question, choice: "Choice") -> str:
    """Empty where there is none."""
    if choice.reason.startswith("measured"):
        return ""
    return _of_decision(choice) or _of_native(question, choice)


def _of_decision(choice: "Choice") -> str:
    if choice.reason.startswith("perhaps"):
        return "a job tries this in its calls, and keeps what is faster"
    if choice.sure or _TOO_FEW in choice.reason:
        return ""
    said = choice.reason.removeprefix("ignorance: ")
    if said == choice.reason or said.startswith("it takes too long"):
        return "too many messages to be foretold within calls: the MPI's own runs"
    return f"{said}: the MPI's own runs"


def _of_native(question: Question, choice: "Choice") -> str:
    """Of its time, which both numbers stand on."""
    outlook = choice.outlook
    if outlook is None or not outlook.on:
        return ""
    if not outlook.native_known:
        return "what this MPI runs is not played: the best in the books is taken for it"
    if any(on.native_s is None or on.chosen_s is None for on in outlook.on):
        return "too many messages to be foretold: how fast is not known"
    if question.fewest_cores < _CORES_FOR_THE_KERNEL:
        more = "" if question.cores else "; --cores tells of more than one for each rank"
        return f"nodes of so few cores have none for the kernel, which the model leaves out{more}"
    if any(on.native_nodes_s > _BY_NODES * (on.native_s or 0) for on in outlook.on):
        return "most of the MPI's own time is what nodes do, which differs from machine to machine"
    return ""
