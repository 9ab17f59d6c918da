# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of a large job report to the job service, without an MPI: what its start and end cost.

    ./dev run .venv/bin/python tests/soak/crowd.py 10000 --over 5

They speak the protocol of docs/run.md, a thousand or so in a process: the ranks of a node by one
connection, or with `--ppn 1` each by its own. They arrive at once, or evenly over some seconds;
with `--lack N`, as many of the last node never come. Prints what they were answered, the time from
the first arrival to the last answer, and the memory of the service.
"""

import argparse
import asyncio
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from suiro.run.report import Reports
from suiro.run.service import Service

RANKS_OF_PROCESS = 1000
PATIENCE_S = 90


class Node:
    """Some ranks of a job, and what carries their lines to the service."""

    def __init__(self, size: int, ranks: range, local: int, entered: asyncio.Event) -> None:
        """Of the node's `local` ranks some may never come."""
        self._size, self._ranks, self._local, self._entered = size, ranks, local, entered
        self._answers: dict[str, asyncio.Queue[str]] = {}
        self._writer: asyncio.StreamWriter

    async def run(self, port: int, token: str, over_s: float) -> list[str]:
        """The verdict of each rank, or why there is none."""
        late_s = [over_s * rank / self._size for rank in self._ranks]
        await asyncio.sleep(late_s[0])
        try:
            reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
            self._writer.write(f'suiro 1 {token}\n{{"hello":true}}\n'.encode())
            if await reader.readline() != b"ok\n":
                return ["dropped"] * len(self._ranks)
        except OSError as error:
            return [type(error).__name__] * len(self._ranks)
        hearing = asyncio.create_task(self._hear(reader))
        waits = [late - late_s[0] for late in late_s]
        verdicts = await asyncio.gather(*map(self._bounded, self._ranks, waits))
        hearing.cancel()
        self._writer.close()
        return verdicts

    async def _hear(self, reader: asyncio.StreamReader) -> None:
        while line := (await reader.readline()).decode().rstrip():
            number, _, word = line.rpartition(" ")
            self._answers[number].put_nowait(word)

    async def _ask(self, rank: int, message: dict[str, object]) -> str:
        number = str(rank) if len(self._ranks) > 1 else ""
        queue = self._answers.setdefault(number, asyncio.Queue())
        self._writer.write(f"{number} {json.dumps(message)}\n".lstrip().encode())
        return await queue.get()

    async def _bounded(self, rank: int, wait_s: float) -> str:
        await asyncio.sleep(wait_s)
        try:
            return await asyncio.wait_for(self._report(rank), PATIENCE_S)
        except (OSError, TimeoutError) as error:
            return type(error).__name__

    async def _report(self, rank: int) -> str:
        about = {"world": "", "host": f"n{self._ranks[0]}", "local": self._local}
        await self._ask(rank, {"register": {**about, "build": "1", "pid": 1}})
        await self._entered.wait()  # MPI_Init, which returns when all have entered it
        answer = await self._ask(rank, {"verdict": {"rank": rank, "size": self._size}})
        await self._ask(rank, {"done": True})
        return answer


async def crowd(options: argparse.Namespace) -> Counter[str]:
    """Some nodes of a job, in one process."""
    first, port, token, all_here = options.crowd
    entered = asyncio.Event()
    here = min(options.size - options.lack, int(first) + ranks_of_process(options.ppn))
    starts = range(int(first), here, options.ppn)
    size, ppn = options.size, options.ppn
    nodes = [Node(size, range(n, min(n + ppn, here)), min(ppn, size - n), entered) for n in starts]
    running = [asyncio.ensure_future(n.run(int(port), token, options.over)) for n in nodes]
    while not Path(all_here).exists():
        await asyncio.sleep(0.01)
    entered.set()
    return Counter(answer for answers in await asyncio.gather(*running) for answer in answers)


def ranks_of_process(ppn: int) -> int:
    """Whole nodes."""
    return max(RANKS_OF_PROCESS // ppn, 1) * ppn


def more_descriptors() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def measure(options: argparse.Namespace) -> None:
    size, over_s = options.size, options.over
    service = Service(Reports(None))
    service.start()
    more_descriptors()
    port = service.places.rsplit(":", 1)[1]
    with tempfile.TemporaryDirectory() as folder:
        all_here = Path(folder) / "all"
        begin = time.monotonic()
        crowds = [
            subprocess.Popen(
                [sys.executable, __file__, "--crowd", str(first), port, service.token,
                 str(all_here), *sys.argv[1:]],
                stdout=subprocess.PIPE, text=True,
            )
            for first in range(0, size - options.lack, ranks_of_process(options.ppn))
        ]  # fmt: skip
        deadline = begin + over_s + PATIENCE_S / 3
        while service.worlds.registered < size - options.lack and time.monotonic() < deadline:
            time.sleep(0.01)
        entered = time.monotonic()
        registered = service.worlds.registered
        all_here.touch()
        answers: Counter[str] = Counter()
        for crowd in crowds:
            answers.update(json.loads(crowd.communicate()[0]))
    end = time.monotonic()
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    service.stop()
    print(
        f"{size} ranks, {options.ppn} per node, over {over_s:g} s: {registered} registered in"
        f" {entered - begin:.1f} s,"
        f" all answered {end - entered:.1f} s later: {dict(answers)}; service {kilobytes >> 10} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int)
    parser.add_argument("--over", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--ppn", type=int, default=64, metavar="RANKS", help="of a connection")
    parser.add_argument("--lack", type=int, default=0, metavar="RANKS")
    parser.add_argument("--crowd", nargs=4, metavar=("FIRST", "PORT", "TOKEN", "FILE"))
    options = parser.parse_args()
    if options.crowd is None:
        measure(options)
        return
    more_descriptors()
    with contextlib.suppress(KeyboardInterrupt):
        print(json.dumps(asyncio.run(crowd(options))))


if __name__ == "__main__":
    main()
