# SPDX-License-Identifier: BSD-3-Clause
"""The cost models of the paper on GridMPI (its table 2), beside what was measured between two
sites."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from suiro.bench.result import Cell, Result

_TCP_SHARE = 1448 / 1538  # of a full frame on the wire


@dataclass(frozen=True)
class Sites:
    """Two sites as the models see them."""

    latency_s: float  # one way
    link_Bps: float  # of a host
    wan_Bps: float
    hosts: int  # of the smaller site

    def at_once_Bps(self, senders: int) -> float:
        """What so many hosts get over the WAN together; the paper's WAN is never the limit."""
        return min(senders * self.link_Bps, self.wan_Bps)


# Seconds for a message of M bytes where n ranks use the WAN at a time. M is all that a rank ends
# with, or the root, or a rank begins with.
_MODELS: dict[tuple[str, str], Callable[[Sites, float, int], float]] = {
    ("bcast", "extended_van_de_geijn"): lambda s, m, n: _phases(s, m, n, 2),
    ("bcast", "farfirst"): lambda s, m, _: _phases(s, m, 1, 2),
    ("allreduce", "extended_rabenseifner"): lambda s, m, n: _phases(s, m, n, 2),
    ("allreduce", "twotier"): lambda s, m, _: _phases(s, m, 1, 4),
    ("reduce", "extended_rabenseifner"): lambda s, m, n: _phases(s, m, n, 2),
    ("allgather", "counterparts"): lambda s, m, n: _phases(s, m, n, 1),
    ("reduce_scatter_block", "counterparts"): lambda s, m, n: _phases(s, m, n, 1),
    ("gather", "linear_capped"): lambda s, m, _: s.latency_s + m / s.link_Bps,
    ("gather", "counterparts"): lambda s, m, _: s.latency_s + m / s.link_Bps,
    ("scatter", "linear_capped"): lambda s, m, _: s.latency_s + m / s.link_Bps,
    ("alltoall", "linear_capped"): lambda s, m, _: s.latency_s + m / s.link_Bps,
    ("alltoall", "wan_first"): lambda s, m, _: s.latency_s + m / s.link_Bps,
}
_WHOLE_MESSAGE = ("bcast", "allreduce", "reduce")  # of others a cell has the bytes for one rank


def _phases(sites: Sites, message: float, senders: int, inside: int) -> float:
    return (
        sites.latency_s + message / sites.at_once_Bps(senders) + inside * message / sites.link_Bps
    )


def sites_of_lab(spec_name: str | None) -> Sites | None:
    """None for what is no lab of two sites that suiro ships: a result has only the name of a lab,
    and what was measured must not be lost because a file of that name is elsewhere."""
    from suiro.lab.spec import load, shipped

    if spec_name not in shipped():
        return None
    _, spec = load(spec_name)
    sites = spec.site_of_host
    if len(set(sites)) != 2:
        return None
    wan = spec.wans[0, 1]
    rates = spec.link.rate if isinstance(spec.link.rate, list) else [spec.link.rate]
    return Sites(
        latency_s=wan.delay / 1e6,
        link_Bps=min(rates) / 8 * _TCP_SHARE,
        wan_Bps=wan.rate / 8 * _TCP_SHARE,
        hosts=min(sites.count(site) for site in set(sites)),
    )


def senders_of(algorithm: str, sites: Sites) -> int:
    """n as it was given, or as suiro takes it."""
    given = re.search(r"\bn=(\d+)", algorithm)
    return int(given[1]) if given and given[1] != "0" else min(sites.hosts, 8)


def model_s(cell: Cell, sites: Sites) -> float | None:
    """What the paper's model says of a cell; None where it has none."""
    model = _MODELS.get((cell.collective, cell.algorithm.partition(":")[0]))
    message = cell.bytes * (1 if cell.collective in _WHOLE_MESSAGE else cell.ranks)
    return model(sites, message, senders_of(cell.algorithm, sites)) if model else None


def throughput_Bps(cell: Cell, seconds: float) -> float:
    """As the paper plots it: M P / T, and of an allreduce M P^2 / T."""
    times = cell.ranks if cell.collective == "allreduce" else 1
    return cell.bytes * cell.ranks * times / seconds


def model_lines(result: Result) -> list[str]:
    """Model and measurement of each cell that has one, and how far the model is off."""
    sites = sites_of_lab(result.machine.lab)
    if sites is None:
        return []
    rows = [(cell, seconds) for cell in result.cells if (seconds := model_s(cell, sites))]
    return [
        f"{cell.algorithm:32} {cell.bytes:>9} B  measured {cell.median_s:.3f} s  "
        f"model {seconds:.3f} s  {cell.median_s / seconds - 1:+.0%}"
        for cell, seconds in rows
    ]
