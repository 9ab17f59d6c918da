# SPDX-License-Identifier: BSD-3-Clause
"""One run of one foreign program, natively or with suiro: how it is started, ended and judged."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "mpi"))

from mpi_jobs import ENVIRONMENT, SUIRO, TOOLS, Outcome, rows_of
from quantities import Quantity, Readings, first_difference, read_all, unread

from suiro import native

# Every process of a run inherits it, whatever group or session its launcher puts it in.
_MARK = "FOREIGN_SUITES_MARK"
_THIS_RUN = uuid.uuid4().hex
_PATIENCE_SECONDS = 10  # that launchers get to end their ranks
_TIMED_OUT = -10000  # as an exit code; no signal has that number
_WORDS_MAX = 160
# Else Open MPI 4.1.4 would not have the transport: its persistent sends go wrong with some types.
_ACCEPTED = {"SUIRO_WRONG_OFFSETS": "accept"}
SLOWER_MAX = 10  # a program that natively takes long may take so many times as long
_NATIVE_RUNS = 3  # of a program whose results are compared, to see whether they are always the same
_WITHOUT_LIBFABRIC = (
    "own transport"  # what suiro says of MPICH 4.0, which cannot load its transport
)


@dataclass(frozen=True, eq=False)
class Job:
    """A program of a suite with its arguments, for one MPI."""

    suite: str
    name: str
    mpi: str
    ranks: int
    words: tuple[str, ...]
    files: tuple[Path, ...]  # what decides the result beside `words`
    judge: Callable[[Outcome, Path], str]  # what is wrong; the folder is where it ran
    calls: frozenset[str] | None = None  # collectives that the program names; None: not known
    variables: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[Path, ...] = ()  # copied to where it runs, of folders what is in them
    prepare: tuple[tuple[str, ...], ...] = ()  # commands that run there before, without MPI
    quantities: tuple[Quantity, ...] = ()  # to be those of the native run

    @property
    def nodes(self) -> int:
        """That the ranks pretend to be on: 4 on 2, 5 to 9 on 3, 10 to 16 on 4, in block order and
        uneven where the ranks are."""
        return math.isqrt(self.ranks - 1) + 1


@dataclass(frozen=True)
class Forced:
    """An algorithm, in all collectives that it can run."""

    algorithm: str  # with its parameters
    collectives: tuple[str, ...]  # its own first

    @property
    def name(self) -> str:
        return f"{self.collectives[0]}={self.algorithm}"


@dataclass(frozen=True)
class Setting:
    """What is forced on suiro at once; nothing is what users have."""

    name: str = "defaults"
    forced: tuple[Forced, ...] = ()
    native: tuple[str, ...] = ()  # collectives that are left to the MPI
    options: tuple[str, ...] = ()  # of `suiro run`

    @property
    def collectives(self) -> frozenset[str]:
        return frozenset(name for one in self.forced for name in one.collectives)

    @property
    def variables(self) -> dict[str, str]:
        words = dict.fromkeys(self.native, "native")
        words |= {name: one.algorithm for one in self.forced for name in one.collectives}
        return {f"SUIRO_{name.upper()}": word for name, word in words.items()}


@dataclass(frozen=True)
class Result:
    """What came of a run."""

    wrong: str  # in one line; empty: nothing
    seconds: float
    ended: bool = True  # within its time
    forced_calls: Mapping[str, int] = field(default_factory=dict)  # that ran it, for each forced
    calls: Mapping[str, int] = field(default_factory=dict)  # of each collective, between nodes
    readings: Readings = field(default_factory=dict)
    exact: bool = True  # natively: the readings were the same each time


class Runner:
    """Runs jobs, several at a time, each in a folder of its own."""

    def __init__(
        self, work: Path, limit_seconds: float, two_sites: bool = False, nodes: int = 0
    ) -> None:
        self.logs = work / "logs"
        self.limit_seconds = limit_seconds
        self.two_sites = two_sites
        self.nodes = nodes  # 0: as many as fit the ranks
        self._numbers = 0
        self._lock = threading.Lock()

    def natively(self, job: Job) -> Result:
        """What is computed is read several times; runs that differ by more than rounding are
        wrong."""
        result, _ = self._run(job, [], {}, self.limit_seconds, "native")
        for _ in range(_NATIVE_RUNS - 1 if job.quantities else 0):
            if result.wrong:
                break
            again, _ = self._run(job, [], {}, self.limit_seconds, "native")
            different = again.wrong or first_difference(
                job.quantities, result.readings, again.readings, exact=False
            )
            exact = result.exact and result.readings == again.readings
            result = replace(result, wrong=different, exact=exact)
        return result

    def with_suiro(self, job: Job, setting: Setting, natively: Result) -> Result:
        """The time limit is that of all programs, but more for one that is slow natively too."""
        prefix = [*SUIRO, "run", *setting.options, "--explain=json", "--"]
        variables = {"SUIRO_NODES": self._nodes(job)} | _ACCEPTED | setting.variables
        limit = max(self.limit_seconds, SLOWER_MAX * natively.seconds)

        def differs(result: Result, outcome: Outcome) -> str:
            exact = natively.exact and not _sums_reordered(_explained(outcome), setting)
            return first_difference(job.quantities, natively.readings, result.readings, exact)

        compare = differs if natively.readings and not natively.wrong else None
        result, outcome = self._run(job, prefix, variables, limit, setting.name, compare)
        rows = _explained(outcome)
        return replace(
            result, forced_calls=_forced_calls(rows, setting), calls=calls_between_nodes(rows)
        )

    def _nodes(self, job: Job) -> str:
        nodes = self.nodes or job.nodes
        if not self.two_sites or nodes == 1:
            return str(nodes)
        far = nodes // 2
        return f"{nodes - far}+{far}"

    def _run(
        self,
        job: Job,
        prefix: list[str],
        more: Mapping[str, str],
        limit: float,
        setting: str,
        compare: Callable[[Result, Outcome], str] | None = None,
    ) -> tuple[Result, Outcome]:
        words = [*prefix, TOOLS[job.mpi].launcher, "-n", str(job.ranks), *job.words]
        variables = _environment(job) | dict(more)
        with tempfile.TemporaryDirectory(prefix="suiro-foreign-") as name:
            folder = Path(name)
            outcome = self._prepare(job, variables, folder)
            began = time.monotonic()
            if outcome.code == 0:
                outcome = self._execute(words, variables, folder, limit)
            seconds = time.monotonic() - began
            readings = read_all(job.quantities, outcome.out, folder)
            wrong = _wrong(job, outcome, folder, limit)
        wrong = wrong or unread(job.quantities, readings)
        result = Result(wrong, seconds, outcome.code != _TIMED_OUT, readings=readings)
        if compare and not wrong:
            result = replace(result, wrong=compare(result, outcome))
        if result.wrong:
            self._keep(job, setting, words, variables, outcome)
        return result, outcome

    def _prepare(self, job: Job, variables: Mapping[str, str], folder: Path) -> Outcome:
        """The first command that fails is what is told."""
        for path in job.inputs:
            if path.is_dir():
                shutil.copytree(path, folder, dirs_exist_ok=True)
            else:
                shutil.copy(path, folder)
        for words in job.prepare:
            outcome = self._execute(list(words), variables, folder, self.limit_seconds)
            if outcome.code:
                return outcome
        return Outcome(0, "", "")

    def _execute(
        self, words: list[str], variables: Mapping[str, str], folder: Path, limit: float
    ) -> Outcome:
        with self._lock:
            self._numbers += 1
            mark = f"{_THIS_RUN}-{self._numbers}-"
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=_inherited() | dict(variables) | {_MARK: mark} | _scratch(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        code = None
        try:
            out, err = process.communicate(timeout=limit)
            code = process.returncode
        except subprocess.TimeoutExpired:
            out, err = _end(process, mark)
        kill_all(mark)  # ranks that outlive their launcher would slow down all that follow
        return Outcome(_TIMED_OUT if code is None else code, out, err)

    def _keep(
        self,
        job: Job,
        setting: str,
        words: list[str],
        variables: Mapping[str, str],
        outcome: Outcome,
    ) -> None:
        """All that is needed to run it again by hand, and what it said."""
        path = self.log(job, setting)
        path.parent.mkdir(parents=True, exist_ok=True)
        exports = "".join(f"export {name}='{value}'\n" for name, value in variables.items())
        path.write_text(
            f"{exports}{' '.join(words)}\n\nexit code {outcome.code}\n"
            f"--- standard output\n{outcome.out}\n--- standard error\n{outcome.err}\n"
        )

    def log(self, job: Job, setting: str) -> Path:
        """Where a run that went wrong is told of."""
        name = "".join(c if c.isalnum() or c in "-=.:" else "_" for c in f"{job.name} {setting}")
        return self.logs / job.mpi / job.suite / f"{name}.log"


def kill_all(mark: str = _THIS_RUN) -> None:
    """Ends the processes of a run of this program, or of all its runs."""
    wanted = f"{_MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if wanted in (entry / "environ").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue  # it has ended, or is somebody else's


def _end(process: "subprocess.Popen[str]", mark: str) -> tuple[str, str]:
    """Launchers pass a request to end on to their ranks; a kill they could not."""
    process.terminate()
    try:
        return process.communicate(timeout=_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        kill_all(mark)
        return process.communicate()


def _inherited() -> dict[str, str]:
    """Nothing of suiro's but where it is."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SUIRO") or name == "SUIRO_NATIVE_DIR"
    }


