# SPDX-License-Identifier: BSD-3-Clause
"""The verb: runs the two-target test under a launcher and says what it found."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel

from suiro import variables
from suiro.bench.innocence import Counters
from suiro.bench.job import Event, Events, run_job
from suiro.cluster.cluster import EVERY_NODE, Cluster, Switch
from suiro.errors import UsageError
from suiro.lab.switch import counters
from suiro.output import say
from suiro.probe.cost import Cost, predict
from suiro.probe.evidence import Evidence, read_evidence
from suiro.probe.finding import HOSTS_LEAST, Finding, Kind, find, needs_more_tries
from suiro.provenance import Machine, describe_machine
from suiro.quantities import rate_in_file

# The link, three parts in each of three tries, and the bursts over TCP.
_STEPS = 11
_STEP_NAMES = {"probe_link": "two-target test", "probe_incast": "ending"}


_SWITCHES: dict[Kind, Switch] = {
    "head_of_line": "hol",
    "pause": "pause",
    "drop": "shared",
    "virtual_output_queues": "voq",
}


class Probe(BaseModel):
    """The whole answer, as --json prints it."""

    machine: Machine
    finding: Finding
    evidence: Evidence
    cost: Cost | None
    command: str

    @property
    def clear(self) -> bool:
        return self.finding.kind != "not_clear"

    def cluster(self, now: datetime) -> Cluster:
        """For all nodes, since all are taken for alike; only if the answer is clear."""
        return Cluster.model_validate(
            {
                "version": 1,
                "measured": {"at": now.replace(microsecond=0), "by": self.command},
                "site": [
                    {
                        "nodes": [EVERY_NODE],
                        "switch": _SWITCHES[self.finding.kind],
                        "rate": rate_in_file(round(min(self.evidence.link_Bps) * 8)),
                    }
                ],
            }
        )


def probe_switch(
    prefix: list[str], mpi: str, interface: str, ppn: int | None, command: str
) -> Probe:
    """One job, or two where the first does not make it clear. `ppn` is of the all-to-all whose cost
    is predicted; as launched when None."""
    if interface == "-" and variables.text("SUIRO_LAB_NAME"):
        interface = "eth0"
    events, evidence = _measure(prefix, mpi, interface)
    if needs_more_tries(evidence):
        say("not clear yet, so as many tries again")
        evidence = evidence.with_tries_of(_measure(prefix, mpi, interface)[1])
    finding = find(evidence)
    hosts, node_of_rank = events.start["hosts"], events.node_of_rank
    launched = max(map(node_of_rank.count, node_of_rank))
    return Probe(
        machine=describe_machine(events.start["mpi"], None),
        finding=finding,
        evidence=evidence,
        cost=predict(finding.kind, evidence, len(hosts), ppn or launched),
        command=command,
    )


def _measure(prefix: list[str], mpi: str, interface: str) -> tuple[Events, Evidence]:
    arguments = ["--probe-switch", interface]
    before = _lab_clock()
    events = run_job(prefix, mpi, arguments, with_suiro=False, watch=_watch())
    after = _lab_clock()
    hosts = events.start["hosts"]
    if len(hosts) < 2:
        raise UsageError(
            f"the launcher started all processes on {hosts[0]}: the probe needs {HOSTS_LEAST} "
            "hosts, one process on each, such as mpirun -np 4 --map-by ppr:1:node, or mpiexec "
            "-n 4 -ppn 1"
        )
    evidence = read_evidence(hosts, events.probe)
    evidence.stood_still = _stood_still(before, after)
    return events, evidence


def _lab_clock() -> Counters:
    """How long the switch of the lab that this runs in has run, and stood still; none elsewhere."""
    control = variables.text("SUIRO_LAB_CONTROL")
    return counters(Path(control)) if control else {}


def _stood_still(before: Counters, after: Counters) -> float:
    if not before or not after:
        return 0.0
    elapsed_s, stopped_s = (float(after[key] - before[key]) for key in ("elapsed_s", "stopped_s"))
    return stopped_s / elapsed_s


@contextmanager
def _watch() -> Iterator[Callable[[Event], None]]:
    """Says what goes on: a line, and on a terminal a bar."""
    if not sys.stderr.isatty():
        yield _announce
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=_STEPS)

        def advance(event: Event) -> None:
            _announce(event)
            if event["bench"] == "start":
                bar.update(task, description="rate of the links")
            elif event["bench"].startswith("probe_"):
                bar.update(task, advance=1, description=_STEP_NAMES.get(event["bench"]))

        yield advance


def _announce(event: Event) -> None:
    if event["bench"] == "start" and len(event["hosts"]) > 1:
        count = min(len(event["hosts"]), 8)
        say(f"filling the links of {count} hosts for about 3 s")
