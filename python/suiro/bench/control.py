# SPDX-License-Identifier: BSD-3-Clause
"""Native's own algorithm as a schedule, so that suiro's executor can run it too.

A gain over native alone might be a gain of waiting or copying. A gain over native *and* over
native's own algorithm run by the same executor is the algorithm's.
"""

from dataclasses import dataclass

from suiro.bench.catalog import algorithms
from suiro.bench.native_algorithm import Call, Native, native_of


@dataclass(frozen=True)
class Control:
    """What to run, by its name in the catalog; or why there is nothing."""

    algorithm: str | None = None
    why: str | None = None


_UNKNOWN = Control(why="what this MPI runs was not read")


def find_control(version: str, call: Call) -> Control:
    """`version` is what the MPI library says of itself."""
    native = native_of(version, call)
    return _UNKNOWN if native is None else _spelled(native, call)


def _spelled(native: Native, call: Call) -> Control:
    """The catalog need not have the algorithm, and may lay it over the ranks in another order."""
    name, known = native.algorithm, algorithms(call.collective)
    if name not in known:
        return Control(why=f"native runs {native.said}, which is not in suiro's catalog")
    if not native.moves_the_same:
        return Control(why=f"native's {native.said} goes between nodes otherwise than suiro's")
    taken = {key: value for key, value in native.parameters.items() if key in known[name]}
    missing = native.parameters.keys() - taken.keys() - {"segment"}
    if missing:
        return Control(why=f"suiro's {name} takes no {', '.join(sorted(missing))}")
    parameters = ",".join(f"{key}={value}" for key, value in sorted(taken.items()))
    return Control(f"{name}:{parameters}" if parameters else name)
