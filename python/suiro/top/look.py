# SPDX-License-Identifier: BSD-3-Clause
"""What all processes of a user answer: on this machine, or on every node that a launcher reaches.

A launcher may cut what a process prints at once, and put another's words between: Open MPI after
4096 bytes, Slurm after 1024. So an asker prints short lines, and waits between them.
"""

import base64
import json
import os
import re
import shutil
import socket
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import suiro
from suiro.doctor import facts
from suiro.errors import UsageError
from suiro.run import launchers
from suiro.run.instead import with_program
from suiro.top.process import Process, Reading, in_order, read_all

_PIECE_BYTES_MAX = 800
_PAUSE_SECONDS = 0.01
_SECONDS_MAX = 30
_LINE = re.compile(r"suiro-top\|([^|\n]*)\|(\d+)\|(\d+)\|(\d+)\|([A-Za-z0-9+/=]*)\|")
_ASKER = """\
import sys
sys.path.insert(0, sys.argv[1])
from suiro.top.look import answer
answer()
"""


@dataclass(frozen=True)
class Look:
    """Answers in the order of ranks, and a line for each node that gave none."""

    readings: list[Reading]
    remarks: list[str]


def looks_at(words: Sequence[str]) -> Callable[[], Look]:
    """How to look at what a launcher reaches; at this machine without one."""
    if not words:
        return lambda: Look(read_all(), [])
    launcher = launchers.recognise(words[0]) if launchers.has_launcher_name(words[0]) else None
    is_known = launcher is not None or Path(words[0]).name == "srun"
    if not is_known or shutil.which(words[0]) is None:
        raise UsageError(
            f"{words[0]} is not a launcher that is here and that suiro knows; "
            "give it so: suiro top -- mpirun -np 4 --map-by node"
        )
    folder = Path(suiro.__file__).parents[1]
    asker = [sys.executable, "-c", _ASKER, str(folder)]
    command = with_program(launcher, words, lambda _name: asker)
    return lambda: read(*facts.start(command, seconds=_SECONDS_MAX))


def answer() -> None:
    """The asker: what the processes of its node say, as lines for `read`."""
    rows = [
        json.dumps({"seconds": one.seconds, "process": one.process.model_dump()})
        for one in read_all()
    ]
    for line in lines_of(socket.gethostname(), os.getpid(), rows):
        sys.stdout.write(line)
        sys.stdout.flush()
        time.sleep(_PAUSE_SECONDS)


def lines_of(host: str, asker: int, rows: Iterable[str]) -> Iterator[str]:
    """JSON lines, packed and cut."""
    packed = base64.b64encode(zlib.compress("\n".join(rows).encode())).decode()
    size = _PIECE_BYTES_MAX
    pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
    for number, piece in enumerate(pieces):
        yield f"suiro-top|{host}|{asker}|{number}|{len(pieces)}|{piece}|\n"


def read(text: str, obstacle: str) -> Look:
    """Of what askers printed; several on a node tell the same. `obstacle`: not all may have."""
    pieces: dict[tuple[str, str, int], dict[int, str]] = {}
    for host, asker, number, count, piece in _LINE.findall(text):
        pieces.setdefault((host, asker, int(count)), {})[int(number)] = piece
    told: dict[str, list[Reading] | None] = {}
    for (host, _, count), found in pieces.items():
        if len(found) == count:
            told[host] = list(_unpacked("".join(found[number] for number in range(count))))
        else:
            told.setdefault(host)
    # Nodes that share a folder, as those of a lab, tell of each other's processes, too.
    readings = {one.who: one for of_host in told.values() for one in of_host or ()}
    missing = [f"not all nodes may have answered: {obstacle}"] if obstacle else []
    return Look(in_order(readings.values()), [*_remarks(told), *missing])


def _unpacked(packed: str) -> Iterator[Reading]:
    for line in zlib.decompress(base64.b64decode(packed)).decode().splitlines():
        row = json.loads(line)
        yield Reading(row["seconds"], Process.model_validate(row["process"]))


def _remarks(told: dict[str, list[Reading] | None]) -> Iterator[str]:
    for host, readings in sorted(told.items()):
        if readings is None:
            yield f"{host}: its answer was cut off"
        elif not readings:
            yield f"{host}: no process of yours uses suiro's transport"
