# SPDX-License-Identifier: BSD-3-Clause
"""One host: a process in network, UTS, IPC and mount namespaces of its own.

The namespaces live as long as the process, and `nsenter -t PID` is how one logs in.
"""

import contextlib
import os
import signal
import socket
import subprocess
from pathlib import Path

from suiro.lab import cables, cpu_groups, linux
from suiro.lab.plan import CPU_GROUPS, Host, Link, Plan

NAMESPACES = ["mnt", "uts", "ipc", "net"]
_SHARED_MEMORY_SIZE = "1g"  # per host; a limit, not a reservation
# The kernel subtracts room for headers from gso_max_size before it counts segments.
_GSO_HEADER_ROOM = 512


class HostProcess:
    """The parent's end: a process id, and a socket on which the two take turns."""

    def __init__(self, plan: Plan, host: Host) -> None:
        self.host = host
        self._channel, inner = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            self._channel.close()
            _live(plan, host, inner)
        inner.close()

    def await_step(self) -> None:
        """Wait until the host has done its part; raise what went wrong in it."""
        answer = self._channel.recv(4096).decode()
        if answer != "done":
            raise OSError(f"{self.host.name}: {answer or 'ended while starting'}")

    def let_continue(self) -> None:
        """Tell the host that its switch port has been plugged in."""
        self._channel.sendall(b"go")


def _live(plan: Plan, host: Host, channel: socket.socket) -> None:
    """The whole life of a host process; never returns."""
    try:
        join_cpu_group(host.name)
        _isolate(host)
        channel.sendall(b"done")
        if channel.recv(16):
            _limit_tcp(plan)
            _configure_links(plan, host)
            channel.sendall(b"done")
    except (OSError, subprocess.SubprocessError) as error:
        with contextlib.suppress(OSError):
            channel.sendall(_reason(error).encode()[:4000])
        os._exit(1)
    channel.close()
    while True:
        signal.pause()


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return str(error.stderr or error).strip()
    return str(error)


def join_cpu_group(host: str) -> None:
    """Have this process, and all that it starts, count against the host's processor time."""
    members = CPU_GROUPS / host / cpu_groups.MEMBERS
    if members.is_file():
        members.write_text("0")


def _isolate(host: Host) -> None:
    linux.unshare(linux.CLONE_NEWNS | linux.CLONE_NEWUTS | linux.CLONE_NEWIPC | linux.CLONE_NEWNET)
    socket.sethostname(host.name)
    # UCX lists interfaces in /sys, which shows the network namespace of whoever mounted it.
    # Some containers forbid the mount; then only MPIs that read /sys suffer.
    flags = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
    with contextlib.suppress(PermissionError):
        linux.mount("sysfs", "/sys", "sysfs", flags)
    if Path("/dev/shm").is_dir():
        options = f"size={_SHARED_MEMORY_SIZE},mode=1777"
        linux.mount("shm", "/dev/shm", "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, options)


def _limit_tcp(plan: Plan) -> None:
    """Per-namespace settings; what a kernel does not have needs no setting."""
    window = plan.window_bytes
    network = Path("/proc/sys/net")
    required = {
        "ipv4/tcp_rmem": f"4096 {min(131072, window)} {window}",
        "ipv4/tcp_wmem": f"4096 {min(16384, window)} {window}",
        # The one that every kernel has and lets a namespace choose. CUBIC, the usual default, acts
        # like it at these bandwidth-delay products (RFC 9438, section 4.3) but may be refused.
        "ipv4/tcp_congestion_control": "reno",
    }
    optional = {
        # TCP sizes super-frames to a millisecond of its rate; links here are some hundred times
        # slower than those that are modelled, where that is always a full one.
        "ipv4/tcp_min_tso_segs": "2" if plan.model in cables.MODELS else str(plan.super_frame),
        "ipv6/conf/all/disable_ipv6": "1",
        "ipv6/conf/default/disable_ipv6": "1",
    }
    for name, value in required.items():
        (network / name).write_text(value)
    for name, value in optional.items():
        with contextlib.suppress(OSError):
            (network / name).write_text(value)


def _configure_links(plan: Plan, host: Host) -> None:
    lines = ["link set dev lo up"]
    for link in host.links:
        lines += _configure_link(plan, link)
    subprocess.run(
        ["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True, capture_output=True
    )
    if plan.model in cables.MODELS:
        return
    for link in host.links:
        if plan.super_frame == 1:
            linux.set_tso(link.interface, False)
        # MPIs share data out by the speeds of cards, and suiro cuts messages by them.
        linux.set_speed(link.interface, max(1, link.rate_bps // 10**6))


def _configure_link(plan: Plan, link: Link) -> list[str]:
    frame = plan.mtu * plan.super_frame + _GSO_HEADER_ROOM
    device = link.interface
    sizes = f"gso_max_size {frame} gro_max_size {frame}" if plan.model not in cables.MODELS else ""
    lines = [
        f"link set dev {link.tap} name {device}",
        f"link set dev {device} address {link.mac} mtu {plan.mtu} txqueuelen {plan.queue} {sizes}",
        f"addr add {link.address}/24 dev {device}",
        f"link set dev {device} up",
    ]
    peers = [host.links[link.number] for host in plan.hosts if host.index != link.host]
    # Sites are networks of their own, but the switch reaches them all.
    others = sorted({peer.address.rpartition(".")[0] for peer in peers if peer.site != link.site})
    lines += [f"route add {network}.0/24 dev {device} src {link.address}" for network in others]
    # Permanent neighbours: no ARP frame ever disturbs a measurement.
    lines += [
        f"neigh replace {peer.address} lladdr {peer.mac} dev {device} nud permanent"
        for peer in peers
    ]
    return lines
