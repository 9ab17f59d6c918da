# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's public tests of collectives (test/mpi/coll): builds them for an MPI, lists their jobs."""

import hashlib
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from jobs import TOOLS, Job, Outcome, first_words

from suiro.errors import UsageError

SUITE = "mpich"
_CONFIG = Path(__file__).parent / "mpich_config"
_LIBRARY = ("util/mtest.c", "util/mtest_common.c", "util/mtest_single.c", "util/run_mpitests.c")
# What MPICH's configure takes when it is not told otherwise.
_TYPES = ("MPI_INT", "MPI_INT:4+MPI_DOUBLE:8")


@dataclass(frozen=True)
class Test:
    """A line of the suite's list: a program, its ranks and arguments."""

    program: str
    ranks: int
    arguments: tuple[str, ...] = ()
    environment: bool = False  # it chooses algorithms of MPICH's
    memory_gigabytes: float = 0
    seconds: float = 0  # that the suite gives it, where it says so

    @property
    def name(self) -> str:
        return " ".join([self.program, str(self.ranks), *self.arguments])


@dataclass(frozen=True)
class Limits:
    """Tests that take more are left out."""

    memory_gigabytes: float
    seconds: float


@dataclass
class Suite:
    """What there is to run with an MPI, and what is not run, with reasons."""

    jobs: list[Job] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def find(folder: Path) -> Path:
    """The folder test/mpi, when it or what it is in was given."""
    for place in (folder, folder / "test" / "mpi"):
        if (place / "coll" / "testlist.in").is_file():
            return place.resolve()
    raise UsageError(
        f"--mpich-tests {folder}: no coll/testlist.in in it or in its test/mpi; "
        "give the folder of MPICH's sources"
    )


