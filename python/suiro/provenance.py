# SPDX-License-Identifier: BSD-3-Clause
"""Describes the machine that measured."""

import os
import platform
import re
from pathlib import Path

from pydantic import BaseModel

from suiro import __version__


class Machine(BaseModel):
    """Where it was measured; a figure without this means nothing."""

    cores: int
    processor: str
    kernel: str
    system: str
    suiro: str
    mpi: str
    lab: str | None = None
    model: str | None = None
    rate_bps: int | None = None


def describe_machine(mpi_version: str, link_rate_bps: int | None) -> Machine:
    """Inside a lab the lab's variables say what network it was."""
    rate = os.environ.get("SUIRO_LAB_RATE_BPS", "")
    spec = os.environ.get("SUIRO_LAB_SPEC")  # a name, or the file of the user's own
    return Machine(
        cores=len(os.sched_getaffinity(0)),
        processor=_processor(),
        kernel=f"{platform.system()} {platform.release()}",
        system=platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        suiro=__version__,
        mpi=re.sub(r"\s+Version:\s+", " ", mpi_version.split(",")[0]),  # as MPICH says it
        lab=Path(spec).stem if spec else None,
        model=os.environ.get("SUIRO_LAB_MODEL"),
        rate_bps=int(rate) if rate.isdigit() else link_rate_bps,
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
