# SPDX-License-Identifier: BSD-3-Clause
"""When each rank works on messages between nodes, and for which rank it waits before. It is read
from an estimate's transfers, which know of nothing inside a node."""

from enum import Enum
from typing import NamedTuple

from suiro.sim.estimate import Estimate
from suiro.sim.network import Scene

_SAME_S = 1e-9


class Kind(Enum):
    WORK = "work"  # starts a message, or takes one
    WAIT = "wait"  # for a message, or for leave to send a long one
    OTHER = "other"  # what no transfer tells: copies, reductions, all inside the node, being done


class Span(NamedTuple):
    """What a rank does for a while. `peer`: whom it deals with, or waits for. `posted_s`: when the
    peer had started the message that ends the wait; none of leave to send."""

    kind: Kind
    begin_s: float
    end_s: float
    peer: int | None = None
    posted_s: float | None = None

    @property
    def took_s(self) -> float:
        return self.end_s - self.begin_s


class _Deed(NamedTuple):
    """Work on a message."""

    begin_s: float  # it cannot begin before
    end_s: float
    peer: int
    waits: bool  # the peer lets it begin
    posted_s: float | None = None


def spans(scene: Scene, estimate: Estimate) -> list[list[Span]]:
    """By rank, one after the other, from the start until all are done."""
    network, node_of, site_of = estimate.network, scene.node_of_rank, scene.site_of_node
    deeds: list[list[_Deed]] = [[] for _ in node_of]
    message_s = network["message_s"]
    for sender, receiver, size, posted_s, _, left_s in estimate.transfers:
        # Beside others on its node it may have waited for these, and asked for leave just before.
        alone = scene.ranks_of_node[node_of[sender]] == 1
        for_leave = alone and size > network["eager"]
        deeds[sender].append(_Deed(posted_s - message_s, posted_s, receiver, for_leave))
        is_far = site_of[node_of[sender]] != site_of[node_of[receiver]]
        come_s = left_s + network["latency_s"] + (network["wan_latency_s"] if is_far else 0)
        deeds[receiver].append(_Deed(come_s, come_s + message_s, sender, True, posted_s))
    return [_in_turn(one, estimate.seconds) for one in deeds]


def _in_turn(deeds: list[_Deed], done_s: float) -> list[Span]:
    row = []
    now_s = 0.0
    for deed in sorted(deeds, key=lambda one: one.begin_s):
        if deed.begin_s > now_s + _SAME_S:
            idle = Span(Kind.OTHER, now_s, deed.begin_s)
            if deed.waits:
                idle = Span(Kind.WAIT, now_s, deed.begin_s, deed.peer, deed.posted_s)
            row.append(idle)
            now_s = deed.begin_s
        if deed.end_s > now_s:
            row.append(Span(Kind.WORK, now_s, deed.end_s, deed.peer))
            now_s = deed.end_s
    if done_s > now_s + _SAME_S:
        row.append(Span(Kind.OTHER, now_s, done_s))
    return row


def legible(row: list[Span], least_s: float) -> list[Span]:
    """Spans too short to be seen are joined; what they are most of the time is what is left."""
    found: list[Span] = []
    short: list[Span] = []
    for span in row:
        short.append(span)
        if span.end_s - short[0].begin_s < least_s:
            continue
        longest = max(short, key=lambda one: one.took_s)
        found.append(longest._replace(begin_s=short[0].begin_s, end_s=span.end_s))
        short = []
    return found
