# SPDX-License-Identifier: BSD-3-Clause
"""What a measurement says: the document that `suiro bench --json` prints and the report reads."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from suiro.errors import UsageError
from suiro.json_lines import WrongJsonError, parse
from suiro.provenance import Provenance

Interval = tuple[float, float]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=1)]


class PortTotals(BaseModel):
    """What the switch counted at one port during the calls of a cell (means per call)."""

    name: str
    rx_bytes: float = 0
    tx_bytes: float = 0
    utilisation: float = 0
    hol_blocked_s: float = 0
    drops: float = 0
    pauses: float = 0
    paused_s: float = 0


class Cell(BaseModel):
    """One algorithm at one size. Ratios are null where the measuring rules publish none."""

    collective: str
    algorithm: str
    nodes: _Count
    ranks: _Count
    bytes: Annotated[
        int, Field(ge=0)
    ]  # as the table of collectives has it; 0 where there is no data
    port_bytes: int | None = None  # through the busiest link, where these were asked for
    spread_percent: int = 0  # by which blocks are larger or smaller
    root: int | None = None
    median_s: _Positive
    ci95_s: Interval
    mean_s: float | None = None  # of ranks' own times, as OSU's programs print; of calls the median
    processor_s: float | None = None  # of the rank that took most; of calls the median
    bandwidth_Bps: float  # what the busiest node must send or receive, over the time
    line_rate_fraction: float | None = None
    bound_fraction: float | None = None
    speedup_over_native: _Positive | None = None
    speedup_over_native_ci95: Interval | None = None
    speedup_over_control: _Positive | None = None
    speedup_over_control_ci95: Interval | None = None
    repetitions: _Count
    cpu_limited: bool = False
    void_reason: str | None = None
    note: str | None = None
    ran: str | None = None  # what "auto" chose
    control: str | None = None  # native's own algorithm as a schedule
    is_control: bool = False
    lateness_p99_us: float | None = None
    switch: list[PortTotals] = []

    @property
    def void(self) -> bool:
        """Whether the figure counts for nothing: the machine was too slow, or it is another's."""
        return self.void_reason is not None

    @property
    def over_native(self) -> tuple[float, Interval] | None:
        """Native's time over this one's with its interval, where the rules publish that."""
        ratio, interval = self.speedup_over_native, self.speedup_over_native_ci95
        return (ratio, interval) if ratio is not None and interval is not None else None


class Steps(BaseModel):
    """The time of each round alone; relative to rounds in which the model sees no blocking."""

    algorithm: str
    bytes: int
    ppn: int
    steps: list[int]
    seconds: list[float]
    relative: list[float]
    predicted: list[float]


class LineRate(BaseModel):
    """The control flow: one TCP stream into each port, one way at a time."""

    goodput_Bps: list[float]
    mtu_bytes: int
    expected_Bps: float | None = None


class Result(Provenance):
    cells: list[Cell]
    steps: list[Steps] = Field(default_factory=list)
    line_rate: LineRate | None = None


def read_result(path: Path) -> Result:
    """A file that `suiro bench --json` has printed."""
    try:
        return parse(Result, path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except WrongJsonError as error:
        raise UsageError(
            f"{path}:{error.line}: not a result of `suiro bench --json`: {error}"
        ) from None
