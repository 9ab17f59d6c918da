# SPDX-License-Identifier: BSD-3-Clause
"""What a lab tells the process that started it: lines of JSON in a pipe."""

import contextlib
import json
import os
from typing import Any

from suiro.errors import MachineError, SuiroError, UsageError


class Reporter:
    """The lab's end of the pipe. A reader that has gone away is no reason to fail."""

    def __init__(self, file: int) -> None:
        self._file = file

    def ready(self) -> None:
        """The hosts are up."""
        self._send({"event": "ready"})

    def done(self, exit_code: int, counters: dict[str, Any]) -> None:
        """The command has ended."""
        self._send({"event": "done", "exit_code": exit_code, "counters": counters})

    def failed(self, error: SuiroError) -> None:
        """The lab could not be built, or broke."""
        self._send({"event": "failed", "kind": error.exit_code, "message": str(error)})

    def close(self) -> None:
        """Leave the pipe to the other holders of this end."""
        os.close(self._file)

    def _send(self, event: dict[str, Any]) -> None:
        line = json.dumps(event).encode() + b"\n"
        with contextlib.suppress(OSError):
            while line:
                line = line[os.write(self._file, line) :]


def to_error(event: dict[str, Any]) -> SuiroError:
    """The error that `failed` was given."""
    kinds = {kind.exit_code: kind for kind in (SuiroError, UsageError, MachineError)}
    return kinds[event["kind"]](event["message"])
