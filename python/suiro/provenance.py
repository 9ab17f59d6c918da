# SPDX-License-Identifier: BSD-3-Clause
"""Where numbers come from: what every JSON document with results says, so that a table can be made
from it, and measured again by whoever doubts it."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from suiro import __version__, variables

_PACKAGE = Path(__file__).parent


class Machine(BaseModel):
    """Where it was measured; a figure without this means nothing."""

    cores: int
    processor: str
    kernel: str
    system: str
    suiro: str
    mpi: str  # empty where none ran
    lab: str | None = None
    model: str | None = None
    rate_bps: int | None = None


class Provenance(BaseModel):
    """The documents of `suiro bench`, `bench-transport`, `tune` and `sim --compare` begin so."""

    machine: Machine
    command: str
    measured_at: str = ""  # UTC, when it began; of a cell that was repeated the latest counts
    commit: str | None = None  # that last changed src; null where suiro runs from elsewhere


def now() -> str:
    """For `measured_at`."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def provenance(command: str, machine: Machine, measured_at: str) -> Provenance:
    """Of what this suiro has measured."""
    return Provenance(
        machine=machine, command=command, measured_at=measured_at, commit=source_commit(_PACKAGE)
    )


def describe_machine(mpi_version: str, link_rate_bps: int | None) -> Machine:
    """Inside a lab the lab's variables say what network it was."""
    rate = variables.text("SUIRO_LAB_RATE_BPS")
    spec = variables.text("SUIRO_LAB_SPEC")  # a name, or the file of the user's own
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=_processor(),
        kernel=f"{platform.system()} {platform.release()}",
        system=platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        suiro=__version__,
        mpi=re.sub(r"\s+Version:\s+", " ", mpi_version.split(",")[0]),  # as MPICH says it
        lab=Path(spec).stem if spec else None,
        model=variables.text("SUIRO_LAB_MODEL") or None,
        rate_bps=int(rate) if rate.isdigit() else link_rate_bps,
    )


def source_commit(package: Path) -> str | None:
    """The last commit of `src`, with a "+" if files of it have changed since. None where the
    package is not in suiro's own repository, or there is no git."""
    try:
        top = _git(package, "rev-parse", "--show-toplevel")
        if package.resolve() != Path(top).resolve() / "python/suiro":
            return None
        commit = _git(package, "log", "-1", "--format=%H", "--", ":/src")
        changed = _git(package, "status", "--porcelain", "--", ":/src")
    except (OSError, subprocess.CalledProcessError):
        return None
    return commit[:12] + ("+" if changed else "") if commit else None


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
