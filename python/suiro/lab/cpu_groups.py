# SPDX-License-Identifier: BSD-3-Clause
"""Hosts of different speed: control groups that limit the processor time of each host.

They are made outside the lab by its keeper. Inside, a process that enters a host writes itself
into the group of the host. Both versions of control groups will do.
"""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from suiro.errors import MachineError

_PERIOD_US = 10_000  # short, so that a host is slow rather than now fast and now asleep
_MOUNTS = Path("/proc/self/mountinfo")
_OWN = Path("/proc/self/cgroup")
_REMOVE_TIMEOUT_S = 2.0

MEMBERS = "cgroup.procs"  # who writes 0 to it becomes a member


def create(lab: str, cpu_of_host: dict[str, float]) -> Path:
    """A group for the lab with one for each host in it, which has so many cores."""
    for parent, version in _parents():
        group = parent / f"suiro-lab-{lab}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            for host, cores in cpu_of_host.items():
                _limit(group, host, cores, version)
        except OSError:
            remove(group)
            continue
        return group
    raise MachineError(
        "hosts.cpu: no control group for processor time may be made here: run as root, or under "
        "`systemd-run --user --scope -p Delegate=yes`, or leave hosts.cpu out of the spec"
    )


def remove(group: Path) -> None:
    """Remove a lab's groups, once their processes have gone; those that were killed soon are."""
    deadline = time.monotonic() + _REMOVE_TIMEOUT_S
    while group.is_dir():
        for folder in [*filter(Path.is_dir, group.glob("*")), group]:
            with contextlib.suppress(OSError):
                folder.rmdir()
        if time.monotonic() > deadline:
            return
        if group.is_dir():
            time.sleep(0.01)


def _limit(group: Path, host: str, cores: float, version: int) -> None:
    if version == 2:
        (group / "cgroup.subtree_control").write_text("+cpu")
    folder = group / host
    folder.mkdir()
    quota_us = round(cores * _PERIOD_US)
    if version == 2:
        (folder / "cpu.max").write_text(f"{quota_us} {_PERIOD_US}")
    else:
        (folder / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (folder / "cpu.cfs_quota_us").write_text(str(quota_us))


def _parents() -> Iterator[tuple[Path, int]]:
    """Where a group might be made, with the version: here, else further up."""
    for mount, kind, options in _mounts():
        if kind == "cgroup2":
            controllers, version = "", 2
        elif kind == "cgroup" and "cpu" in options.split(","):
            controllers, version = "cpu", 1
        else:
            continue
        own = mount / _own_group(controllers).lstrip("/")
        for folder in [own, *own.parents]:
            if folder.is_dir() and (version == 1 or _hands_on_cpu(folder)):
                yield folder, version
            if folder == mount:
                break


def _mounts() -> Iterator[tuple[Path, str, str]]:
    """(Folder, kind of file system, its options) of all mounts."""
    for line in _MOUNTS.read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        yield Path(before.split()[4]), kind, options


def _own_group(controller: str) -> str:
    """The group of this process among those of a controller; version 2 names none."""
    for line in _OWN.read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controller in controllers.split(","):
            return group
    return "/"


def _hands_on_cpu(folder: Path) -> bool:
    """Whether groups in this one may limit processor time; asks for it if need be."""
    control = folder / "cgroup.subtree_control"
    with contextlib.suppress(OSError):
        if "cpu" in control.read_text().split():
            return True
        control.write_text("+cpu")
        return "cpu" in control.read_text().split()
    return False