def suite(folder: Path, mpi: str, work: Path, jobs: int, most: Limits, ranks: int) -> Suite:
    """Builds what is missing or out of date. `ranks` are those of each test; 0: as its list has
    them."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    builder = Builder(folder, mpi, work / f"{SUITE}-{digest}" / mpi)
    tests = list(_tests(folder, ranks))
    found = Suite()
    reasons = _unfit(folder, tests, most)
    with ThreadPoolExecutor(jobs) as pool:
        builder.build_library(pool)
        programs = sorted({test.program for test in tests if test not in reasons})
        problems = dict(zip(programs, pool.map(builder.build, programs), strict=True))
    for test in tests:
        reason = reasons.get(test) or problems[test.program]
        if reason:
            found.left_out[test.name] = reason
        else:
            found.jobs.append(builder.job(test))
    return found


def _unfit(folder: Path, tests: list[Test], most: Limits) -> dict[Test, str]:
    reasons = {}
    for test in tests:
        if test.environment:
            reasons[test] = "chooses algorithms of MPICH's own"
        elif test.memory_gigabytes > most.memory_gigabytes:
            reasons[test] = f"takes {test.memory_gigabytes:g} GB of memory"
        elif test.seconds > most.seconds:
            reasons[test] = f"may take {test.seconds:g} s, says the suite"
        elif not (folder / "coll" / f"{test.program}.c").is_file():
            reasons[test] = f"there is no coll/{test.program}.c"
    return reasons


def _tests(folder: Path, ranks: int) -> Iterator[Test]:
    """Each once, those that configure would write included."""
    seen = set()
    lines = (folder / "coll" / "testlist.in").read_text().splitlines()
    parsed = [_parse(line) for line in lines if line.strip() and not line.startswith("#")]
    for listed in [*parsed, *_datatype_tests(folder)]:
        test = replace(listed, ranks=ranks or listed.ranks)
        if test not in seen:
            seen.add(test)
            yield test


def _parse(line: str) -> Test:
    program, *words = line.split()
    ranks = int(words[0]) if words and words[0].isdigit() else 2
    values = [word.partition("=")[::2] for word in words]
    return Test(
        program,
        ranks,
        tuple(value for name, value in values if name == "arg"),
        any(name == "env" for name, _ in values),
        *_needs(line),
    )


def _needs(text: str) -> tuple[float, float]:
    """Gigabytes and seconds, of attributes such as `timeLimit=420 mem=1.2`."""
    gigabytes, seconds = (re.search(rf"\b{name}=([\d.]+)", text) for name in ("mem", "timeLimit"))
    return float(gigabytes[1]) if gigabytes else 0.0, float(seconds[1]) if seconds else 0.0


def _datatype_tests(folder: Path) -> Iterator[Test]:
    """Programs that go through many datatypes, from lines of program:arguments:counts:attributes:
    ranks:smallest number of types:largest:..."""
    config = folder / "maint" / "dtp-test-config.txt"
    if not config.is_file():
        return
    seed = 1
    for line in config.read_text().splitlines():
        if not line.startswith("coll/"):
            continue
        path, _, counts, attributes, ranks, size, *_ = line.split(":")
        for kind in _TYPES:
            for count in counts.split():
                words = (f"-type={kind}", f"-count={count}", f"-seed={seed}", f"-testsize={size}")
                yield Test(Path(path).name, int(ranks), words, False, *_needs(attributes))
                seed += 1


@dataclass(frozen=True)
class Builder:
    """Compiles the suite for an MPI, with the configuration that is beside this file."""

    folder: Path
    mpi: str
    out: Path

    @property
    def library(self) -> Path:
        return self.out / "libmtest.a"

    def build_library(self, pool: ThreadPoolExecutor) -> None:
        """What cannot be compiled for this MPI is left out: few programs need all of it."""
        self.out.mkdir(parents=True, exist_ok=True)
        sources = [path for name in _LIBRARY if (path := self.folder / name).is_file()]
        sources += sorted((self.folder / "dtpools" / "src").glob("*.c"))
        if _newer(self.library, [*sources, *_CONFIG.rglob("*.h")]):
            return
        objects = [self.out / f"library-{source.stem}.o" for source in sources]
        problems = pool.map(self._compile, sources, objects)
        good = [o for o, problem in zip(objects, problems, strict=True) if not problem]
        self.library.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", str(self.library), *map(str, good)], check=True)

    def build(self, program: str) -> str:
        """Why it cannot be."""
        source = self.folder / "coll" / f"{program}.c"
        target, compiled = self.out / program, self.out / f"{program}.o"
        if _newer(target, [source, self.library]):
            return ""
        link = [str(compiled), str(self.library), "-lm", "-o", str(target)]
        return self._compile(source, compiled) or self._call(link)

    def job(self, test: Test) -> Job:
        program = self.out / test.program
        return Job(
            suite=SUITE,
            name=test.name,
            mpi=self.mpi,
            ranks=test.ranks,
            words=(str(program), *test.arguments),
            files=(program,),
            judge=_judge,
            calls=mpi_names(program.with_suffix(".o")),
        )

    def _compile(self, source: Path, target: Path) -> str:
        folders = [
            _CONFIG / "include",
            self.folder / "include",
            self.folder / "dtpools" / "include",
        ]
        options = ["-O1", "-w", *(f"-I{folder}" for folder in folders)]
        return self._call([*options, "-c", str(source), "-o", str(target)])

    def _call(self, words: list[str]) -> str:
        done = subprocess.run(
            [TOOLS[self.mpi].compiler, *words], capture_output=True, text=True, errors="replace"
        )
        if done.returncode == 0:
            return ""
        told = re.search(r"(?:error:|undefined reference to) .*", done.stderr)
        return f"does not build: {told[0] if told else done.stderr[:100]}"


def _newer(target: Path, sources: list[Path]) -> bool:
    if not target.exists():
        return False
    made = target.stat().st_mtime
    return all(source.stat().st_mtime <= made for source in sources)


def mpi_names(binary: Path, *options: str) -> frozenset[str]:
    """Collectives, and whatever else of MPI, that an object file or a program asks for."""
    words = ["nm", "--undefined-only", *options, str(binary)]
    listing = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return frozenset(name.lower() for name in re.findall(r"\bMPI_(\w+?)(?:_c)?$", listing, re.M))


def _judge(outcome: Outcome, _folder: Path) -> str:
    right = re.search(r"no errors|test passed", outcome.out, re.IGNORECASE)
    return "" if right else first_words(outcome)
