# SPDX-License-Identifier: BSD-3-Clause
"""Hosts without a switch of suiro's: their links are virtual cables (veth(4)), which have no rate.
Two hosts are joined directly, any number by a bridge of the kernel. For what is bound by processors
and the system: the latency of a transport, and what collectives cost on fast networks."""

import subprocess

from suiro.errors import MachineError
from suiro.lab.plan import Plan

MODELS = ("wire", "bridge")
NO_PROCESS = -1


def start(plan: Plan) -> int:
    """Lay the cables, in the place where the switch would have made its ports."""
    lines = _bridged(plan) if plan.model == "bridge" else _joined(plan)
    result = subprocess.run(
        ["ip", "-batch", "-"], input="\n".join(lines), text=True, capture_output=True
    )
    if result.returncode != 0:
        raise MachineError(f"a cable could not be made: {result.stderr.strip()}")
    return NO_PROCESS


def _joined(plan: Plan) -> list[str]:
    ends = zip(plan.hosts[0].links, plan.hosts[1].links, strict=True)
    return [f"link add {one.tap} type veth peer name {other.tap}" for one, other in ends]


def _bridged(plan: Plan) -> list[str]:
    lines = ["link add bridge0 type bridge forward_delay 0 mcast_snooping 0"]
    for number, link in enumerate(link for host in plan.hosts for link in host.links):
        port = f"port{number}"
        lines += [
            f"link add {link.tap} type veth peer name {port}",
            f"link set dev {port} mtu {plan.mtu} master bridge0 up",
        ]
    return [*lines, "link set dev bridge0 up"]
