# SPDX-License-Identifier: BSD-3-Clause
"""How a switch queues, told from the two-target test: a pure function, and never a guess.

While C's output is overloaded, A sends to C and to B, whose output is free. Then

- frames that are lost tell of a full buffer, and of a switch that drops;
- without loss, A's stream to B tells. If small frames for C in between are enough to hold it
  back, it waits behind each of them: head-of-line blocking. If only more than A's fair share of C
  does, A's link is stopped when the switch holds too much of it: pause frames. If nothing does,
  frames for B never wait for C: virtual output queues.
"""

from typing import Literal

from pydantic import BaseModel

from suiro.bench.innocence import STOPPED_SHARE_MAX
from suiro.probe.evidence import Control, Evidence, Part
from suiro.quantities import rate_text

Kind = Literal["head_of_line", "pause", "drop", "virtual_output_queues", "not_clear"]

# Between each pair of limits lies what fits no model.
_LOST_LEAST, _LOST_MOST = 0.05, 0.005
_HELD_BACK_MOST, _FREE_LEAST = 0.87, 0.93
_CONTROL_SHARE = 0.96
_OVERFLOWED_MOST = 0.01
_LINKS_DIFFER = 1.25
_OVERLOAD_LEAST, _FILLED_LEAST = 1.15, 0.85
_FILLED_MOST = 1.2  # more came through than the link was taken for: nothing was congested
_INCAST_LEAST = 0.8
_SENDER_LEAST = 0.75
_WAITS_LEAST = 0.3
_AGREEING_TRIES = 2
HOSTS_LEAST = 4
_FASTER = "the links are faster than the hosts can fill with datagrams"
_THREE_HOSTS = f"3 hosts can only show loss, and none was seen: give {HOSTS_LEAST} or more"


class Finding(BaseModel):
    """What was found. `tries` agreed on it, `of` were made; `reason` tells why it is not clear."""

    kind: Kind
    tries: int = 0
    of: int = 0
    reason: str = ""


def find(evidence: Evidence) -> Finding:
    """The model that the numbers fit, if they fit one."""
    finding = _find(evidence)
    if finding.kind == "not_clear" and evidence.stood_still > STOPPED_SHARE_MAX:
        still = f"the lab's switch stood still for {evidence.stood_still:.1%} of the time"
        finding.reason = f"{still}: this machine is too busy or too slow; {finding.reason}"
    return finding


def _find(evidence: Evidence) -> Finding:
    obstacle = _hosts_obstacle(evidence)
    if obstacle:
        return Finding(kind="not_clear", reason=obstacle)
    readings = _read_tries(evidence)
    clear = _clear(readings)
    kinds = set(clear)
    if len(evidence.hosts) < HOSTS_LEAST and kinds != {"drop"}:
        return Finding(kind="not_clear", of=len(readings), reason=_THREE_HOSTS)
    if len(kinds) == 1 and len(clear) >= _AGREEING_TRIES:
        return Finding(kind=clear[0], tries=len(clear), of=len(readings))
    reasons = list(dict.fromkeys(reason for _, reason in readings if reason))
    if len(kinds) > 1:
        reasons.insert(0, f"the tries disagree: {', '.join(clear)}")
    return Finding(kind="not_clear", of=len(readings), reason="; ".join(reasons))


def needs_more_tries(evidence: Evidence) -> bool:
    """Whether too many tries said nothing, and no two of the others disagree."""
    whole = len(evidence.parts) == 2 * len(evidence.controls)
    if _hosts_obstacle(evidence) or len(evidence.hosts) < HOSTS_LEAST or not whole:
        return False
    clear = _clear(_read_tries(evidence))
    return len(clear) < _AGREEING_TRIES and len(set(clear)) <= 1


def _read_tries(evidence: Evidence) -> list[tuple[Kind, str]]:
    parts = _named(evidence, "light"), _named(evidence, "heavy")
    return [read_try(*one) for one in zip(evidence.controls, *parts, strict=False)]


