# SPDX-License-Identifier: BSD-3-Clause
"""Calls a native tool that prints one JSON document; its error messages become ours."""

import json
from dataclasses import dataclass
from typing import Any

from suiro import native
from suiro.errors import MachineError, UsageError


@dataclass(frozen=True)
class Answer:
    """What the tool printed, and its exit code: 0, or 1 when it found something wrong."""

    document: Any
    exit_code: int


def call(tool: str, arguments: list[str], working_on: str) -> Answer:
    """Run the tool; on a terminal, say what it is working on until it is done."""
    from rich.console import Console

    with Console(stderr=True).status(working_on):
        return call_within(None, tool, arguments)


def call_within(seconds: float | None, tool: str, arguments: list[str]) -> Answer:
    """The same without a word; subprocess.TimeoutExpired where it takes longer."""
    result = native.run(tool, arguments, seconds)
    message = result.stderr.strip().removeprefix(f"{tool}: ")
    if result.returncode == 2:
        raise UsageError(message or f"{tool} refused its arguments")
    if result.returncode not in (0, 1) or not result.stdout:
        reason = message or f"it ended with status {result.returncode}"
        raise MachineError(f"{tool} failed: {reason}; try `./dev build`")
    return Answer(json.loads(result.stdout), result.returncode)
