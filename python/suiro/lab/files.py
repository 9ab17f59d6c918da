# SPDX-License-Identifier: BSD-3-Clause
"""The files of a running lab: names, host lists and the remote shell that launchers use."""

import errno
import json
from pathlib import Path

from suiro.errors import MachineError
from suiro.lab import cpu_groups, linux
from suiro.lab.network import description
from suiro.lab.plan import CPU_GROUPS, HOME, HOST_PIDS, NETWORK, REMOTE_SHELL, SCRATCH, Plan

OPENMPI_HOSTS = HOME / "hosts.openmpi"
MPICH_HOSTS = HOME / "hosts.mpich"

_RUN_SIZE = "512m"

# Like sshd it hands no environment on, so that what reaches a remote rank here does so elsewhere.
_REMOTE_SHELL = """\
#!/bin/sh
# Runs a command on a host of this lab; takes the place of ssh, whose options it ignores.
while :; do
  case "$1" in
    -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=${{1#*@}}
shift
if ! read -r pid 2>/dev/null <"{pids}/$host"; then
  echo "suiro-lab-rsh: no host '$host' in this lab: the hosts are $(ls {pids} | tr '\\n' ' ')" >&2
  exit 255
fi
members={groups}/$host/{members}
[ ! -e "$members" ] || echo 0 >"$members"
[ $# -gt 0 ] || set -- "exec $SHELL -i"
exec nsenter -t "$pid" -m -u -i -n env -i HOME="$HOME" USER="$USER" LOGNAME="$USER" \\
  SHELL=/bin/sh TERM="$TERM" PATH="{bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" \\
  sh -c 'cd 2>/dev/null || cd /; eval "$1"' sh "$*"
"""


def mount_private_folders() -> None:
    """A /proc of this process namespace and an empty /run, seen by nobody outside the lab."""
    try:
        linux.mount("none", "/", "none", linux.MS_REC | linux.MS_PRIVATE)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise MachineError(
            "the root folder is not a mount, as in a plain chroot: "
            "make it one with `mount --bind ROOT ROOT` before chroot"
        ) from None
    flags = linux.MS_NOSUID | linux.MS_NODEV
    linux.mount("proc", "/proc", "proc", flags | linux.MS_NOEXEC)
    linux.mount("run", "/run", "tmpfs", flags, f"size={_RUN_SIZE},mode=755")
    for folder in (HOME, HOST_PIDS, REMOTE_SHELL.parent):
        folder.mkdir()
    SCRATCH.mkdir()
    SCRATCH.chmod(0o1777)


def show_cpu_groups(plan: Plan) -> None:
    """Let processes inside the lab reach the control groups of its hosts."""
    if plan.cpu_groups:
        CPU_GROUPS.mkdir()
        linux.mount(plan.cpu_groups, str(CPU_GROUPS), "none", linux.MS_BIND)


def name_hosts(plan: Plan) -> None:
    """Let /etc/hosts know the hosts; done before they copy the lab's mounts."""
    names = HOME / "hosts"
    addresses = [f"{host.address} {host.name}" for host in plan.hosts]
    _lines(names, ["127.0.0.1 localhost", *addresses])
    if not Path("/etc/hosts").is_file():
        raise MachineError(
            "no file /etc/hosts, which the lab covers with its own: "
            'create it with `echo "127.0.0.1 localhost" > /etc/hosts`'
        )
    linux.mount(str(names), "/etc/hosts", "none", linux.MS_BIND)


def write_launch_files(plan: Plan, pids: list[int]) -> None:
    """Write what launchers read, given the process of each host."""
    for host, pid in zip(plan.hosts, pids, strict=True):
        (HOST_PIDS / host.name).write_text(f"{pid}\n")
    slots = list(zip(plan.hosts, plan.ranks_of_host, strict=True))
    _lines(OPENMPI_HOSTS, [f"{host.name} slots={ranks}" for host, ranks in slots])
    _lines(MPICH_HOSTS, [f"{host.name}:{ranks}" for host, ranks in slots])
    NETWORK.write_text(json.dumps(description(plan), indent=1) + "\n")
    _write_remote_shell()


def _lines(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


def _write_remote_shell() -> None:
    text = _REMOTE_SHELL.format(
        pids=HOST_PIDS,
        bin=REMOTE_SHELL.parent,
        groups=CPU_GROUPS,
        members=cpu_groups.MEMBERS,
    )
    REMOTE_SHELL.write_text(text)
    REMOTE_SHELL.chmod(0o755)
    (REMOTE_SHELL.parent / "ssh").symlink_to(REMOTE_SHELL.name)
