# SPDX-License-Identifier: BSD-3-Clause
"""The numbers that the measuring program printed, as the shares that a finding is made from."""

from statistics import median
from typing import Any

from pydantic import BaseModel

Event = dict[str, Any]


class Part(BaseModel):
    """One piece of traffic. Host `sender` (A) sends to `free` (B), whose output nobody else uses,
    and to `busy` (C), whose output all others overload."""

    name: str  # light or heavy: how much of it A sends to C
    sender: int
    free: int
    busy: int
    free_share: float  # of what A offered to B: what came in time
    busy_share: float  # of what A offered to C: what came in time
    free_lost: float  # of what A sent to B
    busy_lost: float  # of what was sent to C, by all
    sender_offered: float  # by A to both, in rates of the link
    waits: float  # of A's datagrams for C: how many in the time of one full frame
    busy_offered: float  # to C, by all, in rates of the link
    busy_filled: float  # what C received, in rates of the link
    refused: float  # of all that was offered: what the hosts could not get rid of
    overflowed: float  # of all that was sent: what arrived, but found a host too slow to take it


class Control(BaseModel):
    """Every host sends to the next one; nothing is in anybody's way. The worst of all pairs."""

    share: float
    lost: float
    overflowed: float


class Incast(BaseModel):
    """All hosts but one send a block to that one at once, over TCP."""

    sources: int
    bytes: int
    slowdown: float  # the median time over what the link needs
    retransmissions: int  # in all rounds
    rounds: int


class Evidence(BaseModel):
    """What one probe measured. Rates are of payload, by link into each host."""

    hosts: list[str]
    link_Bps: list[float]
    flows: int  # threads that it took to fill a link
    payload_bytes: int = 0  # of a full frame
    controls: list[Control] = []  # of each try, before it
    parts: list[Part] = []
    incast: Incast | None = None
    sent_bytes: int = 0
    stood_still: float = 0.0  # of the time: a lab's switch, which this machine did not let run

    def with_tries_of(self, later: "Evidence") -> "Evidence":
        """Links and incast as they were here; all tries."""
        return self.model_copy(
            update={
                "controls": self.controls + later.controls,
                "parts": self.parts + later.parts,
                "sent_bytes": self.sent_bytes + later.sent_bytes,
                "stood_still": max(self.stood_still, later.stood_still),
            }
        )


def read_evidence(hosts: list[str], events: list[Event]) -> Evidence:
    """From the events of one job; tries are in their order."""
    link = _one(events, "probe_link")
    evidence = Evidence(
        hosts=hosts[: len(link["rates_Bps"])] if link else hosts,
        link_Bps=link["rates_Bps"] if link else [],
        flows=link["flows"] if link else 1,
        payload_bytes=link["payload_bytes"] if link else 0,
    )
    rate_Bps = min(evidence.link_Bps, default=0.0)
    for event in events:
        if event["bench"] != "probe_traffic":
            continue
        evidence.sent_bytes += round(sum(pair["sent_bytes"] for pair in event["pairs"]))
        if event["part"] == "control":
            evidence.controls.append(_control(event["pairs"]))
        else:
            evidence.parts.append(_part(event, rate_Bps, evidence.payload_bytes))
    incast = _one(events, "probe_incast")
    if incast and incast["times_s"] and rate_Bps:
        evidence.incast = _incast(incast, len(evidence.hosts) - 1, rate_Bps)
        rounds = evidence.incast.rounds
        evidence.sent_bytes += rounds * evidence.incast.sources * evidence.incast.bytes
    return evidence


def _one(events: list[Event], kind: str) -> Event | None:
    return next((event for event in events if event["bench"] == kind), None)


def _control(pairs: list[Event]) -> Control:
    return Control(
        share=min(_ratio(pair["counted_bytes"], pair["offered_bytes"]) for pair in pairs),
        lost=max(_lost([pair]) for pair in pairs),
        overflowed=max(_ratio(pair["overflowed_bytes"], pair["sent_bytes"]) for pair in pairs),
    )


def _part(event: Event, rate_Bps: float, payload_bytes: int) -> Part:
    pairs = event["pairs"]
    by_ends = {(pair["source"], pair["target"]): pair for pair in pairs}
    sender, free, busy = event["sender"], event["free"], event["busy"]
    to_free, to_busy = [by_ends.get((sender, target)) for target in (free, busy)]
    all_to_busy = [pair for pair in pairs if pair["target"] == busy]
    by_sender = [pair for pair in (to_free, to_busy) if pair]
    full = rate_Bps * event["counted_s"]  # bytes
    return Part(
        name=event["part"],
        sender=sender,
        free=free,
        busy=busy,
        free_share=_share(to_free),
        busy_share=_share(to_busy),
        free_lost=_lost([to_free] if to_free else []),
        busy_lost=_lost(all_to_busy),
        sender_offered=_ratio(_sum(by_sender, "offered_bytes"), full),
        waits=_ratio(_datagrams(to_busy) * payload_bytes, full),
        busy_offered=_ratio(_sum(all_to_busy, "offered_bytes"), full),
        busy_filled=_ratio(_sum(all_to_busy, "counted_bytes"), full),
        refused=_ratio(_sum(pairs, "refused_bytes"), _sum(pairs, "offered_bytes")),
        overflowed=_ratio(_sum(pairs, "overflowed_bytes"), _sum(pairs, "sent_bytes")),
    )


def _incast(event: Event, sources: int, rate_Bps: float) -> Incast:
    return Incast(
        sources=sources,
        bytes=event["bytes"],
        slowdown=median(event["times_s"]) * rate_Bps / (sources * event["bytes"]),
        retransmissions=event["retransmissions"],
        rounds=len(event["times_s"]),
    )


def _sum(pairs: list[Event], key: str) -> float:
    return float(sum(pair[key] for pair in pairs))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _datagrams(pair: Event | None) -> float:
    """How many were offered in the counted time."""
    return _ratio(pair["offered_bytes"] * pair["sent_datagrams"], pair["sent_bytes"]) if pair else 0


def _share(pair: Event | None) -> float:
    return _ratio(pair["counted_bytes"], pair["offered_bytes"]) if pair else 0.0


def _lost(pairs: list[Event]) -> float:
    """What a host was too slow to take did arrive, so the network did not lose it."""
    arrived = _sum(pairs, "received_bytes") + _sum(pairs, "overflowed_bytes")
    sent = _sum(pairs, "sent_bytes")
    return max(0.0, _ratio(sent - arrived, sent))
