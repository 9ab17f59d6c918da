# SPDX-License-Identifier: BSD-3-Clause
"""A link is pulled out of a running job, and put back: nothing is lost, and the rest is used.

A longer run, of 1 GB in messages of 1 MB, which tells what was reached of what was possible. The
link is pulled after 20 messages and is back when 100 more are there:

    .venv/bin/python tests/fabric/test_outages.py stream 1000 1000000 20 100
"""

import contextlib
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO

import pytest

HERE = Path(__file__).parent
for folder in ("lab", "mpi"):
    sys.path.insert(0, str(HERE.parent / folder))

from lab_command import SUIRO as LAB_SUIRO  # noqa: E402
from lab_links import LISTENER, setting  # noqa: E402
from mpi_jobs import SUIRO, Mpi  # noqa: E402

HOSTS = 4
# Native's messages need not go over suiro's transport, which some releases cannot use rightly.
ALGORITHM = "pairwise"
LIMIT_SECONDS = 100
LINK_BYTES_PER_SECOND = 12.0e6  # of 100 Mbit/s, less headers


def specification(ranks: int, links: int) -> str:
    return f"""
[hosts]
count = {HOSTS}
ranks = {ranks}
[link]
rate = {["100M"] * links}
[switch]
model = "voq"
[tcp]
window = "256K"
"""


@dataclass(frozen=True)
class Outage:
    """What a job did while a link of host 1 was away, by the clock of the machine."""

    code: int
    out: list[str]
    down: float
    up: float

    @property
    def arrivals(self) -> list[tuple[float, int]]:
        words = [line.split() for line in self.out if line.startswith("at ")]
        return [(float(seconds), int(amount)) for _, seconds, _, amount in words]

    def bytes_between(self, begin: float, end: float) -> int:
        return sum(amount for seconds, amount in self.arrivals if begin < seconds <= end)

    def fraction(self, rate: float) -> float:
        """Of what was possible since the link was pulled, if both together give this rate."""
        end = self.arrivals[-1][0]
        possible = rate * (end - self.down) - rate / 2 * (self.up - self.down)
        return self.bytes_between(self.down, end) / possible

    def longest_gap(self) -> float:
        return max(after - before for (before, _), (after, _) in pairwise(self.arrivals))


def run(
    folder: Path,
    kind: str,
    count: int,
    size: int,
    before: int,
    meanwhile: int,
    *,
    seconds: float = 0,
    ranks_of_host: int = 1,
    links: int = 2,
) -> Outage:
    """`count` messages or all-to-alls. The first link of host 1 is pulled after some of them, and
    is put back after as many more as are to arrive meanwhile, and some time."""
    spec = folder / "links.toml"
    spec.write_text(specification(ranks_of_host, links))
    mpi = Mpi("openmpi", folder)
    program = mpi.build(str(HERE / "outage.c"))
    ranks = 2 if kind == "stream" else HOSTS * ranks_of_host
    job = [*SUIRO, "run", "--transport", "suiro", "--", *mpi.launcher(ranks), "--map-by", "node"]
    words = shlex.split(f"{program} {kind} {count} {size}")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*LAB_SUIRO, "lab", "run", str(spec), "--", "sh", "-c", LISTENER, "sh", *job, *words],
        env=os.environ | {"SUIRO_ALLTOALL": ALGORITHM},
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        killer = threading.Timer(LIMIT_SECONDS, process.terminate)
        killer.start()
        try:
            out = _lines(process.stdout, before)
            down = time.time()
            _say(process.stdin, setting(HOSTS, 1, 0, up=False))
            out += _lines(process.stdout, meanwhile)
            time.sleep(seconds)
            up = time.time()
            _say(process.stdin, setting(HOSTS, 1, 0, up=True))
            out += process.stdout.read().splitlines()
        finally:
            killer.cancel()
    return Outage(process.returncode, out, down, up)


