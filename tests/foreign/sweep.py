# SPDX-License-Identifier: BSD-3-Clause
"""All runs: natively once, and with suiro under each setting where it may matter."""

import hashlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from jobs import ENVIRONMENT, TOOLS, Job, Result, Runner, Setting

_PROGRESS_SECONDS = 10


@dataclass
class Plan:
    """What is to be run."""

    settings: list[Setting]
    jobs: list[Job] = field(default_factory=list)
    left_out: dict[tuple[str, str], str] = field(default_factory=dict)  # (MPI, test): why

    def take(self, jobs: Sequence[Job], ranks: int) -> None:
        """Where a number of ranks is asked for (not 0), what has it."""
        for job in jobs:
            if ranks in (0, job.ranks):
                self.jobs.append(job)
            else:
                self.left_out[job.mpi, job.name] = f"takes {job.ranks} ranks and no other number"

    def keep_only(self, patterns: Sequence[str]) -> None:
        """Programs that any of the patterns fits, with any arguments."""

        def fits(name: str) -> bool:
            return any(
                fnmatchcase(text, pattern)
                for pattern in patterns
                for text in (name, name.split()[0])
            )

        self.jobs = [job for job in self.jobs if fits(job.name)]
        self.left_out = {key: why for key, why in self.left_out.items() if fits(key[1])}


@dataclass(frozen=True)
class Failure:
    """A run with suiro that went wrong where native did not."""

    job: Job
    setting: Setting
    wrong: str
    log: Path


class Sweep:
    """Runs a plan, and knows what came of it."""

    def __init__(self, plan: Plan, runner: Runner, work: Path) -> None:
        self.plan = plan
        self.native: dict[Job, Result] = {}
        self.results: dict[tuple[Job, Setting], Result] = {}
        self.learnt: dict[Job, Mapping[str, int]] = {}  # calls of each collective between nodes
        self._runner = runner
        self._kept = KeptResults(work / "native.jsonl")

    def run(self, jobs: int, again: bool) -> None:
        """Natively what is not known yet, then with suiro."""
        for job in self.plan.jobs:
            if not again and (kept := self._kept.find(job)):
                self.native[job] = kept
        new = [job for job in self.plan.jobs if job not in self.native]
        with ThreadPoolExecutor(jobs) as pool:
            try:
                self._run_natively(pool, new)
                self._run_with_suiro(pool)
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def touches(self, job: Job, collectives: Collection[str]) -> bool:
        """Whether it calls any of them. Nothing forced: every program is of interest."""
        calls = self.learnt.get(job, job.calls)
        return not collectives or calls is None or not set(collectives).isdisjoint(calls)

    def wrong_natively(self) -> list[Job]:
        return [job for job in self.plan.jobs if self.native[job].wrong]

    def failures(self) -> list[Failure]:
        """Of what is right natively; in the order of the plan, not in that of time."""
        return [
            Failure(job, setting, result.wrong, self._runner.log(job, setting.name))
            for setting in self.plan.settings
            for job in self.plan.jobs
            if not self.native[job].wrong
            and (result := self.results.get((job, setting)))
            and result.wrong
        ]

    def _run_natively(self, pool: ThreadPoolExecutor, jobs: list[Job]) -> None:
        futures = {pool.submit(self._runner.natively, job): job for job in jobs}
        for future in self._watched("natively", list(futures)):
            job = futures[future]
            self.native[job] = future.result()
            self._kept.keep(job, future.result())

    def _run_with_suiro(self, pool: ThreadPoolExecutor) -> None:
        """A program that is wrong natively may be right with suiro, whose algorithms are others;
        one that hangs natively is not waited for again."""
        jobs = [job for job in self.plan.jobs if self.native[job].ended]
        self._learn(pool, [job for job in jobs if job.calls is None])
        pairs = [
            (job, setting)
            for setting in self.plan.settings
            for job in jobs
            if (job, setting) not in self.results and self.touches(job, setting.collectives)
        ]
        for job, setting, result in self._watched_runs(pool, "with suiro", pairs):
            self.results[job, setting] = result

    def _learn(self, pool: ThreadPoolExecutor, jobs: list[Job]) -> None:
        """What programs call, of which nobody knows it: suiro tells. That run is one of the plan,
        if it has it."""
        planned = Setting() if Setting() in self.plan.settings else None
        pairs = [(job, Setting()) for job in jobs]
        for job, setting, result in self._watched_runs(pool, "what they call", pairs):
            if result.calls:  # else it did not come to its end
                self.learnt[job] = result.calls
            if setting == planned:
                self.results[job, setting] = result

    def _watched_runs(
        self, pool: ThreadPoolExecutor, how: str, pairs: list[tuple[Job, Setting]]
    ) -> Iterator[tuple[Job, Setting, Result]]:
        run: Callable[[Job, Setting, Result], Result] = self._runner.with_suiro
        futures = {
            pool.submit(run, job, setting, self.native[job]): (job, setting)
            for job, setting in pairs
        }
        for future in self._watched(how, list(futures)):
            job, setting = futures[future]
            result = future.result()
            yield job, setting, result
            if result.wrong and not self.native[job].wrong:
                _say(f"{job.mpi}: {job.name}, {setting.name}: {result.wrong}")

    def _watched(self, how: str, futures: list[Future[Result]]) -> Iterator[Future[Result]]:
        """Tells how far it is from time to time."""
        last, wrong = time.monotonic(), 0
        for number, future in enumerate(as_completed(futures), 1):
            yield future
            wrong += bool(future.result().wrong)
            if time.monotonic() - last > _PROGRESS_SECONDS or number == len(futures):
                last = time.monotonic()
                _say(f"{how}: {number} of {len(futures)} runs, {wrong} wrong")


class KeptResults:
    """Native results of earlier runs, as lines of JSON; the last for a job holds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self._found = {row["key"]: row for row in map(json.loads, lines)}

    def find(self, job: Job) -> Result | None:
        row = self._found.get(_key(job))
        if not row:
            return None
        kept = {name: row[name] for name in ("wrong", "seconds", "ended", "readings", "exact")}
        return Result(**kept)

    def keep(self, job: Job, result: Result) -> None:
        row = {"key": _key(job), "mpi": job.mpi, "name": job.name} | asdict(result)
        with self._path.open("a") as file:
            print(json.dumps(row), file=file)


def _key(job: Job) -> str:
    """Changes with anything that may change the result."""
    variables = sorted((ENVIRONMENT | dict(job.variables)).items())
    facts = [job.mpi, version(job.mpi), job.name, job.ranks, job.words, variables]
    facts += [job.prepare, [str(quantity) for quantity in job.quantities]]
    facts += [_digest(path) for path in job.files]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def version(mpi: str) -> str:
    """Of the MPI, as its launcher says."""
    words = [TOOLS[mpi].launcher, "--version"]
    told = subprocess.run(words, capture_output=True, text=True).stdout
    found = re.search(r"(?:\((?:Open MPI|OpenRTE)\)|Version:)\s+(\S+)", told)
    return found[1] if found else told.strip()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
