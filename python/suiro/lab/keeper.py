# SPDX-License-Identifier: BSD-3-Clause
"""The keeper: the one process of a lab outside its process namespace.

It notes the lab, starts the lab's init process, and when either that or its own parent ends,
however it ends, it has the kernel kill everything inside and removes the note. Started as
`python -m suiro.lab.keeper PLAN_FD REPORT_FD PARENT_PID`.
"""

import contextlib
import errno
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from suiro.errors import MachineError, SuiroError
from suiro.lab import cpu_groups, init, linux, state
from suiro.lab.plan import Plan
from suiro.lab.report import Reporter


def main() -> None:
    """Keep one lab."""
    plan_file, report_file, parent = map(int, sys.argv[1:4])
    with os.fdopen(plan_file, encoding="utf-8") as stream:
        plan = Plan.from_json(stream.read())
    os.set_inheritable(report_file, False)
    reporter = Reporter(report_file)
    try:
        _keep(plan, reporter, parent)
    except SuiroError as error:
        reporter.failed(error)
    except OSError as error:
        reporter.failed(MachineError(str(error)))


def _keep(plan: Plan, reporter: Reporter, parent: int) -> None:
    folder = Path(plan.state)
    start = state.start_time(os.getpid())
    record = {
        "name": plan.name,
        "spec": plan.spec,
        "model": plan.model,
        "hosts": plan.hosts_count,
        "ranks": plan.ranks,
        "rate_bps": plan.rate_bps,
        "cpu_groups": "",
        "mpi": plan.mpi,
        "command": plan.command,
        "started": time.time(),
        "keeper": os.getpid(),
        "keeper_start": start,
        "user_namespace": plan.user_namespace,
        "environment": plan.environment,
    }
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    state.create(folder, record)
    try:
        if plan.cpu_of_host:
            plan = _limit_cpus(plan)
            record["cpu_groups"] = plan.cpu_groups
            state.update(folder, record)
        _leave(plan)
        if plan.command is not None:
            linux.die_with_parent(signal.SIGTERM)
            if os.getppid() != parent:
                return
        pid = _start_init(plan, reporter)
        state.update(folder, record | {"init": pid})
        _wait(pid)
    except _Stop:
        return
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if plan.cpu_groups:
            cpu_groups.remove(Path(plan.cpu_groups))
        state.remove(folder)


def _limit_cpus(plan: Plan) -> Plan:
    cpus = {host.name: cpu for host, cpu in zip(plan.hosts, plan.cpu_of_host, strict=True)}
    return replace(plan, cpu_groups=str(cpu_groups.create(plan.name, cpus)))


class _Stop(Exception):
    """The keeper was told to end."""


def _stop(_number: int, _frame: object) -> None:
    raise _Stop


def _leave(plan: Plan) -> None:
    """Move this process's children to namespaces of their own."""
    if plan.user_namespace:
        user, group = os.getuid(), os.getgid()
        _unshare(linux.CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _unshare(linux.CLONE_NEWPID | linux.CLONE_NEWUTS | linux.CLONE_NEWIPC | linux.CLONE_NEWNET)


def _unshare(flags: int) -> None:
    try:
        linux.unshare(flags)
    except OSError as error:
        raise MachineError(_advice(error)) from None


def _advice(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "no more namespaces are allowed: raise /proc/sys/user/max_*_namespaces"
    if os.geteuid() == 0:
        return (
            "namespaces are not permitted here, although the user is root: "
            "start the container with --privileged (or SYS_ADMIN, NET_ADMIN and /dev/net/tun)"
        )
    return (
        "namespaces are not permitted for this user: run as root, or allow them "
        "(sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)"
    )


def _start_init(plan: Plan, reporter: Reporter) -> int:
    keeper = os.pidfd_open(os.getpid())
    pid = os.fork()
    if pid == 0:
        init.main(plan, reporter, keeper)
    os.close(keeper)
    reporter.close()
    return pid


def _wait(pid: int) -> None:
    """Wait for the lab's end; when told to stop, end it. Its init takes everything along."""
    try:
        os.waitpid(pid, 0)
    except _Stop:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
