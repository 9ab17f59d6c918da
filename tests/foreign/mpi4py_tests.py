# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of collectives (test/test_cco_*.py), with mpi4py built for each MPI."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from jobs import TOOLS, Job, Outcome, first_words

from suiro.errors import MachineError, UsageError

SUITE = "mpi4py"
_SETUPTOOLS = "setuptools<70"  # newer ones lack what mpi4py 3 needs of distutils
_RANKS = (4, 5)  # on two nodes; on three, of which one has one rank


def find(folder: Path) -> Path:
    """The folder of mpi4py's sources."""
    if not list((folder / "test").glob("test_cco_*.py")):
        raise UsageError(
            f"--mpi4py-source {folder}: no test/test_cco_*.py in it; "
            "give the unpacked source distribution (pip download --no-binary :all: mpi4py)"
        )
    return folder.resolve()


def jobs(folder: Path, mpi: str, work: Path, ranks: int) -> list[Job]:
    """One for each module and number of ranks (0: those of _RANKS); builds what is missing."""
    library = _built(folder, mpi, work)
    tests = folder / "test"
    helpers = sorted({*tests.glob("*.py")} - {*tests.glob("test_*.py")})
    variables = {
        "PYTHONPATH": os.pathsep.join([str(library), str(tests)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return [
        Job(
            suite=SUITE,
            name=f"{module.stem} {count}",
            mpi=mpi,
            ranks=count,
            words=(sys.executable, "-m", "unittest", module.stem),
            files=(module, *helpers, *sorted((library / "mpi4py").glob("MPI.*.so"))),
            judge=lambda outcome, _folder, count=count: _judge(outcome, count),
            calls=_methods(module),
            variables=variables,
        )
        for module in sorted(tests.glob("test_cco_*.py"))
        for count in ([ranks] if ranks else _RANKS)
    ]


def _methods(module: Path) -> frozenset[str]:
    """What its text calls, of buffers (`Bcast`) and of objects (`bcast`) alike."""
    return frozenset(name.lower() for name in re.findall(r"\.([A-Za-z_]+)\(", module.read_text()))


def _built(folder: Path, mpi: str, work: Path) -> Path:
    """From a copy, since setuptools leaves objects in the sources that the next MPI would get."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    place = work / f"{SUITE}-{digest}" / mpi
    library = place / "library"
    if (library / "mpi4py").is_dir():
        return library
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place / "source")
    constraints = place / "constraints.txt"
    constraints.write_text(f"{_SETUPTOOLS}\n")
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir"]
    done = subprocess.run(
        [*words, "--target", str(place / "partial"), str(place / "source")],
        env=dict(os.environ) | {"MPICC": TOOLS[mpi].compiler, "PIP_CONSTRAINT": str(constraints)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        told = re.findall(r"\w*[Ee]rror: .*", done.stderr) or ["no word"]
        raise MachineError(f"mpi4py cannot be built with {TOOLS[mpi].compiler}: {told[0]}")
    (place / "partial").rename(library)
    return library


def _judge(outcome: Outcome, ranks: int) -> str:
    """Every rank must say OK; what one of them failed at comes first."""
    if failed := re.search(r"^(?:FAIL|ERROR): .*", outcome.err, re.MULTILINE):
        return failed[0]
    # Ranks write at once, so it may come after another's line of dashes.
    # Two ranks may write into one line, and "OK" may follow a word without a space.
    right = len(re.findall(r"OK(?![a-z])", outcome.err))
    return "" if right == ranks else f"{right} of {ranks} ranks say OK; {first_words(outcome)}"
