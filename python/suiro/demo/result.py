# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro demo` has measured, as --json prints it."""

from statistics import median

from pydantic import BaseModel, computed_field

from suiro.provenance import Provenance
from suiro.quantities import time_text

SHARE_LEAST = 0.05  # of the time in collectives: what took less is not told


class Ran(BaseModel):
    """A line of what --explain tells of the last run. `bytes`: from and to, if known."""

    collective: str
    bytes: list[int] | None
    calls: int
    algorithm: str
    reason: str


class Shown(BaseModel):
    """One program in one lab. Seconds are the program's own, in the order of the runs: one without
    suiro, one with it, and so on."""

    title: str
    about: str
    lab: str
    network: str  # what the lab is like
    native_s: list[float]
    suiro_s: list[float]
    ran: list[Ran]
    probe: str = ""  # what it found
    doubts: list[str] = []  # why the times may be wrong
    commands: list[str]  # to repeat it

    @computed_field  # type: ignore[prop-decorator]
    @property
    def speedup(self) -> float:
        """Of the medians."""
        return median(self.native_s) / median(self.suiro_s)

    @property
    def of_pairs(self) -> list[float]:
        return [one / other for one, other in zip(self.native_s, self.suiro_s, strict=True)]

    @property
    def times(self) -> str:
        """In a sentence."""
        low, high = min(self.of_pairs), max(self.of_pairs)
        return (
            f"{time_text(median(self.native_s))} without suiro, "
            f"{time_text(median(self.suiro_s))} with it: medians of {len(self.suiro_s)} runs each, "
            f"in turn. Pairs of runs: {factor(low)} to {factor(high)} times as fast."
        )


class Demo(Provenance):
    """The whole document."""

    shown: list[Shown]


def factor(speedup: float) -> str:
    """Below two every hundredth counts, as that may be less than one."""
    return f"{speedup:.2f}" if speedup < 2 else f"{speedup:.1f}"
