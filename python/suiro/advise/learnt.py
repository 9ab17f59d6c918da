# SPDX-License-Identifier: BSD-3-Clause
"""What was measured on these nodes before, which comes before the model."""

import os
from typing import Any

from suiro.advise.question import Question
from suiro.errors import MachineError, SuiroError
from suiro.output import say
from suiro.run.lessons import Lessons
from suiro.tune import store


def lessons_for(question: Question) -> list[dict[str, Any]]:
    """As a job on these nodes would get them; none where no file names the nodes."""
    if not question.hosts:
        return []
    try:
        records = [record for _, record in store.read_all(store.cluster_named(question.hosts))]
    except MachineError:
        return []  # no HOME
    except SuiroError as error:
        say(f"{error}; nothing is learnt from it")
        return []
    versions = sorted({one.key.mpi for one in records if question.mpi.says(one.key.mpi)})
    asked = [{"mpi": mpi, "variables": dict(os.environ)} for mpi in versions]
    return [lesson for one in asked for lesson in Lessons().recall(question.hosts, one)]
