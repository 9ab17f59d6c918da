# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of a large job report to the job service, without an MPI: what its start and end cost.

    ./dev run .venv/bin/python tests/soak/crowd.py 1000,10000 --descriptors 1024 --over 0,5

They speak the protocol of docs/run.md, a thousand or so in a process: the ranks of a node by one
connection, or with `--ppn 1` each by its own. They arrive at once, or evenly over some seconds;
with `--lack N`, as many of the last node never come. The service has so many descriptors and no
more (`ulimit -n`), soft and hard.

Prints for each combination how many ranks are on, the time from the first arrival to the last
answer, the most memory that the service had, and what it said.
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
from itertools import product
from pathlib import Path
from typing import Any

import result_file

from suiro.provenance import now
from suiro.run.report import Reports
from suiro.run.service import Service

RANKS_OF_PROCESS = 1000
PATIENCE_S = 90
SAID_MAX = 3  # lines that are kept of what the service said
# Folders that tell the processes of the ranks what to do.
BEGIN, ENTERED = "begin", "entered"


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


async def existing(path: Path) -> None:
    while not path.exists():
        await asyncio.sleep(0.01)


async def crowd(options: argparse.Namespace) -> dict[str, Any]:
    """Some nodes of a job, in one process: their answers, and when the last of them came."""
    first, port, token, folder = options.crowd
    size, ppn = options.sizes[0], options.ppn
    here = min(size - options.lack, int(first) + ranks_of_process(ppn))
    starts = range(int(first), here, ppn)
    entered = asyncio.Event()
    nodes = [Node(size, range(n, min(n + ppn, here)), min(ppn, size - n), entered) for n in starts]
    print("ready", flush=True)
    await existing(Path(folder, BEGIN))
    running = [asyncio.ensure_future(n.run(int(port), token, options.over[0])) for n in nodes]
    await existing(Path(folder, ENTERED))
    entered.set()
    answers = Counter(answer for each in await asyncio.gather(*running) for answer in each)
    return {"answers": answers, "end_s": time.monotonic()}


def ranks_of_process(ppn: int) -> int:
    """Whole nodes."""
    return max(RANKS_OF_PROCESS // ppn, 1) * ppn


def more_descriptors() -> None:
    """For the ranks, which in a job are on other machines."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def serve(options: argparse.Namespace) -> dict[str, Any]:
    """One combination, in the process of the service."""
    coming = options.sizes[0] - options.lack
    service = Service(Reports(None))
    port = service.places.rsplit(":", 1)[1]
    folder = options.serve
    with contextlib.ExitStack() as at_the_end:
        crowds = [
            subprocess.Popen(
                [sys.executable, *sys.argv, "--crowd", str(first), port, service.token, folder],
                stdout=subprocess.PIPE, text=True,
            )
            for first in range(0, coming, ranks_of_process(options.ppn))
        ]  # fmt: skip
        for each in crowds:
            at_the_end.callback(each.kill)
            assert each.stdout is not None and each.stdout.readline()
        resource.setrlimit(resource.RLIMIT_NOFILE, (options.descriptors[0],) * 2)
        service.start()
        begin = time.monotonic()
        Path(folder, BEGIN).mkdir()  # no descriptor may be left
        deadline = begin + options.over[0] + PATIENCE_S / 3
        while service.worlds.registered < coming and time.monotonic() < deadline:
            time.sleep(0.01)
        registered = service.worlds.registered
        Path(folder, ENTERED).mkdir()
        told = [json.loads(each.communicate()[0]) for each in crowds]
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    service.stop()
    answers: Counter[str] = Counter()
    for one in told:
        answers.update(one["answers"])
    return {
        "registered": registered,
        "on": answers["on"],
        "answers": answers,
        "seconds": max(one["end_s"] for one in told) - begin,
        "peak_bytes": kilobytes << 10,
    }


def row(options: argparse.Namespace, size: int, descriptors: int, over_s: float) -> dict[str, Any]:
    """The service has a process of its own, whose memory and descriptors are counted."""
    what = {"descriptors": descriptors, "over": over_s, "ppn": options.ppn, "lack": options.lack}
    words = [str(size), *(f"--{name}={value}" for name, value in what.items())]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, *words, "--serve", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()
    if done.returncode != 0:
        sys.exit(said[-1] if said else "the service ended wrongly")
    found = json.loads(done.stdout)
    print(
        f"{size} ranks, {options.ppn} per node, over {over_s:g} s, {descriptors} descriptors: "
        f"{found['answers']}, {found['seconds']:.1f} s, {found['peak_bytes'] >> 20} MB",
        *said[:SAID_MAX], sep="\n  ", flush=True,
    )  # fmt: skip
    known = {"ranks": size, "ppn": options.ppn, "lack": options.lack, "descriptors": descriptors}
    said_too = {"said": said[:SAID_MAX], "said_lines": len(said)}
    return known | {"over_s": over_s} | found | said_too


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def seconds(text: str) -> list[float]:
    return [float(word) for word in text.split(",")]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sizes", nargs="?", type=numbers, default="1000,1500,4096,10000")
    parser.add_argument("--descriptors", type=numbers, default="1024,20000", metavar="N,...")
    parser.add_argument("--over", type=seconds, default="0,5", metavar="SECONDS,...")
    parser.add_argument("--ppn", type=int, default=64, metavar="RANKS", help="of a connection")
    parser.add_argument("--lack", type=int, default=0, metavar="RANKS")
    result_file.add_option(parser)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--crowd", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    if options.crowd is not None:
        more_descriptors()
        with contextlib.suppress(KeyboardInterrupt):
            print(json.dumps(asyncio.run(crowd(options))))
    elif options.serve:
        print(json.dumps(serve(options)))
    else:
        began = now()
        combinations = product(options.sizes, options.descriptors, options.over)
        rows = [row(options, *each) for each in combinations]
        result_file.write(options.json, began, {"rows": rows})


if __name__ == "__main__":
    main()
