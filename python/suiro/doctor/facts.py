# SPDX-License-Identifier: BSD-3-Clause
"""Facts of hosts, as `facts.sh` prints them: here, or on every host that a launcher reaches."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from suiro.errors import SuiroError

_FACT = re.compile(r"suiro-fact\|([^|\n]*)\|(\d+)\|([^|\n]*)\|([^\n]*)")
_SECONDS_MAX = 120


@dataclass
class Host:
    """What is so on one host."""

    name: str
    ranks: int = 0
    cpus: set[int] = field(default_factory=set)  # of all processes together: each may be bound
    values: dict[str, str] = field(default_factory=dict)

    def named(self, kind: str) -> dict[str, str]:
        """Facts that have names of their own: {"eth0": ...} of `link eth0`."""
        prefix = f"{kind} "
        return {
            name.removeprefix(prefix): value
            for name, value in self.values.items()
            if name.startswith(prefix)
        }


def probe(libraries: Sequence[str], program: str = "") -> list[str]:
    """The command that prints the facts of the host where it runs, a program's place among them."""
    script = resources.files("suiro.doctor").joinpath("facts.sh").read_text()
    return ["/bin/sh", "-c", script, "suiro-doctor", program, *libraries]


def gather(
    command: Sequence[str], variables: Mapping[str, str] | None = None, files: Sequence[int] = ()
) -> list[Host]:
    """Runs a command that runs the probe once, or once for each rank."""
    text, obstacle = start(command, variables, files)
    hosts = read(text)
    if obstacle or not hosts:
        reason = obstacle or "exit code 0: it said nothing"
        raise SuiroError(f"{command[0]} started no process on its hosts: {reason}")
    return hosts


def start(
    command: Sequence[str],
    variables: Mapping[str, str] | None = None,
    files: Sequence[int] = (),
    seconds: float = _SECONDS_MAX,
) -> tuple[str, str]:
    """What a launcher's processes print, and why not all may have: empty if it ended well."""
    # There is no job service: these only have to be set.
    service = {"SUIRO_JOB": "none", "SUIRO_TOKEN": "none"}
    try:
        done = subprocess.run(
            command,
            env=service | dict(os.environ) | dict(variables or {}),
            pass_fds=files,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as expired:
        printed: bytes | str = expired.stdout or b""  # bytes, whatever was asked for
        text = printed if isinstance(printed, str) else printed.decode(errors="replace")
        return text, f"it did not end within {seconds:g} s: are its hosts free?"
    if done.returncode == 0:
        return done.stdout, ""
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    reason = next((line.strip() for line in said if re.search(r"\w", line)), "it said nothing")
    return done.stdout, f"exit code {done.returncode}: {reason}"


def read(text: str) -> list[Host]:
    """Hosts by name; each process is a rank there."""
    hosts: dict[str, Host] = {}
    processes: set[tuple[str, str]] = set()
    for name, process, fact, value in _FACT.findall(text):
        host = hosts.setdefault(name, Host(name))
        host.values[fact] = value.strip()
        if fact == "cpus":
            host.cpus |= _numbers(value)
        if (name, process) not in processes:
            processes.add((name, process))
            host.ranks += 1
    return sorted(hosts.values(), key=lambda host: host.name)


def _numbers(text: str) -> set[int]:
    """Of 0-3,8."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found
