# SPDX-License-Identifier: BSD-3-Clause
"""The switch program as the lab sees it: a configuration, a line `ready`, a socket of counters."""

import json
import select
import socket
import subprocess
from pathlib import Path

from suiro.errors import MachineError, SuiroError
from suiro.lab.network import Document, configuration
from suiro.lab.plan import CONTROL, HOME, Plan

_LOG = HOME / "switch.log"
_START_TIMEOUT_S = 10.0
_ANSWER_TIMEOUT_S = 5.0


def start(plan: Plan) -> subprocess.Popen[bytes]:
    """Start the switch in the lab's root network namespace and wait for its ports."""
    config = HOME / "switch.json"
    config.write_text(json.dumps(configuration(plan)))
    with _LOG.open("wb") as log:
        # A session of its own: Ctrl-C is for the command, whose goodbyes the switch must carry.
        process = subprocess.Popen(
            [plan.switch, str(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], _START_TIMEOUT_S)
    line = process.stdout.readline().strip() if readable else b""
    if line != b"ready":
        process.kill()
        process.wait()
        raise MachineError(f"the switch did not start: {last_words()}")
    return process


def last_words() -> str:
    """The last line that the switch wrote to its log."""
    lines = _LOG.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it wrote no reason"


def counters(control: Path = CONTROL) -> Document:
    """Ask a running switch for its counters."""
    return _ask({}, control)


def throttle(share: float, control: Path = CONTROL) -> None:
    """Let links carry that share of their rate from now on, above 0 and at most 1."""
    _ask({"throttle": share}, control)


def _ask(request: Document, control: Path) -> Document:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_ANSWER_TIMEOUT_S)
            connection.connect(str(control))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as stream:
                document: Document = json.loads(stream.read())
    except (OSError, ValueError) as error:
        raise SuiroError(f"the switch gave no counters: {error}") from None
    return document
