# SPDX-License-Identifier: BSD-3-Clause
"""One MPI job that measures what it is told, cell by cell, as long as it is needed: no launch per
sample, and what was measured decides what is measured next."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from suiro.bench.launcher import started, suiro_command
from suiro.errors import SuiroError, UsageError

_SIGN = b'{"bench":'
_PATIENCE_S = 120.0  # without any line: a candidate that hangs must not take the night
_END_S = 10.0


class Session:
    """Used with `with`. `variables` are added to the environment of the launcher."""

    def __init__(
        self, prefix: list[str], mpi: str, *, with_suiro: bool, variables: Mapping[str, str]
    ) -> None:
        words, found = started(prefix, mpi, "bench")
        command = [*words, "--follow"]
        if with_suiro:
            command = suiro_command("run", "--no-store", "--", *command)
        environment = os.environ | found | dict(variables)
        try:
            self._process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except FileNotFoundError:
            raise UsageError(f'launcher "{prefix[0]}" is not on the PATH') from None
        self._buffer = b""
        self.start: dict[str, Any] = {}
        self._current = "starting"

    def __enter__(self) -> "Session":
        try:
            self.start = self._next("start")
        except BaseException:
            self._end(at_once=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        self._end(at_once=kind is not None)

    def _end(self, at_once: bool) -> None:
        """The job ends by itself at the end of its input; one that does not is ended."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        if at_once:
            process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def cell(
        self,
        collective: str,
        ranks: int,
        root: int,
        size: int,
        repeat: int,
        entries: list[str],
        budget_s: float,
    ) -> dict[tuple[str, int], list[float]]:
        """Of the first so many ranks, seconds by name and bytes; an entry is NAME or NAME@BYTES.
        Fewer than `repeat` times where that would take longer than the budget."""
        self._current = f"{collective}, {size} bytes: {', '.join(entries)}"
        words = ["--ranks", str(ranks), "--budget", f"{budget_s:.3f}"]
        words += ["--collective", collective, "0", str(root)]
        self._write([*words, "--cell", str(size), str(repeat), "+".join(entries)])
        seconds: dict[tuple[str, int], list[float]] = {}
        while (event := self._event())["bench"] != "done":
            if event["bench"] != "sample":
                continue
            key = event["candidate"], event["bytes"]
            seconds.setdefault(key, []).append(event["seconds"])
        return seconds

    def _write(self, words: list[str]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write((" ".join(words) + "\n").encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def _next(self, kind: str) -> dict[str, Any]:
        while (event := self._event())["bench"] != kind:
            pass
        return event

    def _event(self) -> dict[str, Any]:
        """The program's next line; what others write is passed on."""
        while True:
            line = self._line()
            if line.startswith(_SIGN):
                return self._parsed(line)
            sys.stderr.write(line.decode(errors="replace"))

    def _parsed(self, line: bytes) -> dict[str, Any]:
        try:
            event: dict[str, Any] = json.loads(line)
        except ValueError:
            text = line.decode(errors="replace").strip()
            raise SuiroError(f"the measuring program wrote a broken line: {text[:80]}") from None
        return event

    def _line(self) -> bytes:
        assert self._process.stdout is not None
        deadline = time.monotonic() + _PATIENCE_S
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise SuiroError(
                    f"nothing came from the measuring job for {_PATIENCE_S:.0f} s while it did "
                    f"{self._current}; leave out what hangs with --without"
                )
            chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            if not chunk:
                raise self._ended()
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line + b"\n"

    def _ended(self) -> SuiroError:
        code = self._process.wait()
        return SuiroError(
            f"the measuring job ended with exit code {code} while it did {self._current}: its "
            "messages are above; --without leaves out an algorithm"
        )
