# SPDX-License-Identifier: BSD-3-Clause
"""The processes of this user on this machine that use the transport, and what they count."""

import os
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

_ANSWER_SECONDS_MAX = 1.0
_ANSWER_BYTES_MAX = 1 << 16


class Rail(BaseModel):
    """A link, or shared memory."""

    model_config = ConfigDict(frozen=True)
    name: str
    sent_bytes: int
    received_bytes: int
    streams_opened: int
    streams_lost: int


class Counters(BaseModel):
    """Since the process began, but for those that end in `now`; src/net/protocol/statistics.hpp."""

    model_config = ConfigDict(frozen=True)
    eager_sent: int
    requests_sent: int
    eager_bytes_sent: int
    ahead_bytes_sent: int
    bulk_bytes_sent: int
    messages_received: int
    unexpected: int
    copied_bytes: int
    posted_now: int
    unexpected_now: int
    unexpected_bytes_now: int
    most_unexpected_bytes: int
    requests_for_lack_of_credit: int
    refused_streams: int
    frames_sent_again: int
    grants_given_again: int
    helper_wakeups: int
    helper_took_over: int
    system_calls: int
    peers_connected: int


class Process(BaseModel):
    """What a process answers; rank is -1 where no launcher told it."""

    model_config = ConfigDict(frozen=True)
    host: str
    program: str
    process: int
    rank: int
    counters: Counters
    rails: list[Rail]


@dataclass(frozen=True)
class Reading:
    """An answer, and when it came, by the clock of its host."""

    seconds: float
    process: Process

    @property
    def who(self) -> tuple[str, int]:
        return self.process.host, self.process.process


def folders() -> list[Path]:
    """Where processes of this user put their sockets: it depends on how they were started."""
    found = [Path(f"/tmp/suiro-{os.geteuid()}"), Path(f"/run/user/{os.geteuid()}/suiro")]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return list(dict.fromkeys([*([Path(runtime, "suiro")] if runtime else []), *found]))


def read_all() -> list[Reading]:
    """Ask every process, in the order of hosts and ranks. Who does not answer is left out."""
    readings = [reading for path in _sockets() if (reading := _ask(path)) is not None]
    return in_order(readings)


def in_order(readings: Iterable[Reading]) -> list[Reading]:
    """By ranks; those without one stand last."""
    return sorted(readings, key=lambda reading: _place(reading.process))


def _place(process: Process) -> tuple[int, str, int]:
    return process.rank if process.rank >= 0 else 1 << 31, process.host, process.process


def _sockets() -> Iterator[Path]:
    for folder in folders():
        with suppress(OSError):
            if folder.stat().st_uid == os.geteuid():
                yield from sorted(folder.glob("*.sock"))


def _ask(path: Path) -> Reading | None:
    try:
        text = _answer(path)
        return Reading(time.monotonic(), Process.model_validate_json(text))
    except ConnectionRefusedError:  # of a process that was killed
        with suppress(OSError):
            path.unlink()
    except (OSError, ValidationError):
        pass
    return None


def _answer(path: Path) -> bytes:
    answer = b""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asker:
        asker.settimeout(_ANSWER_SECONDS_MAX)
        asker.connect(str(path))
        while len(answer) < _ANSWER_BYTES_MAX and (part := asker.recv(_ANSWER_BYTES_MAX)):
            answer += part
    return answer
