# SPDX-License-Identifier: BSD-3-Clause
"""The verb of `suiro probe --sites`: one job times ways between nodes, from which the sites follow,
and a second one lets nodes send: within each site, and from site to site, over one TCP stream and
over several."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from suiro import variables
from suiro.bench.job import Event, Events, run_job
from suiro.cluster.cluster import Cluster, site_pairs
from suiro.errors import SuiroError, UsageError
from suiro.output import say
from suiro.probe.grouping import Grouping, Latencies, group
from suiro.provenance import Machine, describe_machine
from suiro.quantities import rate_in_file, time_in_file

_STREAMS_MAX = 8
_NEAR_S = 1.5  # how long a stream within a site is watched
_FAR_S, _FAR_WAYS = 1.5, 100  # between sites, and so many ways more, for streams to grow
_FULL = 0.92  # of the best sum of rates: what n nodes at once must reach


class Streams(BaseModel):
    """What one, two, four or eight TCP streams reached at once, in payload of all: from one node of
    a site to one other, or from as many nodes of a site to those of another."""

    sites: tuple[int, int]  # twice the same: within it
    rates_Bps: dict[int, float]  # by streams at once

    @property
    def best_Bps(self) -> float:
        return max(self.rates_Bps.values())

    @property
    def n(self) -> int:
        """The fewest that reach what the way bears."""
        return next(n for n, rate in self.rates_Bps.items() if rate >= _FULL * self.best_Bps)


class SitesProbe(BaseModel):
    """The whole answer, as --json prints it."""

    machine: Machine
    hosts: list[str]
    latencies: Latencies
    grouping: Grouping
    streams: list[Streams]
    command: str

    @property
    def clear(self) -> bool:
        return not self.grouping.doubt

    def cluster(self, now: datetime) -> Cluster:
        """As `suiro run` will use it, with the digits that are written."""
        return Cluster.model_validate(
            {
                "version": 1,
                "measured": {"at": now.replace(microsecond=0), "by": self.command},
                "site": [self._site(number) for number in range(len(self.grouping.sites))],
                "wan": [self._wan(one) for one in self.streams if one.sites[0] != one.sites[1]],
            }
        )

    def way_s(self, left: int, right: int) -> float | None:
        return self.grouping.way_s(self.latencies, left, right)

    def between(self, left: int, right: int) -> Streams | None:
        """What was measured between two sites, or within one."""
        return next((one for one in self.streams if one.sites == (left, right)), None)

    def _site(self, number: int) -> dict[str, Any]:
        way_s, streams = self.way_s(number, number), self.between(number, number)
        return {
            "nodes": [self.hosts[node] for node in self.grouping.sites[number]],
            "latency": time_in_file(way_s) if way_s else None,
            "rate": rate_in_file(streams.best_Bps * 8) if streams else None,
            "stream_rate": rate_in_file(streams.rates_Bps[1] * 8)
            if streams and streams.n > 1
            else None,
        }

    def _wan(self, streams: Streams) -> dict[str, Any]:
        way_s = self.way_s(*streams.sites)
        return {
            "sites": list(streams.sites),
            "delay": time_in_file(way_s) if way_s else None,
            "rate": rate_in_file(streams.best_Bps * 8),
            "n": streams.n,
        }


def probe_sites(prefix: list[str], mpi: str, interface: str, command: str) -> SitesProbe:
    """Two jobs on the same hosts."""
    if interface == "-" and variables.text("SUIRO_LAB_NAME"):
        interface = "eth0"
    first = run_job(prefix, mpi, ["--latencies", interface], with_suiro=False, watch=_watch_ways())
    hosts = list(first.start["hosts"])
    _check_hosts(hosts)
    latencies = _read_latencies(first, len(hosts))
    grouping = group(latencies)
    streams: list[Streams] = []
    plan = _plan_streams(grouping, latencies) if not grouping.doubt else []
    if plan:
        words = [word for one in plan for word in ("--streams", one.seconds, interface, one.pairs)]
        second = run_job(prefix, mpi, words, with_suiro=False, watch=_watch_streams(plan))
        if second.start["hosts"] != hosts:
            raise SuiroError("the launcher started the second job on other hosts: name them to it")
        streams = _read_streams(second, grouping)
    return SitesProbe(
        machine=describe_machine(first.start["mpi"], None),
        hosts=hosts,
        latencies=latencies,
        grouping=grouping,
        streams=streams,
        command=command,
    )


def _check_hosts(hosts: list[str]) -> None:
    if len(hosts) < 2:
        raise UsageError(
            f"the launcher started all processes on {hosts[0]}: give it one process on each of "
            "your nodes, such as mpirun -np 16 --map-by ppr:1:node, or mpiexec -n 16 -ppn 1"
        )
    twice = next((host for host in hosts if hosts.count(host) > 1), None)
    if twice is not None:
        raise UsageError(f"two nodes call themselves {twice}: sites are told by names of hosts")


def _read_latencies(events: Events, nodes: int) -> Latencies:
    rows = [event for event in events.probe if event["bench"] == "probe_latency"]
    return Latencies(
        nodes=nodes,
        references_max=rows[0]["references_max"],
        one_way_s={row["reference"]: row["one_way_s"] for row in rows},
    )


class _Step(BaseModel):
    """Streams from nodes to nodes, for the measuring program."""

    sites: tuple[int, int]
    sources: list[int]
    targets: list[int]
    seconds: str

    @property
    def pairs(self) -> str:
        return ">".join(",".join(map(str, nodes)) for nodes in (self.sources, self.targets))

    @property
    def measured(self) -> int:
        """How often, usually: two streams of a node reach no more than one."""
        return 2 if self.sites[0] == self.sites[1] else len(self.sources).bit_length()


def _plan_streams(grouping: Grouping, latencies: Latencies) -> list[_Step]:
    """Within each site between two nodes; between two sites as many as the smaller has nodes, up to
    8."""
    sites = grouping.sites
    steps = [
        _Step(
            sites=(number, number),
            sources=site[:1] * _STREAMS_MAX,
            targets=site[1:2] * _STREAMS_MAX,
            seconds=f"{_NEAR_S}",
        )
        for number, site in enumerate(sites)
        if len(site) > 1
    ]
    for left, right in site_pairs(len(sites)):
        count = min(len(sites[left]), len(sites[right]), _STREAMS_MAX)
        seconds = _FAR_S + _FAR_WAYS * (grouping.way_s(latencies, left, right) or 0)
        step = _Step(
            sites=(left, right),
            sources=sites[left][:count],
            targets=sites[right][:count],
            seconds=f"{seconds:.2f}",
        )
        steps.append(step)
    return steps


def _read_streams(events: Events, grouping: Grouping) -> list[Streams]:
    found: dict[tuple[int, int], Streams] = {}
    for event in events.probe:
        if event["bench"] != "probe_streams":
            continue
        sites = (grouping.site_of(event["source"]), grouping.site_of(event["target"]))
        streams = found.setdefault(sites, Streams(sites=sites, rates_Bps={}))
        streams.rates_Bps[event["at_once"]] = event["rate_Bps"]
    return list(found.values())


@contextmanager
def _watch_ways() -> Iterator[Callable[[Event], None]]:
    with _bar() as move:

        def advance(event: Event) -> None:
            if event["bench"] == "start" and (nodes := len(event["hosts"])) > 1:
                say(f"timing ways between {nodes} nodes, two at a time")
                move("ways", 0, nodes.bit_length() + 1)
            if event["bench"] == "probe_latency":
                move("ways", 1, event["references_max"])

        yield advance


@contextmanager
def _watch_streams(plan: list[_Step]) -> Iterator[Callable[[Event], None]]:
    with _bar() as move:
        total = sum(step.measured for step in plan)

        def advance(event: Event) -> None:
            if event["bench"] == "start":
                once_s = sum(step.measured * float(step.seconds) for step in plan)
                say(
                    f"filling links and the ways between sites for about {2 * once_s:.0f} s, twice "
                    "that where rates are not steady"
                )
                move("streams", 0, total)
            if event["bench"] == "probe_streams":
                move("streams", 1, total)

        yield advance


@contextmanager
def _bar() -> Iterator[Callable[[str, int, int], None]]:
    """A bar, on a terminal: what it counts, by how many it moves on, and of how many."""
    if not sys.stderr.isatty():
        yield lambda what, by, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda what, by, total: bar.update(task, description=what, advance=by, total=total)
