# SPDX-License-Identifier: BSD-3-Clause
"""Programs that know nothing of suiro, with its algorithms forced on them: whatever they exchange
is compared with native's bit for bit, and they verify their own results. hpcc runs on this machine,
all others in a lab."""

import shlex
import shutil
from pathlib import Path

import pytest
from mpi_jobs import HERE, SUIRO, Mpi, Outcome

from suiro import lab

pytestmark = pytest.mark.lab

# Fast links and few ranks: what is tested here is what arrives.
LAB = """
description = "Two hosts of two ranks at 1 Gbit/s"
[hosts]
count = 2
ranks = 2
[link]
rate = "1G"
mtu = 9000
[switch]
model = "voq"
buffer = "256K"
"""
MPI4PY = (
    "from mpi4py import MPI; from array import array; w = MPI.COMM_WORLD\n"
    "a = array('i', [100 * w.rank + i for i in range(w.size)]); b = array('i', [0] * w.size)\n"
    "w.Alltoall(a, b); assert list(b) == [100 * i + w.rank for i in range(w.size)]\n"
    "if w.rank == 0: print('ok')"
)
ALGORITHMS = ["two_level_ring", pytest.param("two_level_pairwise", marks=pytest.mark.every)]
# What each prints when its result is right.
RIGHT = {
    "fftw_transform": "s there and back",
    "mpi4py": "ok",
    "mpif": "ok",
    "use_mpi": "ok",
    "f08": "ok",
}


def commands(openmpi: Mpi) -> dict[str, list[str]]:
    libraries = ("-lfftw3_mpi", "-lfftw3", "-lm")
    transform = openmpi.build("../../examples/fftw_transform.c", *libraries)
    found = {"fftw_transform": [str(transform), "128", "1"]}
    found["mpi4py"] = ["/usr/bin/python3", "-c", MPI4PY]
    for binding in ("mpif", "use_mpi", "f08"):
        found[binding] = [str(openmpi.build(f"fortran/collectives_{binding}.f90"))]
    return found


def run_all(jobs: dict[str, list[str]], algorithm: str, folder: Path) -> dict[str, Outcome]:
    """All in one lab, one after the other; each leaves its streams and exit code in the folder."""
    run = shlex.join([*SUIRO, "run", "--check", "--explain=json", "--"])
    lines = [f"cd {shlex.quote(str(folder))}", f"export SUIRO_ALLTOALL={algorithm}"]
    for name, words in jobs.items():
        start = f"{run} $SUIRO_LAB_MPIRUN {shlex.join(words)}"
        lines.append(f"{start} > {name}.out 2> {name}.err; echo $? > {name}.code")
    spec = folder / "lab.toml"
    spec.write_text(LAB)
    lab.run(str(spec), ["sh", "-c", "\n".join(lines)], mpi="openmpi")

    def text(name: str, kind: str) -> str:
        return (folder / f"{name}.{kind}").read_text(errors="replace")

    return {
        name: Outcome(int(text(name, "code")), text(name, "out"), text(name, "err"))
        for name in jobs
    }


def judge(name: str, outcome: Outcome, algorithm: str) -> None:
    assert (name, outcome.code, outcome.complaints()) == (name, 0, []), outcome.err
    ran = {row["algorithm"] for row in outcome.explained("alltoall")}
    assert algorithm in ran, (name, outcome.explained())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_unmodified_programs_are_right(openmpi: Mpi, tmp_path: Path, algorithm: str) -> None:
    for name, outcome in run_all(commands(openmpi), algorithm, tmp_path).items():
        judge(name, outcome, algorithm)
        assert RIGHT[name] in outcome.out


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_hpcc_is_right(
    openmpi: Mpi, tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through memory: it sends some gigabytes, which take a lab half a minute."""
    shutil.copy(HERE / "hpccinf.txt", tmp_path)
    monkeypatch.chdir(tmp_path)
    forced = {"SUIRO_NODES": "2", "SUIRO_ALLTOALL": algorithm}
    judge("hpcc", openmpi.run(["hpcc"], "--check", "--explain=json", **forced), algorithm)
    judge_hpcc(tmp_path)


def judge_hpcc(folder: Path) -> None:
    report = (folder / "hpccoutf.txt").read_text()
    assert "Success=1" in report
    assert "PTRANS_residual=0" in report
    # This is hpcc's own criterion, which allows random access a small share of errors.
    assert report.count("locations (passed)") == 4
    assert "1 tests completed and passed residual checks" in report