def _scratch(folder: Path) -> dict[str, str]:
    """A folder for each launcher of Open MPI: those that start at once make and remove the same."""
    return {f"{name}_tmpdir_base": str(folder) for name in ("OMPI_MCA_orte", "PRTE_MCA_prte")}


def _environment(job: Job) -> dict[str, str]:
    """The same natively and with suiro: ranks give their core away while they wait."""
    variables = {name: value for name, value in ENVIRONMENT.items() if name != "SUIRO_NODES"}
    if job.mpi == "mpich":
        variables["LD_PRELOAD"] = str(native.library("libsuiro-lab-mpich.so"))
    return variables | dict(job.variables)


def _wrong(job: Job, outcome: Outcome, folder: Path, limit: float) -> str:
    if outcome.code == _TIMED_OUT:
        return f"no end within {limit:.0f} s"
    expected = _WITHOUT_LIBFABRIC if job.mpi == "mpich" else "\n"
    if said := [line for line in outcome.complaints() if expected not in line]:
        return f"suiro said: {said[0].removeprefix('suiro: ')}"
    wrong = job.judge(outcome, folder)
    if outcome.code and not wrong:
        wrong = first_words(outcome)
    return f"exit code {outcome.code}: {wrong}" if outcome.code else wrong


def first_words(outcome: Outcome) -> str:
    """The first line that says what happened: not the frames and headings of launchers."""
    lines = (outcome.out + "\n" + outcome.err).splitlines()
    for line in lines:
        if told := re.search(r"EXIT STRING: (.*)", line):
            return told[1]
        framed = line.startswith(("=", "--")) or len(line.strip(" *\t")) <= 3
        if not framed and "No Errors" not in line:
            return line.strip()[:_WORDS_MAX]
    return "no word"


def _explained(outcome: Outcome) -> list[dict[str, Any]]:
    try:
        return outcome.explained()
    except (ValueError, json.JSONDecodeError):  # it did not come to its end
        return []


def _forced_calls(rows: list[dict[str, Any]], setting: Setting) -> dict[str, int]:
    return {
        one.name: sum(
            row["calls"]
            for row in rows
            if row["collective"] in one.collectives
            and row["algorithm"].partition(":")[0] == one.algorithm.partition(":")[0]
        )
        for one in setting.forced
    }


def calls_between_nodes(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Of each collective; within a node native always runs."""
    calls: dict[str, int] = defaultdict(int)
    for row in rows:
        if not row["shape"].startswith("1 node "):
            calls[row["collective"]] += row["calls"]
    return dict(calls)


def _sums_reordered(rows: list[dict[str, Any]], setting: Setting) -> bool:
    """With --check the program gets what native computes."""
    return "--check" not in setting.options and any(
        row["collective"] in reductions() and row["algorithm"] != "native" for row in rows
    )


@cache
def reductions() -> frozenset[str]:
    """Whose results depend on the order of operands, in their last bits."""
    return frozenset(row["name"] for row in rows_of("collectives") if row["reduces"])
