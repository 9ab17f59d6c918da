# SPDX-License-Identifier: BSD-3-Clause
"""Rule 4, the lab must be innocent: finds the reason why a cell is void, if there is one."""

import time
from pathlib import Path
from statistics import mean, median
from typing import Any

from suiro.bench.result import LineRate, PortTotals
from suiro.quantities import time_text

Counters = dict[str, Any]
_CONTROL_SHARE = 0.97
STOPPED_SHARE_MAX = 0.01  # of the time
_OTHERS_SHARE_MAX = 0.03  # of all processors
# Ethernet around an IP packet: header 14, checksum 4, preamble and gap 20.
# Inside it: TCP and IP headers with timestamps.
_FRAME_EXTRA_BYTES = 38
_HEADERS_BYTES = 52


def wire_goodput_Bps(rate_bps: int, mtu_bytes: int) -> float:
    """Payload per second that a link can carry at most, when every frame is full."""
    return rate_bps / 8 * (mtu_bytes - _HEADERS_BYTES) / (mtu_bytes + _FRAME_EXTRA_BYTES)


def line_rate_reason(line_rate: LineRate | None) -> str | None:
    """The control flow must have reached its rate."""
    if line_rate is None or not line_rate.expected_Bps:
        return None
    share = min(line_rate.goodput_Bps) / line_rate.expected_Bps
    if share >= _CONTROL_SHARE:
        return None
    return f"the control flow reached {share:.0%} of its rate, less than {_CONTROL_SHARE:.0%}"


def others_share(seconds: float = 0.5) -> float:
    """How much of this machine's processors is in use now, before anything runs that is measured
    (proc_stat(5): idle and iowait are the fourth and fifth)."""

    def times() -> list[int]:
        line = Path("/proc/stat").read_text().splitlines()[0]
        return [int(word) for word in line.split()[1:9]]

    before = times()
    time.sleep(seconds)
    spent = [after - earlier for earlier, after in zip(before, times(), strict=True)]
    return 1 - (spent[3] + spent[4]) / max(sum(spent), 1)


def others_reason(share: float | None) -> str | None:
    """Where processors are the limit, nothing else may run."""
    if share is None or share <= _OTHERS_SHARE_MAX:
        return None
    return f"other processes took {share:.0%} of the processors before, more than 3%"


def lateness_p99_us(documents: list[Counters]) -> float | None:
    """The median call's 99th percentile, so that one disturbed call does not void the others."""
    values = [document["lateness_us"]["p99"] for document in documents if "lateness_us" in document]
    return float(median(values)) if values else None


def switch_reason(documents: list[Counters]) -> str | None:
    """The switch must have been in time and must not have run ahead of its rate."""
    if not documents:
        return None
    return (
        _lateness_reason(documents) or _stopped_reason(documents) or _rate_window_reason(documents)
    )


def _lateness_reason(documents: list[Counters]) -> str | None:
    late_us = lateness_p99_us(documents)
    allowed_us = documents[0].get("mtu_time_us")
    if late_us is None or allowed_us is None or late_us <= allowed_us:
        return None
    late, allowed = time_text(late_us * 1e-6), time_text(allowed_us * 1e-6)
    return f"the switch was {late} late (p99); one MTU time is {allowed}"


def _stopped_reason(documents: list[Counters]) -> str | None:
    """While the switch is very late its network stands still, which takes time from everybody."""
    shares = [
        document["stopped_s"] / document["elapsed_s"]
        for document in documents
        if document.get("elapsed_s") and "stopped_s" in document
    ]
    if not shares or median(shares) <= STOPPED_SHARE_MAX:
        return None
    return f"the switch's network stood still for {median(shares):.1%} of the time"


def _rate_window_reason(documents: list[Counters]) -> str | None:
    windows = sum(document.get("window_violations", 0) for document in documents)
    if not windows:
        return None
    return f"{windows} times the switch gave a host more than its rate + 2 MTU in 1 ms"


def port_totals(documents: list[Counters]) -> list[PortTotals]:
    """Means per call, port by port."""
    if not documents:
        return []
    fields = [name for name in PortTotals.model_fields if name != "name"]
    totals = []
    for index, port in enumerate(documents[0]["ports"]):
        means = {
            name: mean(float(document["ports"][index].get(name, 0)) for document in documents)
            for name in fields
        }
        totals.append(PortTotals(name=port["name"], **means))
    return totals
