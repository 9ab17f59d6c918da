# SPDX-License-Identifier: BSD-3-Clause
"""The few Linux calls that Python 3.11 lacks: namespaces, mounts, parent-death signals, TSO."""

import ctypes
import fcntl
import os
import signal
import socket
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

_PR_SET_PDEATHSIG = 1
_SIOCETHTOOL = 0x8946
_ETHTOOL_GSET = 0x1
_ETHTOOL_SSET = 0x2
_ETHTOOL_STSO = 0x1F

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def unshare(flags: int) -> None:
    """Leave the given namespaces for new ones."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def enter(pid: int, kinds: list[str]) -> None:
    """Join namespaces of another process; all are opened first, since entering one hides paths."""
    files = [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in kinds]
    for kind, file in zip(kinds, files, strict=True):
        _check(_libc.setns(ctypes.c_int(file), ctypes.c_int(0)), f"setns {kind}")
        os.close(file)


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """mount(2)."""
    result = _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode(),
        ctypes.c_ulong(flags),
        options.encode(),
    )
    _check(result, f"mount {target}")


def die_with_parent(how: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent ends, however it ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(how), 0, 0, 0), "prctl")


def set_tso(interface: str, on: bool) -> None:
    """Switch TCP segmentation offload of an interface in this network namespace."""
    _ethtool(interface, ctypes.create_string_buffer(struct.pack("II", _ETHTOOL_STSO, int(on))))


def set_speed(interface: str, megabits_per_second: int) -> None:
    """Have an interface in this network namespace say that it is so fast, as real cards do."""
    settings = ctypes.create_string_buffer(44)  # struct ethtool_cmd
    struct.pack_into("I", settings, 0, _ETHTOOL_GSET)
    _ethtool(interface, settings)
    struct.pack_into("I", settings, 0, _ETHTOOL_SSET)
    struct.pack_into("H", settings, 12, megabits_per_second & 0xFFFF)
    struct.pack_into("H", settings, 28, megabits_per_second >> 16)
    _ethtool(interface, settings)


def _ethtool(interface: str, command: "ctypes.Array[ctypes.c_char]") -> None:
    request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(command))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, _SIOCETHTOOL, request)
