# SPDX-License-Identifier: BSD-3-Clause
"""Process 1 of a lab: builds it, runs the command on host 0, takes everything along at its end."""

import os
import select
import signal
import subprocess
import sys
from typing import NoReturn

from suiro.errors import MachineError, SuiroError
from suiro.lab import cables, files, linux, slurm, switch
from suiro.lab.host import NAMESPACES, HostProcess, join_cpu_group
from suiro.lab.plan import Plan
from suiro.lab.report import Reporter
from suiro.output import say


def main(plan: Plan, reporter: Reporter, keeper: int) -> NoReturn:
    """Never returns: the exit of this process ends the lab."""
    try:
        _tie_to(keeper)
        _live(plan, reporter)
    except SuiroError as error:
        reporter.failed(error)
    except OSError as error:
        reporter.failed(MachineError(f"the lab could not be built: {error}"))
    os._exit(0)


def _tie_to(keeper: int) -> None:
    """Die with the keeper, also if it died before this could be asked for."""
    linux.die_with_parent(signal.SIGKILL)
    if select.select([keeper], [], [], 0)[0]:
        os._exit(0)
    os.close(keeper)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _live(plan: Plan, reporter: Reporter) -> None:
    linux.unshare(linux.CLONE_NEWNS)
    files.mount_private_folders()
    files.show_cpu_groups(plan)
    files.name_hosts(plan)
    hosts = [HostProcess(plan, host) for host in plan.hosts]
    cabled = plan.model in cables.MODELS
    switch_pid = cables.start(plan) if cabled else switch.start(plan).pid
    for host in hosts:
        host.await_step()
    _plug_in(hosts)
    files.write_launch_files(plan, [host.pid for host in hosts])
    for host in hosts:
        host.let_continue()
    for host in hosts:
        host.await_step()
    daemons = slurm.start(plan) if plan.slurm else []
    reporter.ready()
    command = _start(plan, hosts[0].pid) if plan.command is not None else None
    exit_code = _reap_until(command, switch_pid, daemons)
    reporter.done(exit_code, {} if cabled else switch.counters())


def _plug_in(hosts: list[HostProcess]) -> None:
    """Move each device from the switch's side to its host."""
    lines = [
        f"link set dev {link.tap} netns {host.pid}" for host in hosts for link in host.host.links
    ]
    result = subprocess.run(
        ["ip", "-batch", "-"], input="\n".join(lines), text=True, capture_output=True
    )
    if result.returncode != 0:
        raise MachineError(f"a port of the switch could not be moved: {result.stderr.strip()}")


def _start(plan: Plan, host_pid: int) -> int:
    """Run the command on host 0, in the caller's folder, with the caller's streams."""
    assert plan.command is not None
    pid = os.fork()
    if pid:
        return pid
    program = plan.command[0]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        join_cpu_group(plan.hosts[0].name)
        linux.enter(host_pid, NAMESPACES)
        os.chdir(plan.directory)
        os.execvpe(program, plan.command, plan.environment)
    except OSError as error:
        say(f"{program}: cannot be run in the lab: {error.strerror}")
        sys.stderr.flush()
        os._exit(126 if isinstance(error, PermissionError) else 127)


def _reap_until(command: int | None, switch_pid: int, daemons: list[slurm.Daemon]) -> int:
    """Collect orphans, as process 1 must, until the command ends; its exit code as in a shell."""
    while True:
        pid, status = os.waitpid(-1, 0)
        code = os.waitstatus_to_exitcode(status)
        if pid == command:
            return code if code >= 0 else 128 - code
        if pid == switch_pid:
            raise SuiroError(f"the switch ended unexpectedly ({code}): {switch.last_words()}")
        for daemon in daemons:
            if pid == daemon.process.pid:
                raise SuiroError(f"{daemon} ended unexpectedly ({code}): {daemon.last_words()}")
