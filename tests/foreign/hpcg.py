# SPDX-License-Identifier: BSD-3-Clause
"""HPCG, the conjugate-gradient benchmark, from its sources: it checks itself, and what it computes
is compared as that of applications."""

import hashlib
import subprocess
from pathlib import Path

from jobs import TOOLS, Job, Outcome
from quantities import Quantity

from suiro.errors import MachineError, UsageError

SUITE = "hpcg"
_RANKS = 4
# As few sets of iterations as it allows: how many there are in a time is not always the same.
_ARGUMENTS = ("--nx=16", "--ny=16", "--nz=16", "--rt=0.01")
_LOG, _REPORT = "hpcg2*.txt", "HPCG-Benchmark*.txt"
_QUANTITIES = (
    Quantity("iterations", r"Number of Iterations \[(.*?)\]", 0.0, _LOG),
    Quantity("residuals", r"Number of Iterations .* Scaled Residual \[(.*)\]", 1e-2, _LOG),
    Quantity("equations", r"Information::Number of (?:Eq.*|Non.*)=(\d+)", 0.0, _REPORT),
)


def find(folder: Path) -> Path:
    if not (folder / "src" / "ComputeMG.cpp").is_file():
        raise UsageError(
            f"--hpcg {folder}: no src/ComputeMG.cpp in it; give the folder of HPCG's sources"
        )
    return folder.resolve()


def job(folder: Path, mpi: str, work: Path, ranks: int) -> Job:
    """Builds it if it is missing. `ranks` may be 0, for as many as usual."""
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    program = work / f"{SUITE}-{digest}" / mpi / "xhpcg"
    if not program.exists():
        _build(folder, mpi, program)
    return Job(
        suite=SUITE,
        name="hpcg",
        mpi=mpi,
        ranks=ranks or _RANKS,
        words=(str(program), *_ARGUMENTS),
        files=(program,),
        judge=_judge,
        quantities=_QUANTITIES,
    )


def _build(folder: Path, mpi: str, program: Path) -> None:
    compiler = TOOLS[mpi].compiler.replace("mpicc", "mpicxx")
    sources = sorted(map(str, (folder / "src").glob("*.cpp")))
    program.parent.mkdir(parents=True, exist_ok=True)
    words = [compiler, "-O1", "-w", "-DHPCG_NO_OPENMP", *sources, "-o", str(program)]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if "error" in line] or ["no word"]
        raise MachineError(f"HPCG cannot be built with {compiler}: {told[0]}")


def _judge(_outcome: Outcome, folder: Path) -> str:
    """By the criteria that it has: convergence, symmetry, residuals that are always the same."""
    reports = list(folder.glob(_REPORT))
    if not reports:
        return "it left no report"
    text = reports[0].read_text()
    failed = [line for line in text.splitlines() if "FAILED" in line or "INVALID" in line]
    if failed:
        return failed[0]
    return "" if "HPCG result is VALID" in text else "it does not say that its result is valid"
