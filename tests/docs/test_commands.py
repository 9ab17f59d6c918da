# SPDX-License-Identifier: BSD-3-Clause
"""Every `suiro` command in a block of a page is run, with fewer ranks where it has many. What is
not run here is in a list, with the reason. Blocks that test_tutorial runs whole are left to it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown import PAGES, ROOT, command_lines

from suiro import native

sys.path.insert(0, str(ROOT / "tests/mpi"))

from mpi_jobs import ENVIRONMENT

# Patterns of what needs more than this machine, or more than a minute of it.
NOT_RUN = {
    r"leader_ring": "an algorithm of the reader's own; tests/algorithms proves that of the page",
    r"^/shared/suiro/": "./dev test install makes such a folder",
    r"^suiro run -- (srun|salloc) ": "a Slurm of the user's own; docs/lab.md has one",
    r"\./(ft|is)\.A\.16": "a program of others",
    r"bcast_summary-12\.csv": "a table of others",
    r"tuned\.json$": "written by a tuning that is not run",
    r"^suiro advise -- ": "asks several hosts; tests/advise",
    r"^suiro probe .*-- mpi": "asks several hosts; labs stand for them",
    r"^for try in ": "a command of another line, 80 times",
    r"^suiro top": "needs a job that runs; tests/top",
    r"^(\w+=\S+ )*suiro (bench|bench-transport|tune) (?!barrier)": "takes minutes",
}  # fmt: skip
# What takes a lab, or more than some seconds.
LONG = re.compile(r"^suiro lab |^suiro (probe|bench) .*--lab |--nodes 4096|^suiro sim .*--ppn 64")
# Where something else than 0 is right: files differ, or something is in the way on this machine.
EXIT_CODES = {"suiro rules diff": {1}, "suiro doctor": {0, 1}}
# How the files are made that lines name.
MADE = {
    "./app": "mpicc -O2 examples/broadcast_gather.c -o app",
    "./program": "mpicc -O2 examples/broadcast_gather.c -o program",
    " hosts": "echo localhost slots=64 > hosts",
    "cluster.toml": f"sed -n '/^```toml/,/^```/p' {ROOT}/docs/probe.md | "
    "sed '/^```/d' > cluster.toml",
    "trace.jsonl": "mpicc -O2 examples/alltoall.c -o traced && "
    "suiro run --trace trace.jsonl -- mpirun -np 4 ./traced 1024 2",
    "r.json": f"cp {ROOT}/docs/results/4x4-hol-openmpi-alltoall.json r.json",
    "old.rules": "printf '1\n7\n1\n0\n1\n0 6 0 0\n' > old.rules",
    "bcast.rules": "printf '1\n7\n1\n0\n2\n0 6 0 0\n65536 3 0 8192\n' > bcast.rules",
    "suiro report": "suiro tune bcast --sizes 4K --budget 1 -- mpirun -np 2",
}


def lines_of_pages() -> dict[Path, list[str]]:
    """Each line on the first page that has it."""
    seen: set[str] = set()
    found = {}
    for page in PAGES[:-1]:  # the last says how results were measured
        lines = [line for line in command_lines(page) if not reasons(line)]
        found[page] = [line for line in dict.fromkeys(lines) if line not in seen]
        seen.update(lines)
    return found


def reasons(line: str) -> list[str]:
    return [pattern for pattern in NOT_RUN if re.search(pattern, line)]


def part(long: bool) -> dict[Path, list[str]]:
    """What takes long, or all else, by pages that have any."""
    found = {
        page: [line for line in lines if bool(LONG.search(line)) == long]
        for page, lines in lines_of_pages().items()
    }
    return {page: lines for page, lines in found.items() if lines}


SHORT_LINES, LONG_LINES = part(long=False), part(long=True)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """As `./dev run` makes it, but with a store of its own."""
    folders = [Path(sys.executable).parent, native.tool("suiro-schedule").parent]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    without = {name: value for name, value in os.environ.items() if name != "SUIRO_NO_STORE"}
    return {**without, "PATH": path, "XDG_DATA_HOME": str(tmp_path / "data")}


def run(line: str, folder: Path, environment: dict[str, str]) -> str:
    """Empty, or what went wrong."""
    fewer = re.sub(r" -np \d+", " -np 4", line)
    done = subprocess.run(
        ["sh", "-c", fewer],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    named = [codes for words, codes in EXIT_CODES.items() if line.startswith(words)]
    right = named[0] if named else {0}
    return "" if done.returncode in right else f"{fewer}: {done.returncode}\n{done.stdout}"


def failures(lines: list[str], folder: Path, environment: dict[str, str]) -> list[str]:
    """Of lines in one folder, in turn, with the files that they name."""
    (folder / "examples").symlink_to(ROOT / "examples")
    makes = [make for name, make in MADE.items() if any(name in f" {line}" for line in lines)]
    return [said for line in [*makes, *lines] if (said := run(line, folder, environment))]


@pytest.mark.parametrize("page", SHORT_LINES, ids=lambda page: page.name)
def test_commands_work(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    here = {name: value for name, value in ENVIRONMENT.items() if name != "SUIRO_NO_STORE"}
    found = failures(SHORT_LINES[page], tmp_path, environment | here)
    assert not found, "\n".join(found)


@pytest.mark.every
@pytest.mark.lab
@pytest.mark.parametrize("page", LONG_LINES, ids=lambda page: page.name)
def test_commands_work_in_labs(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    found = failures(LONG_LINES[page], tmp_path, environment)
    assert not found, "\n".join(found)


def test_what_is_not_run_is_on_a_page() -> None:
    lines = [line for page in PAGES[:-1] for line in command_lines(page)]
    unused = [pattern for pattern in NOT_RUN if not any(re.search(pattern, one) for one in lines)]
    assert not unused
