# SPDX-License-Identifier: BSD-3-Clause
"""Runs the user's command with the job service beside it."""

import contextlib
import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import FrameType

from suiro import variables
from suiro.cluster import of_job
from suiro.errors import SuiroError, UsageError
from suiro.output import WriteError, say, told_of
from suiro.run import silence, transport
from suiro.run.command import Plan, prepare
from suiro.run.nested import make_stand_ins, was_called
from suiro.run.report import Reports
from suiro.run.service import Service
from suiro.run.table import print_json, print_table
from suiro.variables import WrongValueError

_FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)
_STRICT_EXIT_CODE = 3
_ForwardTo = Callable[[subprocess.Popen[bytes]], None]


@dataclass(frozen=True)
class Options:
    """What the user asked of `suiro run`."""

    explain: str | None = None  # table or json
    trace: Path | None = None
    check: bool = False
    check_tolerance: float | None = None
    rules: Path | None = None
    forced: Mapping[str, str] = field(default_factory=dict)  # algorithms, by collective
    mpi: str | None = None
    learn: bool = True
    learn_reductions: bool = False
    reproducible: bool = False
    store: bool = True
    strict: bool = False
    link_rate_bps: float | None = None
    transport: str = "mpi"  # or suiro
    cluster: Path | None = None

    @property
    def learns(self) -> bool:
        """From earlier jobs, and for later ones."""
        return self.store and self.learn and not self.check

    def variables(self) -> dict[str, str]:
        """How the ranks learn it."""
        suiro = self.transport == "suiro"
        found = {
            "SUIRO_EXPLAIN": "on" if self.explain or self.check else None,
            "SUIRO_NET_EXPLAIN": "on" if self.explain == "table" and suiro else None,
            "SUIRO_TRACE": "on" if self.trace else None,
            "SUIRO_CHECK": "on" if self.check else None,
            "SUIRO_CHECK_TOLERANCE": None
            if self.check_tolerance is None
            else repr(self.check_tolerance),
            "SUIRO_LEARN": None if self.learn else "off",
            "SUIRO_LEARN_REDUCTIONS": "on" if self.learn_reductions else None,
            "SUIRO_REPRODUCIBLE": "on" if self.reproducible else None,
            "SUIRO_RULES": str(self.rules.resolve()) if self.rules else None,
        }
        found |= {f"SUIRO_{name.upper()}": value for name, value in self.forced.items()}
        return {name: value for name, value in found.items() if value is not None}


def run(words: Sequence[str], options: Options) -> int:
    """Runs the command. The exit code is its own; else 1 if --check found a difference or a file
    that was asked for is not whole."""
    unchanged = dict(os.environ)
    try:
        if not variables.is_on("SUIRO"):
            return _run_as_it_is(list(words), unchanged)
        if options.strict:
            variables.check(unchanged)
    except WrongValueError as error:
        return _run_unchanged(list(words), unchanged, error, options.strict)
    with contextlib.ExitStack() as stack:
        try:
            cluster = of_job.find(options.cluster, say)
            os.environ.update(options.variables() | (cluster.variables() if cluster else {}))
            plan = _plan(words, options)
            learns = options.learns and not variables.is_on("SUIRO_NO_STORE")
            reports = Reports(options.trace, cluster, learns=learns)
            service = Service(reports)
            environment = dict(os.environ) | plan.variables
            environment |= {"SUIRO_JOB": service.places, "SUIRO_TOKEN": service.token}
            folder = stack.enter_context(_folder()) if plan.starts_launchers else None
            environment |= make_stand_ins(folder) if folder else {}
            service.start()
            if learns:  # takes a tenth of a second, for which no rank has to wait
                Thread(target=import_module, args=("suiro.run.lessons",)).start()
        except UsageError:
            raise
        except Exception as error:  # what suiro lacks here, the command may not need
            return _run_unchanged(list(words), unchanged, error, options.strict)
        # Until all is told: what ends the command must not take its exit code.
        forward_to = stack.enter_context(_forwarding_signals())
        code = _run_command(plan.words, environment, forward_to, (list(words), unchanged))
        called = folder is None or was_called(folder)
        failed = _conclude(service, reports, options, plan, called)
        return code or failed


class _ToldError(SuiroError):
    """Why suiro cannot work was told."""


