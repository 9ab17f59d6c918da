# SPDX-License-Identifier: BSD-3-Clause
"""Runs on host 0 of a lab: measures what its network gives, and prints it as JSON.

traffic.py round_trip HOST
traffic.py rates SECONDS HOST:ADDRESS...   all of them at once, faster than any link
traffic.py shares SECONDS HOST...          processor time per second, all of them at once, when
                                           nobody else needs the processors
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PORT = 5201
FULL_FRAME_PAYLOAD_BYTES = 1472
BURST_FRAMES = 9  # in one call, which the kernel divides (udp(7), UDP_SEGMENT), not Python
INTERVALS_MAX = 30
IDLE_MIN = 0.2  # processors
ECHO = f"""
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", {PORT})); print(flush=True)
for _ in range(10): s.sendto(*s.recvfrom(2048))
"""
# Counts what the links bring from a second after the first datagram, when the queues are full.
SINK = f"""
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", {PORT})); s.settimeout(10)
def frames():
    lines = [line.split() for line in open("/proc/net/dev") if "eth" in line]
    return sum(int(line[2]) for line in lines)
print(flush=True); s.recv(2048); time.sleep(1)
first = frames(); start = time.monotonic(); time.sleep(float(sys.argv[1])); last = frames()
print((last - first) / (time.monotonic() - start))
"""
SOURCE = f"""
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((sys.argv[2], {PORT}))
s.setsockopt(socket.IPPROTO_UDP, 103, {FULL_FRAME_PAYLOAD_BYTES})
end = time.monotonic() + float(sys.argv[1]); due = time.monotonic()
while due < end:
    try: s.send(bytes({FULL_FRAME_PAYLOAD_BYTES * BURST_FRAMES}))
    except ConnectionRefusedError: break
    due += {BURST_FRAMES} * 1538 * 8 / 60e6
    time.sleep(max(0, due - time.monotonic()))
"""
SPIN = """
import sys, time
start, used = time.monotonic(), time.process_time()
while time.monotonic() < start + float(sys.argv[1]): pass
print((time.process_time() - used) / (time.monotonic() - start))
"""


def on(host: str, program: str, *arguments: str) -> "subprocess.Popen[str]":
    """Starts a Python program on a host."""
    command = " ".join(["/usr/bin/python3", "-c", f"'{program}'", *arguments])
    return subprocess.Popen(["ssh", host, command], stdout=subprocess.PIPE, text=True)


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def round_trip(host: str) -> float:
    """The shortest of some, in seconds."""
    echo = on(host, ECHO)
    line(echo)
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect((host, PORT))
    times = []
    for _ in range(10):
        start = time.monotonic()
        client.send(b"x")
        client.recv(1)
        times.append(time.monotonic() - start)
    echo.wait()
    return min(times)


def rates(seconds: str, *pairs: str) -> list[float]:
    """Bits of the wire that arrive per second, pair by pair. Source hosts count up from host 0."""
    targets = [pair.split(":") for pair in pairs]
    sinks = [on(host, SINK, seconds) for host, _ in targets]
    for sink in sinks:
        line(sink)
    sources = [
        on(f"host{index}", SOURCE, str(float(seconds) + 1.5), address)
        for index, (_, address) in enumerate(targets)
    ]
    frames = [float(line(sink)) for sink in sinks]
    for source in sources:
        source.wait()
    return [per_second * 1538 * 8 for per_second in frames]


def idle_s() -> float:
    """Time for which the machine's processors had nothing to do."""
    idle, waiting = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[4:6])
    return (idle + waiting) / os.sysconf("SC_CLK_TCK")


def shares(seconds: str, *hosts: str) -> list[float]:
    """A share is a limit, which hosts reach only where others leave them the processors. Those have
    if some time was left over."""
    for _ in range(INTERVALS_MAX):
        idle_before_s = idle_s()
        spinning = [on(host, SPIN, seconds) for host in hosts]
        found = [float(line(process)) for process in spinning]
        if idle_s() - idle_before_s > IDLE_MIN * float(seconds):
            return found
    sys.exit("the processors were never idle: do other programs run?")


if __name__ == "__main__":
    verbs: dict[str, Callable[..., object]] = {
        "round_trip": round_trip,
        "rates": rates,
        "shares": shares,
    }
    print(json.dumps(verbs[sys.argv[1]](*sys.argv[2:])))
