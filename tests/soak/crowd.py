# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of a large job report to the job service, without an MPI: what its start and end cost.

    ./dev run .venv/bin/python tests/soak/crowd.py 10000 --over 5

Each rank is a connection that speaks the protocol of docs/run.md; a thousand share a process. They
arrive at once, or evenly over some seconds. Prints what they were answered, the time from the first
arrival to the last answer, and the memory of the service.
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
RANKS_OF_NODE = 64
PATIENCE_S = 90


class Crowd:
    """Some ranks of a job, in one process."""

    def __init__(self, size: int, port: int, token: str, all_here: Path) -> None:
        self._size, self._port, self._token, self._all_here = size, port, token, all_here
        self._entered = asyncio.Event()

    async def run(self, ranks: range, over_s: float) -> Counter[str]:
        waiting = asyncio.create_task(self._wait_until_all_are_here())
        late = [over_s * rank / self._size for rank in ranks]
        answers = await asyncio.gather(*map(self._rank, ranks, late))
        waiting.cancel()
        return Counter(answers)

    async def _wait_until_all_are_here(self) -> None:
        while not self._all_here.exists():
            await asyncio.sleep(0.01)
        self._entered.set()

    async def _rank(self, rank: int, late_s: float) -> str:
        """The verdict, or why there is none."""
        await asyncio.sleep(late_s)
        try:
            return await asyncio.wait_for(self._report(rank), PATIENCE_S)
        except (OSError, TimeoutError) as error:
            return type(error).__name__

    async def _report(self, rank: int) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            about = {"world": "", "host": f"n{rank // RANKS_OF_NODE}", "build": "1", "pid": 1}
            writer.write(f'suiro 1 {self._token}\n{{"hello":true}}\n'.encode())
            if await reader.readline() != b"ok\n":
                return "dropped"
            writer.write(json.dumps({"register": about}).encode() + b"\n")
            if await reader.readline() != b"ok\n":
                return "dropped"
            await self._entered.wait()  # MPI_Init, which returns when all have entered it
            about = {"rank": rank, "size": self._size}
            writer.write(json.dumps({"verdict": about}).encode() + b"\n")
            answer = (await reader.readline()).decode().strip()
            writer.write(b'{"done":true}\n')
            await reader.readline()
            return answer or "dropped"
        finally:
            writer.close()


def more_descriptors() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def measure(size: int, over_s: float) -> None:
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
                 str(all_here), str(size), "--over", str(over_s)],
                stdout=subprocess.PIPE, text=True,
            )
            for first in range(0, size, RANKS_OF_PROCESS)
        ]  # fmt: skip
        deadline = begin + over_s + PATIENCE_S / 3
        while service.worlds.registered < size and time.monotonic() < deadline:
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
        f"{size} ranks over {over_s:g} s: {registered} registered in {entered - begin:.1f} s,"
        f" all answered {end - entered:.1f} s later: {dict(answers)}; service {kilobytes >> 10} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int)
    parser.add_argument("--over", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--crowd", nargs=4, metavar=("FIRST", "PORT", "TOKEN", "FILE"))
    options = parser.parse_args()
    if options.crowd is None:
        measure(options.size, options.over)
        return
    first, port, token, file = options.crowd
    more_descriptors()
    last = min(int(first) + RANKS_OF_PROCESS, options.size)
    crowd = Crowd(options.size, int(port), token, Path(file))
    with contextlib.suppress(KeyboardInterrupt):
        answers = asyncio.run(crowd.run(range(int(first), last), options.over))
        print(json.dumps(answers))


if __name__ == "__main__":
    main()
