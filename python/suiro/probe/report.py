# SPDX-License-Identifier: BSD-3-Clause
"""Says in plain words what was found, from which numbers, what it costs, and what to do."""

from collections.abc import Iterator

from rich.console import Console

from suiro.probe.cost import Cost
from suiro.probe.evidence import Evidence
from suiro.probe.finding import HOSTS_LEAST, Finding, Kind
from suiro.probe.measure import Probe
from suiro.quantities import rate_text, rough_size_text, size_text

NAMES: dict[Kind, str] = {
    "head_of_line": "head-of-line blocking",
    "pause": "pause frames",
    "drop": "loss where many send to one",
    "virtual_output_queues": "none of these: virtual output queues, or as good",
    "not_clear": "not clear",
}
_MEANINGS: dict[Kind, str] = {
    "head_of_line": "frames for a free output wait behind frames for a busy one",
    "pause": "a host that sends too much to a busy output is stopped as a whole",
    "drop": "when the buffer is full frames are dropped; nobody is stopped",
    "virtual_output_queues": "a busy output does not hold up frames for a free one",
    "not_clear": "the numbers fit none of the models well enough",
}
_ADVICE: dict[Kind, list[str]] = {
    "head_of_line": [
        "suiro run -- LAUNCHER ./app: large blocks then go to one node at a time",
        "to force it: SUIRO_ALLTOALL=two_level_pairwise (with one rank per node: ring)",
        "if flow control is on (ethtool -a INTERFACE), turn it off and probe again: a switch that",
        "stops every host that sends anything to a full output looks the same",
    ],
    "pause": [
        "suiro run -- LAUNCHER ./app: large blocks then go to one node at a time",
        "without flow control (ethtool -A INTERFACE rx off tx off, or in the switch) frames are",
        "lost instead, and no stream is stopped that is not part of the congestion: probe again",
    ],
    "drop": [
        "suiro run -- LAUNCHER ./app: large blocks then go to one node at a time, and fit",
        "leave flow control off: pause frames would stop streams to free outputs, too",
    ],
    "virtual_output_queues": [
        "nothing: the order of an all-to-all matters little to this switch",
    ],
    "not_clear": [
        f"probe again on an idle network, with {HOSTS_LEAST} to 8 hosts alike on one switch",
        "hosts that cannot fill their links congest nothing: they need idle cores for it",
    ],
}
_WIDTH = 12


def print_probe(probe: Probe, console: Console) -> None:
    """Four paragraphs; the first line is the answer."""
    finding, evidence = probe.finding, probe.evidence
    agreed = f" ({finding.tries} of {finding.of} tries agree)" if finding.tries else ""
    sections = {
        "switch": [f"{NAMES[finding.kind]}{agreed}", *_meaning(finding)],
        "evidence": list(_evidence(evidence)),
        "cost": list(_cost(probe.cost)) if probe.cost else [],
        "what to do": _ADVICE[finding.kind],
    }
    for title, lines in sections.items():
        for number, line in enumerate(lines):
            style = "bold" if title == "switch" and number == 0 else ""
            head = title if number == 0 else ""
            console.print(f"{head:<{_WIDTH}}", end="", highlight=False)
            console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)


def _meaning(finding: Finding) -> list[str]:
    return [_MEANINGS[finding.kind], *(finding.reason.split("; ") if finding.reason else [])]


def _evidence(evidence: Evidence) -> Iterator[str]:
    if evidence.link_Bps:
        slowest, fastest = min(evidence.link_Bps) * 8, max(evidence.link_Bps) * 8
        yield (
            f"{len(evidence.hosts)} hosts, links of {rate_text(slowest)} to {rate_text(fastest)} "
            f"of payload, {evidence.flows} {'thread' if evidence.flows == 1 else 'threads'} each; "
            f"{rough_size_text(evidence.sent_bytes)} sent in all"
        )
    if evidence.controls:
        shares = ", ".join(f"{control.share:.0%}" for control in evidence.controls)
        lost = max(control.lost for control in evidence.controls)
        yield f"when nobody is in anybody's way, {shares} come in time, and {lost:.1%} are lost"
    if evidence.parts:
        yield "while all others overload C, A sends to B, whose output is free, and"
        yield from _parts(evidence, "light", "a little to C")
        yield from _parts(evidence, "heavy", "as much to C")
    if evidence.incast:
        incast = evidence.incast
        yield (
            f"{incast.sources} hosts sending {size_text(incast.bytes)} to one over TCP take "
            f"{incast.slowdown:.2f} of the link's time, with "
            f"{incast.retransmissions / incast.rounds:.0f} retransmissions each time"
        )


def _parts(evidence: Evidence, name: str, what: str) -> Iterator[str]:
    parts = [part for part in evidence.parts if part.name == name]
    if parts:
        free = ", ".join(f"{part.free_share:.0%}" for part in parts)
        lost = ", ".join(f"{part.busy_lost:.0%}" for part in parts)
        yield f"  {what + ':':<14} {free} reach B in time; {lost} of what goes to C are lost"


def _cost(cost: Cost) -> Iterator[str]:
    yield (
        f"an all-to-all of large blocks, {cost.nodes} nodes x {cost.ppn} "
        f"{'rank' if cost.ppn == 1 else 'ranks'}, in times of what the links need:"
    )
    basis = {
        "model": "by the head-of-line model",
        "model_limit": "at most, by the head-of-line model",
        "measured": "as the bursts over TCP; more hosts lose more",
        "none": "this switch adds nothing",
    }[cost.basis]
    yield f"  {cost.at_once:.2f} everyone to all at once, as MPI libraries do ({basis})"
    yield f"  {cost.one_peer:.2f} one peer node at a time (two_level_ring)"
