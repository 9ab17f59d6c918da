# SPDX-License-Identifier: BSD-3-Clause
"""How the tests call the command under test, and look at the processes of a lab."""

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]

Suiro = Callable[..., subprocess.CompletedProcess[str]]


def children_of(pid: int) -> list[int]:
    """None of a process that has ended."""
    try:
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return []


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    return [pid, *(member for child in children_of(pid) for member in family(child))]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def opened(folder: Path) -> list[str]:
    """What lets everybody reach a folder if one above it is closed, such as /root."""
    for parent in reversed(folder.parents):
        if not parent.stat().st_mode & stat.S_IXOTH:
            cover = f"mount -t tmpfs -o mode=755 cover {parent}"
            back = f"mount --bind /mnt {folder}"
            return [f"mount --bind {folder} /mnt", cover, f"mkdir -p {folder}", back]
    return []


def run_as_nobody(device: Path, mode: int, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Calls suiro as a user without rights, where /dev/net/tun is a new device with this mode."""
    os.mknod(device, stat.S_IFCHR, os.makedev(10, 200))
    device.chmod(mode)
    mounts = [f"mount --bind {device} /dev/net/tun", *opened(ROOT)]
    script = " && ".join([*mounts, 'exec "$@"'])
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *nobody, *SUIRO, *arguments],
        text=True,
        capture_output=True,
        cwd="/",
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
