# SPDX-License-Identifier: BSD-3-Clause
"""What a check found: one line for a person."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel


class Status(StrEnum):
    """A problem stops suiro; a warning costs speed, or something beside the main thing."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Finding(BaseModel):
    """One line."""

    check: str
    status: Status
    text: str
    advice: str = ""  # what to try
    hosts: list[str] = []  # where, when a launcher was given


class Findings(BaseModel):
    """All that was found."""

    findings: list[Finding]

    @property
    def ok(self) -> bool:
        """Nothing stops suiro."""
        return all(finding.status is not Status.PROBLEM for finding in self.findings)


def ok(check: str, text: str) -> Finding:
    """All is well."""
    return Finding(check=check, status=Status.OK, text=text)


def warning(check: str, text: str, advice: str) -> Finding:
    """It costs something."""
    return Finding(check=check, status=Status.WARNING, text=text, advice=advice)


def problem(check: str, text: str, advice: str) -> Finding:
    """It stops suiro."""
    return Finding(check=check, status=Status.PROBLEM, text=text, advice=advice)


def merged(by_host: Iterable[tuple[str, list[Finding]]]) -> list[Finding]:
    """What several hosts have in common is said once."""
    found: dict[tuple[str, str, str, str], Finding] = {}
    for host, findings in by_host:
        for finding in findings:
            key = (finding.check, finding.status, finding.text, finding.advice)
            kept = found.setdefault(key, finding.model_copy(update={"hosts": []}))
            kept.hosts.append(host)
    order = {finding.check: number for number, finding in reversed(list(enumerate(found.values())))}
    return sorted(found.values(), key=lambda finding: order[finding.check])
