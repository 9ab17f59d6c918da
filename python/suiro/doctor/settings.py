# SPDX-License-Identifier: BSD-3-Clause
"""Which variables of suiro's a job that starts here would have, and who sets them."""

import os

from suiro import variables
from suiro.cluster import of_job
from suiro.doctor.finding import Finding, ok, problem, warning
from suiro.variables import WrongValueError

_CHECK = "variable"


def examine() -> list[Finding]:
    """Those that users set, or the file of the cluster: a line for each."""
    told: list[str] = []
    cluster = of_job.find(None, told.append)
    findings = [warning(_CHECK, line, "`suiro probe --sites` writes a new file") for line in told]
    given = cluster.variables() if cluster else {}
    unknown = variables.unknown(os.environ)
    findings += [warning(_CHECK, line, "unset it") for line in unknown.values()]
    for name, variable in variables.in_use(given | dict(os.environ)).items():
        value = os.environ.get(name)
        if value is None:
            text = f"{name}={variable.shown(given[name])}, by `suiro run` from {cluster}"
            findings.append(ok(_CHECK, text))
        else:
            findings.append(_judged(name, variable, value))
    return findings or [ok(_CHECK, "none of suiro's variables is set")]


def _judged(name: str, variable: variables.Variable, value: str) -> Finding:
    try:
        variable.parse(value)
    except WrongValueError as error:
        return problem(_CHECK, str(error), "set it anew, or unset it")
    return ok(_CHECK, f"{name}={variable.shown(value)}, by the environment")