def _lines(stream: IO[str], arrivals: int) -> list[str]:
    """What the job says until so many more messages are there, or all that it says."""
    lines: list[str] = []
    while arrivals > 0 and (line := stream.readline()):
        lines.append(line.rstrip("\n"))
        arrivals -= line.startswith("at ")
    return lines


def _say(stream: IO[str], line: str) -> None:
    """Nobody listens once the job has ended."""
    with contextlib.suppress(BrokenPipeError):
        stream.write(line)
        stream.flush()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_an_all_to_all_goes_on_over_the_other_link(tmp_path: Path) -> None:
    """The link that is pulled carries all control streams. Every byte is checked by the ranks. The
    link is put back only after the job has gone on without it, so no clock decides."""
    count = 60
    outage = run(tmp_path, "alltoall", count, 400_000, before=10, meanwhile=20)
    assert outage.code == 0, outage.out
    assert len(outage.arrivals) == count, outage.out
    assert outage.arrivals[-1][0] > outage.up, "the job ended before the link was back"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_loss_is_told_once_and_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All ranks fail, the two of host 1 and those that wait for them; a lab's hosts share the place
    where they look whether it has been told. Host 1 cannot be heard before its link is back, which
    is long after `SUIRO_NET_PEER_SECONDS`, so that ranks of a busy machine have looked too."""
    monkeypatch.setenv("SUIRO_NET_PEER_SECONDS", "1")
    outage = run(tmp_path, "alltoall", 400, 40_000, 10, 0, seconds=15, ranks_of_host=2, links=1)
    assert outage.code != 0
    told = [line for line in outage.out if line.startswith("suiro: rank ")]
    assert len(told) == 1, told
    where = r"\d+ on host\d: no way is left to process \d of the host with 10\.77\.0\.\d: "
    why = r"(timed out: the host is gone|no route to the host; SUIRO_NETS chooses)"
    assert re.match(f"suiro: rank {where}{why}", told[0]), told


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_rank_that_is_stopped_for_long_goes_on(tmp_path: Path) -> None:
    """Its host answers for it, that there is no room. Small messages, on the only link: the stream
    cannot be opened again."""
    mpi = Mpi("openmpi", tmp_path)
    program = mpi.build(str(HERE / "stopped.c"))
    job = [*SUIRO, "run", "--transport", "suiro", "--", *mpi.launcher(2), "--map-by", "node"]
    words = [*LAB_SUIRO, "lab", "run", "2x1-wire", "--", *job, program, "1000", "20000", "5"]
    done = subprocess.run(
        words,
        env=os.environ | {"SUIRO_NET_PEER_SECONDS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr


def main() -> None:
    import tempfile

    kind, numbers = sys.argv[1], map(int, sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        outage = run(Path(folder), kind, *numbers)
    for line in outage.out:
        if not line.startswith(("at ", "begun")):
            print(line.strip())
    away = outage.up - outage.down
    begin, end = outage.arrivals[0][0], outage.arrivals[-1][0]
    settled = min(end - 1, outage.up + 3)
    after = outage.bytes_between(settled, end) / (end - settled)
    # What a stream can reach is known; an all-to-all is measured against itself.
    rate = 2 * LINK_BYTES_PER_SECOND if kind == "stream" else after
    print(
        f"exit code {outage.code}; {len(outage.arrivals)} arrivals in {end - begin:.1f} s,"
        f" the link was away for {away:.1f} s;"
        f" {outage.fraction(rate):.3f} of what was possible since;"
        f" longest gap {outage.longest_gap():.2f} s; MB/s"
        f" {outage.bytes_between(begin, outage.down) / (outage.down - begin) / 1e6:.1f} before,"
        f" {outage.bytes_between(outage.down, outage.up) / away / 1e6:.1f} meanwhile,"
        f" {after / 1e6:.1f} after"
    )


if __name__ == "__main__":
    main()
