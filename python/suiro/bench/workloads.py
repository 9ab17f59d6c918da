# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro bench-transport` has transports carry: a kernel of suiro's, or a user's program."""

import json
import math
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from suiro.bench.launcher import started
from suiro.bench.statistics import median_with_interval
from suiro.errors import SuiroError, UsageError

NPB = ("is", "ft", "cg", "halo", "sweep", "grid", "wave")
_BEHIND = ("phase", "receive", "send", "resume")
POINT_TO_POINT = ("pingpong", "stream", "cold", "lone", "beside", "flood", *_BEHIND)
KERNELS = (*POINT_TO_POINT, "allgather", *NPB)


@dataclass(frozen=True)
class Sample:
    """What one job says: seconds, and over all ranks seconds of processor time, where known."""

    seconds: float
    processor_s: float | None = None


@dataclass(frozen=True)
class Ended:
    """A job that has ended: its exit code, what it printed, and the seconds that it took."""

    code: int
    out: str
    seconds: float


@dataclass(frozen=True)
class Kernel:
    """A small program that communicates in one way; a job makes `calls` of it."""

    name: str
    bytes: int
    calls: int

    def start(self, prefix: list[str], mpi: str) -> tuple[list[str], dict[str, str]]:
        """The command under a launcher of this MPI, and variables that it needs."""
        words, variables = started(prefix, mpi, "kernels")
        return [*words, self.name, str(self.bytes), str(self.calls)], variables

    def sample(self, ended: Ended) -> Sample:
        """The medians of the job's calls; SuiroError if it did not make them all."""
        lines = [line for line in ended.out.splitlines() if line.startswith('{"bench"')]
        events = [json.loads(line) for line in lines]
        made = [event for event in events if event["bench"] == "kernel"]
        if ended.code != 0 or not events or events[-1]["bench"] != "end":
            raise SuiroError(
                f"ended with exit code {ended.code} after {len(made)} of {self.calls} calls: its "
                "messages are above"
            )
        seconds = median_with_interval([event["seconds"] for event in made])[0]
        return Sample(seconds, median_with_interval([event["processor_s"] for event in made])[0])


@dataclass(frozen=True)
class Program:
    """A user's program with its arguments. It tells its time in a line that `seconds_from` finds;
    without that, a job's time is all of it, from its start to its end."""

    name: str
    seconds_from: re.Pattern[str] | None
    bytes: None = None
    calls: int = 1

    def start(self, prefix: list[str], _mpi: str) -> tuple[list[str], dict[str, str]]:
        """The command under a launcher."""
        return [*prefix, *shlex.split(self.name)], {}

    def sample(self, ended: Ended) -> Sample:
        """SuiroError if the program failed, or told no time."""
        if ended.code != 0:
            raise SuiroError(f"ended with exit code {ended.code}: its messages are above")
        if self.seconds_from is None:
            return Sample(ended.seconds)
        found = self.seconds_from.search(ended.out)
        if found is None:
            pattern = self.seconds_from.pattern
            raise SuiroError(f'printed nothing that --seconds-from "{pattern}" finds')
        told = found[1] or ""
        try:
            seconds = float(told)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < math.inf:
            raise SuiroError(f'told "{told}", where a number of seconds above 0 was expected')
        return Sample(seconds)


Workload = Kernel | Program


def parse_kernels(names: str, sizes: Iterable[int], calls: int) -> Iterator[Kernel]:
    """Every kernel with every size; unknown names are refused."""
    for name in names.split(","):
        if name not in KERNELS:
            raise UsageError(f'--kernels "{name}": there are {", ".join(KERNELS)}')
        for size in sizes:
            yield Kernel(name, size, calls)


def parse_program(program: str, seconds_from: str | None) -> Program:
    """`seconds_from` is a regular expression with one group, which finds a number of seconds."""
    try:
        words = shlex.split(program)
    except ValueError as error:
        raise UsageError(f'--program "{program}": {str(error).lower()}') from None
    if not words:
        raise UsageError("--program is empty: give your program and its arguments")
    if seconds_from is None:
        return Program(program, None)
    try:
        pattern = re.compile(seconds_from, re.MULTILINE)
    except re.error as error:
        raise UsageError(f'--seconds-from "{seconds_from}": {error}') from None
    if pattern.groups != 1:
        raise UsageError(
            f'--seconds-from "{seconds_from}": expected one group, such as "seconds = +(\\S+)"'
        )
    return Program(program, pattern)
