# SPDX-License-Identifier: BSD-3-Clause
"""Random traffic between two hosts over four links that fail at random, for as long as asked.

    nice -n 19 .venv/bin/python tests/soak/run.py --minutes 60 --log soak.log

Every byte is checked by the ranks (traffic.c). This program takes links down and up again, at
least one stays; it watches the memory and the descriptors of the ranks, and ends with one line
that says what was done, and 0 if nothing was wrong.
"""

import argparse
import contextlib
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TextIO

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "lab"))

from lab_links import LISTENER, setting  # noqa: E402

SUIRO = str(Path(sys.executable).parent / "suiro")
LINKS = 4
HOSTS = 2
SETTLED = 0.25  # of the time: then memory and descriptors are compared with the end
GROWTH_KILOBYTES_MAX = 4096
STATUS = re.compile(
    r"rank (\d+) rounds (\d+) checked_mb ([\d.]+) resident_kb (\d+) descriptors (\d+)"
)


@dataclass(frozen=True)
class Status:
    """What a rank says of itself from time to time."""

    seconds: float
    rounds: int
    checked_megabytes: float
    resident_kilobytes: int
    descriptors: int


@dataclass
class Soak:
    """One run: its job, its links, and what was seen."""

    options: argparse.Namespace
    log: TextIO
    began: float = field(default_factory=time.monotonic)
    faults: int = 0
    finished: bool = False
    complaints: list[str] = field(default_factory=list)
    statuses: dict[int, list[Status]] = field(default_factory=lambda: defaultdict(list))

    def note(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:8.1f} s  {text}", file=self.log, flush=True)

    def listen(self, lines: IO[str]) -> None:
        """What the job says, to its end."""
        for line in map(str.strip, lines):
            self.note(line)
            if found := STATUS.fullmatch(line):
                rank, rounds, megabytes, kilobytes, descriptors = found.groups()
                now = time.monotonic() - self.began
                status = Status(
                    now, int(rounds), float(megabytes), int(kilobytes), int(descriptors)
                )
                self.statuses[int(rank)].append(status)
            elif line.startswith("ok "):
                self.finished = True
            elif line:
                self.complaints.append(line)

    def leaks(self) -> list[str]:
        """Ranks that have more memory or descriptors at the end than when all had settled."""
        found = []
        for rank, statuses in self.statuses.items():
            settled = [s for s in statuses if s.seconds < SETTLED * statuses[-1].seconds]
            if not settled:
                continue
            memory = max(s.resident_kilobytes for s in settled)
            more = statuses[-1].resident_kilobytes - memory
            if more > max(GROWTH_KILOBYTES_MAX, memory // 10):
                found.append(f"rank {rank} has {more} KB more than at first")
            descriptors = max(s.descriptors for s in settled)
            if statuses[-1].descriptors > descriptors + LINKS:
                found.append(f"rank {rank} has {statuses[-1].descriptors} descriptors")
        return found


def specification(options: argparse.Namespace) -> str:
    """Of the lab."""
    rates = ", ".join([f'"{options.rate}"'] * LINKS)
    return (
        f"[hosts]\ncount = {HOSTS}\nranks = {options.ranks}\n[link]\nrate = [{rates}]\n"
        '[switch]\nmodel = "voq"\n[tcp]\nwindow = "256K"\n'
    )


def break_links(soak: Soak, commands: IO[str], over: threading.Event) -> None:
    """Takes links down for a while, several at a time, but never the last one."""
    chance = random.Random(soak.options.seed)
    while not soak.statuses and not over.wait(1):
        pass  # what starts the job knows one link only
    while not over.wait(chance.uniform(0.5, 2) * soak.options.fault_seconds):
        down = [(chance.randrange(HOSTS), link) for link in chance.sample(range(LINKS), 3)]
        down = down[: chance.choice([1, 1, 1, 2, 3])]
        seconds = chance.choice([0.1, 0.5, 2.0, 8.0])
        soak.note(f"down for {seconds} s: {', '.join(f'host{h}/eth{n}' for h, n in down)}")
        soak.faults += 1
        with contextlib.suppress(BrokenPipeError):  # the lab is gone
            commands.write("".join(setting(HOSTS, host, link, up=False) for host, link in down))
            commands.flush()
            over.wait(seconds)
            commands.write("".join(setting(HOSTS, host, link, up=True) for host, link in down))
            commands.flush()
    with contextlib.suppress(BrokenPipeError):
        commands.close()


def run(soak: Soak, folder: Path) -> int:
    """The exit code of the job."""
    options = soak.options
    spec, program = folder / "soak.toml", folder / "traffic"
    spec.write_text(specification(options))
    build = ["mpicc.openmpi", "-O2", "-o", str(program), str(HERE / "traffic.c")]
    subprocess.run(build, check=True)
    ranks = str(HOSTS * options.ranks)
    traffic = [str(program), str(options.minutes * 60), str(options.seed), str(options.largest)]
    job = [SUIRO, "run", "--transport", "suiro", "--", "mpirun.openmpi", "-n", ranks]
    traffic.append(str(options.status_seconds))
    # Nothing of this has an offset, so Open MPI 4.1 may use the transport.
    environment = os.environ | {"SUIRO_WRONG_OFFSETS": "accept"}
    command = [SUIRO, "lab", "run", str(spec), "--", "sh", "-c", LISTENER, "sh", *job, *traffic]
    over = threading.Event()
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        env=environment,
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        breaker = threading.Thread(target=break_links, args=(soak, process.stdin, over))
        breaker.start()
        soak.listen(process.stdout)
        over.set()
        code = process.wait()
        breaker.join()
    return code


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", default="20M", help="of a link, bits per second")
    parser.add_argument("--ranks", type=int, default=2, help="of a host")
    parser.add_argument("--largest", type=int, default=500_000, help="bytes of a message")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault-seconds", type=float, default=15, help="between two faults")
    parser.add_argument("--status-seconds", type=float, default=30, help="between two reports")
    parser.add_argument("--log", type=argparse.FileType("w"), default=sys.stdout)
    return parser.parse_args()


def main() -> int:
    """0: nothing was wrong."""
    soak = Soak(options := parsed(), options.log)
    with tempfile.TemporaryDirectory(prefix="suiro-soak-") as folder:
        code = run(soak, Path(folder))
    wrong = soak.complaints + soak.leaks()
    ends = [statuses[-1] for statuses in soak.statuses.values()]
    verdict = "ok" if code == 0 and soak.finished and not wrong else "FAILED"
    megabytes = sum(status.checked_megabytes for status in ends)
    soak.note(
        f"{verdict}: exit code {code}, {max((s.rounds for s in ends), default=0)} rounds,"
        f" {megabytes:.0f} MB checked, links down {soak.faults} times,"
        f" {'; '.join(wrong) or 'no leak'}"
    )
    return 0 if verdict == "ok" else 1


if __name__ == "__main__":
    sys.exit(main())