def _clear(readings: list[tuple[Kind, str]]) -> list[Kind]:
    return [kind for kind, _ in readings if kind != "not_clear"]


def _named(evidence: Evidence, name: str) -> list[Part]:
    return [part for part in evidence.parts if part.name == name]


def _hosts_obstacle(evidence: Evidence) -> str:
    if len(evidence.hosts) < 3:
        return f"it takes {HOSTS_LEAST} hosts to overload one while another is free"
    if not evidence.link_Bps or min(evidence.link_Bps) <= 0:
        silent = [
            host for host, rate in zip(evidence.hosts, evidence.link_Bps, strict=False) if rate <= 0
        ]
        return f"no UDP datagrams arrive at {', '.join(silent or evidence.hosts)}: let them pass"
    if max(evidence.link_Bps) > _LINKS_DIFFER * min(evidence.link_Bps):
        rates = ", ".join(
            f"{host} {rate_text(rate * 8)}"
            for host, rate in zip(evidence.hosts, evidence.link_Bps, strict=True)
        )
        return f"the links differ, so leave the slower hosts out: into {rates}"
    if not evidence.parts:
        return "the job ended before the test"
    if evidence.incast and evidence.incast.slowdown < _INCAST_LEAST:
        return f"{_FASTER}: TCP took {evidence.incast.slowdown:.2f} of the time"
    return ""


def _control_obstacle(control: Control) -> str:
    if control.overflowed > _OVERFLOWED_MOST:
        return f"a host is too slow for its own link: it missed {control.overflowed:.1%}"
    if control.lost > _LOST_MOST:
        return f"{control.lost:.1%} are lost even when nobody is in anybody's way"
    if control.share < _CONTROL_SHARE:
        return f"only {control.share:.0%} come in time even when nobody is in anybody's way"
    return ""


def read_try(control: Control, light: Part, heavy: Part) -> tuple[Kind, str]:
    """The model that one try fits; else why it fits none."""
    reason = _control_obstacle(control) or _part_obstacle(heavy)
    if not reason and heavy.busy_lost >= _LOST_LEAST:
        return "drop", ""
    reason = reason or _part_obstacle(light)
    if reason:
        return "not_clear", reason
    if light.waits < _WAITS_LEAST:
        return "not_clear", "a host could not send small frames often enough for so fast a link"
    lost = max(light.busy_lost, heavy.busy_lost, light.free_lost, heavy.free_lost)
    if lost > _LOST_MOST:
        return "not_clear", f"{lost:.1%} are lost, which is neither nothing nor much"
    return _read_lossless(light.free_share, heavy.free_share)


def _part_obstacle(part: Part) -> str:
    """Why the traffic was not what the test needs, if it was not."""
    if part.overflowed > _OVERFLOWED_MOST:
        return f"a host was too slow: it missed {part.overflowed:.1%}"
    if part.sender_offered < _SENDER_LEAST:
        return f"a host offered only {part.sender_offered:.2f} of its link"
    if part.busy_offered < _OVERLOAD_LEAST:
        return f"the hosts offered only {part.busy_offered:.2f} links to one"
    if part.busy_filled < _FILLED_LEAST:
        return f"the overloaded output was filled to {part.busy_filled:.0%} only"
    if part.busy_filled > _FILLED_MOST:
        return f"{_FASTER}: {part.busy_filled:.2f} times that came through one"
    return ""


def _read_lossless(light: float, heavy: float) -> tuple[Kind, str]:
    if light <= _HELD_BACK_MOST and heavy <= _HELD_BACK_MOST:
        return "head_of_line", ""
    if light >= _FREE_LEAST and heavy <= _HELD_BACK_MOST:
        return "pause", ""
    if light >= _FREE_LEAST and heavy >= _FREE_LEAST:
        return "virtual_output_queues", ""
    return "not_clear", f"the free stream kept {light:.0%} and {heavy:.0%}, which fits no model"
