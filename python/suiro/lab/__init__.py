# SPDX-License-Identifier: BSD-3-Clause
"""The lab: a virtual cluster on one machine, made of namespaces and a switch on TAP devices.

from suiro import lab
result = lab.run("4x4-hol", ["ping", "-c1", "host1"])
print(result.exit_code, result.counters)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suiro.lab.front import Result, down, list_labs, run, status, throttle, up

__all__ = ["Result", "down", "list_labs", "run", "status", "throttle", "up"]


def __getattr__(name: str) -> Any:
    """Loaded on first use: the processes inside a lab need none of the front end."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from suiro.lab import front

    return getattr(front, name)
