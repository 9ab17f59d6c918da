# SPDX-License-Identifier: BSD-3-Clause
"""Runs the user's command with the job service beside it."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from suiro.cluster import of_job
from suiro.errors import UsageError
from suiro.run import silence, transport
from suiro.run.command import Plan, prepare
from suiro.run.nested import make_stand_ins, was_called
from suiro.run.report import Reports, print_json, print_table
from suiro.run.service import Service, say

_FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)
_STRICT_EXIT_CODE = 3


@dataclass(frozen=True)
class Options:
    """What the user asked of `suiro run`."""

    explain: str | None = None  # table or json
    trace: Path | None = None
    check: bool = False
    rules: Path | None = None
    forced: Mapping[str, str] = field(default_factory=dict)  # algorithms, by collective
    mpi: str | None = None
    strict: bool = False
    link_rate_bps: float | None = None
    transport: str = "mpi"  # or suiro
    cluster: Path | None = None

    def variables(self) -> dict[str, str]:
        """How the ranks learn it."""
        suiro = self.transport == "suiro"
        found = {
            "SUIRO_EXPLAIN": "1" if self.explain else None,
            "SUIRO_NET_EXPLAIN": "on" if self.explain == "table" and suiro else None,
            "SUIRO_TRACE": "1" if self.trace else None,
            "SUIRO_CHECK": "1" if self.check else None,
            "SUIRO_RULES": str(self.rules.resolve()) if self.rules else None,
        }
        found |= {f"SUIRO_{name.upper()}": value for name, value in self.forced.items()}
        return {name: value for name, value in found.items() if value is not None}


def run(words: Sequence[str], options: Options) -> int:
    """Runs the command. The exit code is its own, or 1 when --check found a difference."""
    if os.environ.get("SUIRO") == "off":
        return _run_command(list(words), dict(os.environ))
    cluster = of_job.find(options.cluster, say)
    os.environ.update(options.variables() | (cluster.variables() if cluster else {}))
    unchanged = dict(os.environ)
    if options.transport == "suiro" and not transport.choose() and options.strict:
        return _STRICT_EXIT_CODE
    plan = prepare(words, options.mpi)
    obstacles = plan.told(options.strict)
    for line in obstacles:
        say(line)
    if obstacles and options.strict:
        return _STRICT_EXIT_CODE
    if plan.obstacle:
        return _run_command(plan.words, unchanged)
    try:
        reports = Reports(options.trace, cluster)
    except OSError as error:
        raise UsageError(f"--trace {options.trace}: {error.strerror}") from None
    service = Service(reports)
    service.start()
    try:
        code, called = _run_plan(plan, service)
    finally:
        service.stop()
        reports.close()
    if service.worlds.registered == 0:
        say(silence.told(plan, called))
    _conclude(reports, options)
    return code if code or not reports.differences else 1


def _run_plan(plan: Plan, service: Service) -> tuple[int, bool]:
    """The exit code, and whether a launcher was called."""
    environment = dict(os.environ) | plan.variables
    environment |= {"SUIRO_JOB": service.places, "SUIRO_TOKEN": service.token}
    if not plan.starts_launchers:
        return _run_command(plan.words, environment, plan.files), True
    with tempfile.TemporaryDirectory(prefix="suiro-run-") as folder:
        code = _run_command(plan.words, environment | make_stand_ins(Path(folder)))
        return code, was_called(Path(folder))


def _run_command(words: list[str], environment: dict[str, str], files: Sequence[int] = ()) -> int:
    """A signal's exit code is 128 and its number, as in a shell."""
    with _forwarding_signals() as forward_to:
        try:
            process = subprocess.Popen(words, env=environment, pass_fds=files)
        except OSError as error:
            raise UsageError(f"{words[0]}: {error.strerror}") from None
        forward_to(process)
        code = process.wait()
    return 128 - code if code < 0 else code


@contextlib.contextmanager
def _forwarding_signals() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Signals that come before the command has started are handed over once it has. Ctrl-C
    reaches the command by the terminal, so here it is only ignored."""
    processes: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        if processes:
            processes[0].send_signal(number)  # nothing, once it has ended
        else:
            early.append(number)

    def forward_to(process: subprocess.Popen[bytes]) -> None:
        processes.append(process)
        for number in early:
            process.send_signal(number)

    old = {number: signal.signal(number, forward) for number in _FORWARDED}
    old[signal.SIGINT] = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield forward_to
    finally:
        for number, handler in old.items():
            if handler is not None:  # it was not set by Python
                signal.signal(number, handler)


def _conclude(reports: Reports, options: Options) -> None:
    if reports.differences > 1:
        say(f"check: {reports.differences} calls differ in all")
    rows = reports.rows(options.link_rate_bps or _lab_rate_bps())
    if options.explain == "json":
        print_json(rows, reports.sites_told, sys.stderr)
    elif options.explain and rows:
        print_table(rows, reports.sites_told, sys.stderr)
    elif options.explain:
        say("nothing to explain: no rank reached MPI_Finalize with a collective that suiro knows")


def _lab_rate_bps() -> float | None:
    try:
        return float(os.environ["SUIRO_LAB_RATE_BPS"])
    except (KeyError, ValueError):
        return None
