# SPDX-License-Identifier: BSD-3-Clause
"""The front end: start a lab, watch it, enter it, take it down."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NoReturn

from suiro import native
from suiro.errors import MachineError, SuiroError, UsageError
from suiro.lab import linux, state, switch
from suiro.lab.environment import environment, launcher_for
from suiro.lab.host import NAMESPACES, join_cpu_group
from suiro.lab.plan import CONTROL, HOST_PIDS, Plan, Tree, Wan
from suiro.lab.report import to_error
from suiro.lab.spec import Spec, load, shipped
from suiro.output import say

_TUN = Path("/dev/net/tun")
_LAST_WORDS_S = 15.0  # how long an interrupted command may take to end by itself
_DOWN_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Result:
    """How a command in a lab ended, and what the switch counted meanwhile."""

    exit_code: int
    counters: dict[str, Any]
    stdout: str = ""
    stderr: str = ""


def run(
    spec: str,
    command: Sequence[str],
    *,
    mpi: str | None = None,
    name: str | None = None,
    slurm: bool = False,
    capture: bool = False,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run a command on host 0 of a lab made for it, from the current folder, and wait for its end.

    `env` replaces the caller's environment. With `capture` the output is returned, not shown.
    """
    plan = replace(_plan(spec, mpi, name, env, slurm), command=list(command))
    output = subprocess.PIPE if capture else None
    process, reports = _start_keeper(plan, stdout=output, stderr=output)
    try:
        with _interruptible(process):
            stdout, stderr = process.communicate() if capture else ("", "")
            last = _last_event(reports)
    finally:
        reports.close()
        _end(process)
    if last.get("event") == "failed":
        raise to_error(last)
    if last.get("event") != "done":
        raise SuiroError(f"lab {plan.name} was ended from outside")
    return Result(last["exit_code"], last["counters"], stdout, stderr)


def up(spec: str, *, mpi: str | None = None, name: str | None = None, slurm: bool = False) -> str:
    """Start a lab that stays until it is taken down; its name."""
    plan = _plan(spec, mpi, name, None, slurm)
    quiet = subprocess.DEVNULL
    process, reports = _start_keeper(plan, stdin=quiet, stdout=quiet, stderr=quiet, detach=True)
    try:
        line = reports.readline()
    except BaseException:
        _end(process)
        raise
    event = json.loads(line) if line else {}
    if event.get("event") != "ready":
        process.wait()
        raise to_error(event) if event else SuiroError(f"lab {plan.name} ended while starting")
    return plan.name


def down(name: str) -> None:
    """Take a lab down and wait until nothing is left of it."""
    record = state.find(state.root(), name)
    keeper, start = record["keeper"], record["keeper_start"]
    with contextlib.suppress(ProcessLookupError):
        os.kill(keeper, signal.SIGTERM)
    deadline = time.monotonic() + _DOWN_TIMEOUT_S
    while state.alive(keeper, start):
        if time.monotonic() > deadline:
            raise SuiroError(f"lab {name} does not end: kill its keeper, process {keeper}")
        time.sleep(0.01)


def list_labs() -> list[dict[str, Any]]:
    """The records of all labs of this user, without their environments."""
    hidden = {"environment", "keeper_start", "user_namespace", "cpu_groups"}
    return [
        {key: value for key, value in record.items() if key not in hidden}
        for record in state.records(state.root())
    ]


def status(name: str) -> dict[str, Any]:
    """The switch's counters of a running lab."""
    pid = _init_of(state.find(state.root(), name))
    return switch.counters(Path(f"/proc/{pid}/root{CONTROL}"))


def throttle(name: str, share: float) -> None:
    """Let the links of a running lab carry a share of their rate from now on."""
    if not 0 < share <= 1:  # nor is what is no number
        raise UsageError(f"SHARE: expected a number above 0 and at most 1, not {share}")
    control = Path(f"/proc/{_init_of(state.find(state.root(), name))}/root{CONTROL}")
    if not control.exists():
        raise UsageError(f"{name} has no switch whose links have a rate (model wire or bridge)")
    switch.throttle(share, control)


def enter(name: str, host: str, command: Sequence[str]) -> int:
    """Run a command on a host of a running lab; its exit code."""
    record = state.find(state.root(), name)
    init = _init_of(record)
    hosts = [f"host{index}" for index in range(record["hosts"])]
    if host not in hosts:
        raise UsageError(f"--host {host}: expected one of {', '.join(hosts)}")
    pid = os.fork()
    if pid == 0:
        _log_in(init, host, list(command), record)
    return _wait_as_shell(pid)


