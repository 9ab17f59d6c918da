# SPDX-License-Identifier: BSD-3-Clause
"""Hosts around one switch, each in a network namespace, for tests of the switch alone."""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from suiro.native import tool


class SwitchNetwork:
    """Namespaces are held by sleeping processes, so nothing is left when these are gone."""

    def __init__(
        self, folder: Path, model: str, ports: int, rate_bps: int, buffer_bytes: int = 2**18
    ) -> None:
        self.control = folder / "control"
        self.config = folder / "switch.json"
        self.ports = ports
        self.rate_bps = rate_bps
        self.holders: list[subprocess.Popen[bytes]] = []
        self.switch: subprocess.Popen[bytes] | None = None
        document = {
            "model": model,
            "buffer_bytes": buffer_bytes,
            "control": str(self.control),
            "ports": [
                {"name": f"host{i}", "tap": f"sw{i}", "mac": address(i), "rate_bps": rate_bps}
                for i in range(ports)
            ],
        }
        self.config.write_text(json.dumps(document), encoding="utf-8")

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def _start(self) -> None:
        self.switch = subprocess.Popen(
            ["unshare", "--net", str(tool("suiro-switch")), str(self.config)],
            stdout=subprocess.PIPE,
        )
        assert self.switch.stdout is not None
        assert self.switch.stdout.readline() == b"ready\n"
        for port in range(self.ports):
            holder = subprocess.Popen(
                ["unshare", "--net", "sh", "-c", "echo; exec sleep 600"], stdout=subprocess.PIPE
            )
            self.holders.append(holder)
            assert holder.stdout is not None
            holder.stdout.readline()
            self._connect(port)

    def _connect(self, port: int) -> None:
        holder = self.holders[port].pid
        assert self.switch is not None
        enter = ["nsenter", "--net", "--target", str(self.switch.pid)]
        move = ["ip", "link", "set", f"sw{port}", "netns", str(holder), "name", "eth0"]
        subprocess.run([*enter, *move], check=True)
        super_frame = 3000 if self.rate_bps <= 10**8 else 16384
        lines = [
            f"link set eth0 address {address(port)} mtu 1500 txqueuelen 8192",
            f"link set eth0 gso_max_size {super_frame} gro_max_size {super_frame}",
            "link set eth0 up",
            "link set lo up",
            f"address add 10.77.0.{port + 1}/24 dev eth0",
        ]
        for peer in range(self.ports):
            neighbour = f"neighbour replace 10.77.0.{peer + 1} lladdr {address(peer)}"
            lines.append(f"{neighbour} dev eth0 nud permanent")
        settings = "net.ipv6.conf.all.disable_ipv6=1 net.ipv4.tcp_rmem='4096 131072 262144'"
        self.run(port, "sh", "-c", f"sysctl -q {settings} net.ipv4.tcp_wmem='4096 16384 262144'")
        self.run(port, "ip", "-batch", "-", stdin="\n".join(lines))

    def command(self, port: int, *arguments: str) -> list[str]:
        """A command line that runs on a host."""
        return ["nsenter", "--net", "--target", str(self.holders[port].pid), *arguments]

    def run(self, port: int, *arguments: str, stdin: str | None = None) -> str:
        """Runs a command on a host to its end; returns what it printed."""
        done = subprocess.run(
            self.command(port, *arguments), input=stdin, check=True, text=True, capture_output=True
        )
        return done.stdout

    def counters(self, reset: bool = False) -> Any:
        """What the switch has counted since the last reset."""
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.control))
            client.sendall(b'{"reset": true}\n' if reset else b"\n")
            client.shutdown(socket.SHUT_WR)
            with client.makefile("rb") as answer:
                return json.loads(answer.read())

    def close(self) -> None:
        """Ends the switch and the namespaces."""
        for process in [self.switch, *self.holders]:
            if process is not None and process.poll() is None:
                os.kill(process.pid, signal.SIGTERM)
        for process in [self.switch, *self.holders]:
            if process is not None:
                process.wait(5)
                if process.stdout is not None:
                    process.stdout.close()


def address(port: int) -> str:
    """The Ethernet address of a host."""
    return f"02:00:00:00:00:{port + 1:02x}"