def _plan(words: Sequence[str], options: Options) -> Plan:
    if options.transport == "suiro" and not transport.choose() and options.strict:
        raise _ToldError
    plan = prepare(words, options.mpi)
    told = plan.told(options.strict)
    for line in told:
        say(line)
    if plan.obstacle or (told and options.strict):
        raise _ToldError
    return plan


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """For the launchers' stand-ins."""
    with tempfile.TemporaryDirectory(prefix="suiro-run-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _run_unchanged(
    words: list[str], environment: dict[str, str], error: Exception, strict: bool
) -> int:
    if not isinstance(error, _ToldError):
        say(told_of(error) + ("" if strict else "; the command runs unchanged"))
    return _STRICT_EXIT_CODE if strict else _run_as_it_is(words, environment)


def _run_as_it_is(words: list[str], environment: dict[str, str]) -> int:
    with _forwarding_signals() as forward_to:
        return _run_command(words, environment, forward_to)


def _run_command(
    words: list[str],
    environment: dict[str, str],
    forward_to: _ForwardTo,
    instead: tuple[list[str], dict[str, str]] | None = None,
) -> int:
    """A signal's exit code is 128 and its number, as in a shell. `instead` is what is started where
    the command and its variables have become too long for the system."""
    try:
        process = _start(words, environment)
    except OSError as error:
        if error.errno != errno.E2BIG or instead is None:
            raise UsageError(f"{words[0]}: {error.strerror}") from None
        say(f"{error.strerror} with what suiro adds; the command runs unchanged")
        return _run_command(*instead, forward_to)
    forward_to(process)
    _allow_many_ranks()
    code = process.wait()
    return 128 - code if code < 0 else code


def _start(words: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """With all descriptors that suiro was given, which may be the job's."""
    try:
        return subprocess.Popen(words, env=environment, close_fds=False)
    except OSError as error:
        found = shutil.which(words[0])
        if error.errno != errno.ENOEXEC or found is None:
            raise
        # A script that does not say whose it is: as shells and launchers have it.
        return subprocess.Popen(["/bin/sh", found, *words[1:]], env=environment, close_fds=False)


def _allow_many_ranks() -> None:
    """Each has a connection. The command has its own limits by now: the user's."""
    with contextlib.suppress(OSError, ValueError):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextlib.contextmanager
def _forwarding_signals() -> Iterator[_ForwardTo]:
    """Signals that come before the command has started are handed over once it has. Ctrl-C
    reaches the command by the terminal, so here it is only ignored. What is ignored already, as by
    nohup, the command shall ignore, too."""
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

    handlers = dict.fromkeys(_FORWARDED, forward) | {signal.SIGINT: lambda *_: None}
    old = {
        number: signal.signal(number, handler)
        for number, handler in handlers.items()
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield forward_to
    finally:
        for number, handler in old.items():
            if handler is not None:  # it was not set by Python
                signal.signal(number, handler)


def _conclude(
    service: Service, reports: Reports, options: Options, plan: Plan, called: bool
) -> int:
    """Tells what was reported. 1 if something differs, or is lost that was asked for. `called`: a
    launcher was."""
    failed = 0
    try:
        service.stop()
        if service.worlds.registered == 0:
            say(silence.told(plan, called))
        _tell(reports, options)
    except Exception as error:  # the command has ended: its exit code is what counts
        say(f"what the ranks reported is lost: {told_of(error)}")
        failed = int(options.check)
    try:
        reports.close()
    except WriteError as error:
        say(str(error))
        failed = 1
    return failed or int(reports.differences > 0)


def _tell(reports: Reports, options: Options) -> None:
    rows = reports.rows(options.link_rate_bps or _lab_rate_bps())
    if reports.cut_off_ranks and (options.explain or options.trace):
        say(
            f"not all calls are there: {reports.cut_off_ranks} of the ranks ended before "
            "MPI_Finalize, or lost their connection to `suiro run`"
            + ("; what they had told is shown" if rows and options.explain else "")
        )
    if reports.differences > 1:
        say(f"check: {reports.differences} calls differ in all")
    if options.check and not reports.differences:
        say(f"check: {reports.compared()}")
    if options.explain == "json":
        print_json(rows, reports.sites_told, sys.stderr)
    elif options.explain and rows:
        print_table(rows, reports.sites_told, sys.stderr)
    elif options.explain:
        say("nothing to explain: no rank told of a collective that suiro knows")


def _lab_rate_bps() -> float | None:
    try:
        return float(variables.text("SUIRO_LAB_RATE_BPS"))
    except ValueError:
        return None
