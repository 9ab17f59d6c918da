# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts without a switch: their links are the two ends of virtual cables (veth(4)), which have
no rate. For what is bound by processors and the system, such as the latency of a transport."""

import subprocess

from suiro.errors import MachineError
from suiro.lab.plan import Plan

NO_PROCESS = -1


def start(plan: Plan) -> int:
    """Lay the cables, in the place where the switch would have made its ports."""
    ends = zip(plan.hosts[0].links, plan.hosts[1].links, strict=True)
    lines = [f"link add {one.tap} type veth peer name {other.tap}" for one, other in ends]
    result = subprocess.run(
        ["ip", "-batch", "-"], input="\n".join(lines), text=True, capture_output=True
    )
    if result.returncode != 0:
        raise MachineError(f"a cable could not be made: {result.stderr.strip()}")
    return NO_PROCESS
