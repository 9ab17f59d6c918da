# SPDX-License-Identifier: BSD-3-Clause
"""How much of its time the machine did not get, as virtual machines on busy hosts do not.

A program that comes before all others on a processor sleeps again and again, and adds up by how
much it woke too late. Hypervisors need not count that as steal time in /proc/stat.
"""

import os
import subprocess
import sys
from types import TracebackType

_SLEEPER = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(60))
start = time.monotonic(); lost = 0.0
os.set_blocking(0, False)
while True:
    before = time.monotonic(); time.sleep(0.002)
    late = time.monotonic() - before - 0.002
    if late > 0.0005: lost += late
    try:
        if os.read(0, 1) == b"": break
    except BlockingIOError: pass
print(lost / (time.monotonic() - start))
"""


class LostTimeError(Exception):
    """What a test measured tells nothing: its own parts say that they lost time."""


class StolenTime:
    """A context in which it is measured; afterwards `share` is that of the worst processor, or 0 if
    this user may not run programs in real time."""

    share = 0.0

    def __enter__(self) -> "StolenTime":
        self._sleepers = [
            subprocess.Popen(
                [sys.executable, "-c", _SLEEPER, str(cpu)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for cpu in sorted(os.sched_getaffinity(0))
        ]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        said = [sleeper.communicate()[0] for sleeper in self._sleepers]
        self.share = max(float(share or 0) for share in said)
