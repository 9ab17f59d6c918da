# SPDX-License-Identifier: BSD-3-Clause
"""Which variables of suiro's a job that starts here would have, and who sets them."""

import os
from collections.abc import Mapping

from suiro import variables
from suiro.cluster import of_job
from suiro.doctor.finding import Finding, ok, problem, warning
from suiro.variables import FAMILY, WrongValueError

_CHECK = "variable"


def examine() -> list[Finding]:
    """Those that users set, or the file of the cluster: a line for each."""
    told: list[str] = []
    cluster = of_job.find(None, told.append)
    findings = [warning(_CHECK, line, "`suiro probe --sites` writes a new file") for line in told]
    given = cluster.variables() if cluster else {}
    unknown = variables.unknown(os.environ)
    findings += [warning(_CHECK, line, "unset it") for line in unknown]
    for name, variable in _in_use(given | dict(os.environ)).items():
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


def _in_use(environment: Mapping[str, str]) -> dict[str, variables.Variable]:
    """In the order of the table."""
    found: dict[str, variables.Variable] = {}
    for name, variable in variables.table().items():
        names = variables.forcing() if name == FAMILY else [name]
        found |= {each: variable for each in names if environment.get(each)}
    return {name: variable for name, variable in found.items() if not variable.set_by}