def _log_in(init: int, host: str, command: list[str], record: dict[str, Any]) -> NoReturn:
    """The forked half of `enter`: one more fork, since only children enter a process namespace."""
    directory = str(Path.cwd())
    try:
        linux.die_with_parent(signal.SIGKILL)
        user = ["user"] if record["user_namespace"] else []
        linux.enter(init, [*user, "mnt", "pid"])
        inner = os.fork()
        if inner:
            os._exit(_wait_as_shell(inner))
        linux.die_with_parent(signal.SIGKILL)
        join_cpu_group(host)
        linux.enter(int((HOST_PIDS / host).read_text()), NAMESPACES)
        os.chdir(directory)
        os.execvpe(command[0], command, record["environment"])
    except OSError as error:
        say(f"{command[0]}: cannot be run in the lab: {error.strerror}")
        sys.stderr.flush()
        os._exit(126 if isinstance(error, PermissionError) else 127)


def _wait_as_shell(pid: int) -> int:
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            return code if code >= 0 else 128 - code


def _init_of(record: dict[str, Any]) -> int:
    if "init" not in record:
        raise SuiroError(f"lab {record['name']} is still starting: try again")
    return int(record["init"])


def _plan(
    spec: str, mpi: str | None, name: str | None, env: Mapping[str, str] | None, slurm: bool
) -> Plan:
    label, checked = load(spec)
    name = name or f"{label}-{os.getpid()}"
    if "/" in name or name.startswith("."):
        raise UsageError(f"--name {name}: expected a name without slashes that starts with no dot")
    chosen, start = launcher_for(mpi, slurm)
    _check_machine()
    plan = Plan(
        name=name,
        spec=spec if spec in shipped() else str(Path(spec).absolute()),
        ranks_of_host=checked.hosts.ranks_of,
        link_rates_bps=checked.link.rates,
        stream_bps=checked.link.stream,
        mtu=checked.link.mtu,
        super_frame=checked.link.frames_at_once(),
        queue=checked.link.queue,
        model=checked.switch.model,
        buffer_bytes=checked.switch.buffer,
        window_bytes=checked.tcp.window,
        switch=str(native.tool("suiro-switch")),
        state=str(state.root() / name),
        directory=str(Path.cwd()),
        environment={},
        mpi=chosen,
        user_namespace=os.geteuid() != 0,
        site_of_host=checked.site_of_host,
        wans=_wans(checked),
        tree=_tree(checked),
        cpu_of_host=checked.hosts.cpu_of,
        slurm=slurm,
    )
    return replace(plan, environment=environment(os.environ if env is None else env, plan, start))


def _wans(spec: Spec) -> tuple[Wan, ...]:
    return tuple(
        Wan(sites, wan.rate, wan.delay, wan.buffer, wan.loss) for sites, wan in spec.wans.items()
    )


def _tree(spec: Spec) -> Tree | None:
    tree = spec.tree
    if tree is None:
        return None
    model = tree.spine_model or spec.switch.model
    return Tree(tree.leaf_hosts, tree.spines, model, tree.rate or spec.link.rates[0])


def _check_machine() -> None:
    if not _TUN.exists():
        raise MachineError(f"{_TUN} is missing: load it (modprobe tun) or give it to the container")
    if not os.access(_TUN, os.R_OK | os.W_OK):
        raise MachineError(
            f"{_TUN} may not be opened by this user: run as root, or chmod 0666 {_TUN}"
        )


def _start_keeper(
    plan: Plan,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    detach: bool = False,
) -> tuple[subprocess.Popen[str], IO[str]]:
    plan_file = os.memfd_create("plan")
    os.write(plan_file, plan.to_json().encode())
    os.lseek(plan_file, 0, os.SEEK_SET)
    reader, writer = os.pipe()
    arguments = [str(plan_file), str(writer), str(os.getpid())]
    try:
        process = subprocess.Popen(
            [*native.module("suiro.lab.keeper"), *arguments],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=[plan_file, writer],
            start_new_session=detach,
            cwd="/" if detach else None,
            text=True,
        )
    finally:
        os.close(plan_file)
        os.close(writer)
    return process, os.fdopen(reader, encoding="utf-8")


def _last_event(reports: IO[str]) -> dict[str, Any]:
    last: dict[str, Any] = {}
    for line in reports:
        last = json.loads(line)
    return last


@contextlib.contextmanager
def _interruptible(process: subprocess.Popen[str]) -> Any:
    """On Ctrl-C the command, which the terminal interrupts too, may finish its own clean-up."""
    try:
        yield
    except KeyboardInterrupt:
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(_LAST_WORDS_S)
        raise


def _end(process: subprocess.Popen[str]) -> None:
    """See the keeper off; when it still runs, something went wrong, and it is told to stop."""
    if process.poll() is None and sys.exc_info()[0] is not None:
        process.terminate()
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            process.wait()
            return
