# SPDX-License-Identifier: BSD-3-Clause
"""Programs of every MPI that can be installed here, each under the library for its interface; and
a library that was built for another MPI does nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from mpi_jobs import HERE, TOOLS, WHEELS, Mpi, rows_of

COLLECTIVES = ("alltoall", "alltoallv", "alltoallw")
RING = {f"SUIRO_{name.upper()}": "ring" for name in COLLECTIVES}
MESSAGES = {
    "SUIRO_ALLREDUCE": "lanes",
    "SUIRO_BARRIER": "dissemination",
    "SUIRO_BCAST": "node_pipeline:segment=1000",
    "SUIRO_EXSCAN": "node_aware",
    "SUIRO_REDUCE": "node_pipeline:segment=1000",
    "SUIRO_REDUCE_SCATTER": "lanes:segment=1000",
    "SUIRO_REDUCE_SCATTER_BLOCK": "pairwise",
    "SUIRO_SCAN": "linear:segment=1000",
}
BLOCKS = {
    "SUIRO_ALLGATHER": "lanes:segment=1000",
    "SUIRO_ALLGATHERV": "ring:segment=1000",
    "SUIRO_GATHER": "node_leader",
    "SUIRO_GATHERV": "linear_capped",
    "SUIRO_SCATTER": "binomial",
    "SUIRO_SCATTERV": "linear",
}
TWO_LEVEL = {f"SUIRO_{name.upper()}": "two_level_ring" for name in COLLECTIVES}
VERSIONS = {
    "openmpi": "Open MPI v4.1",
    "mpich": "MPICH Version: 4.0",
    "openmpi5": "Open MPI v5.0",
    "mpich5": "MPICH Version: 5.0",
    "mpi_abi": "MPICH Version: 5.0",
}
MPI4PY = (
    "from mpi4py import MPI; from array import array; w = MPI.COMM_WORLD\n"
    "a = array('i', [100 * w.rank + i for i in range(w.size)]); b = array('i', [0] * w.size)\n"
    "w.Alltoall(a, b); assert list(b) == [100 * i + w.rank for i in range(w.size)]\n"
    "w.Alltoall(MPI.IN_PLACE, b); assert a == b; w.Barrier()\n"
    "w.Bcast(b, 1); assert list(b) == [100 + i for i in range(w.size)]\n"
    "c = array('i', [w.rank] * w.size); w.Reduce(c, b, MPI.SUM, 1)\n"
    "assert w.rank != 1 or list(b) == [w.size * (w.size - 1) // 2] * w.size\n"
    "w.Allreduce(MPI.IN_PLACE, c, MPI.MAX); assert list(c) == [w.size - 1] * w.size\n"
    "one = array('i', [w.rank]); every = array('i', range(w.size)); n = w.size\n"
    "def fresh(*own): return array('i', own or [-1] * n)\n"
    "b = fresh(); w.Allgather(one, b); assert b == every\n"
    "b = fresh(); w.Allgatherv(one, [b, [1] * n]); assert b == every\n"
    "b[:] = fresh(); b[w.rank] = w.rank; w.Allgather(MPI.IN_PLACE, b); assert b == every\n"
    "root = w.rank == 1; b = fresh() if root else None\n"
    "w.Gather(one, b, 1); assert not root or b == every\n"
    "w.Gatherv(one, [b, [1] * n] if root else None, 1); assert not root or b == every\n"
    "w.Scatter(every if root else None, one, 1); assert one[0] == w.rank\n"
    "w.Scatterv([every, [1] * n] if root else None, one, 1); assert one[0] == w.rank\n"
    "w.Gather(MPI.IN_PLACE if root else one, b, 1); assert not root or b == every\n"
    "w.Scatter(every if root else None, MPI.IN_PLACE if root else one, 1)\n"
    "d = fresh(0); w.Reduce_scatter_block(every, d); assert d[0] == n * w.rank\n"
    "w.Reduce_scatter(every, d, [1] * n); assert d[0] == n * w.rank\n"
    "w.Scan(one, d); assert d[0] == w.rank * (w.rank + 1) // 2\n"
    "w.Exscan(one, d); assert w.rank == 0 or d[0] == w.rank * (w.rank - 1) // 2\n"
    "w.Exscan(MPI.IN_PLACE, one); assert w.rank == 0 or one == d"
)


def wrong_library(mpi: Mpi) -> str:
    return next(name for name in ("mpich", "openmpi") if name != mpi.tools.library)


@pytest.mark.parametrize(
    ("program", "collectives"),
    [("alltoall_cases.c", ("alltoall", "alltoallv")), ("alltoallw_cases.c", ("alltoallw",))],
)
def test_c_program_gets_what_native_delivers(
    every_mpi: Mpi, program: str, collectives: tuple[str, ...]
) -> None:
    outcome = every_mpi.run(every_mpi.build(program), "--check", "--explain=json", **TWO_LEVEL)
    assert (outcome.code, outcome.complaints()) == (0, [])
    assert outcome.out.startswith("ok ")
    ran = {(row["collective"], row["algorithm"]) for row in outcome.explained()}
    assert {(collective, "two_level_ring") for collective in collectives} <= ran


@pytest.mark.parametrize(
    ("program", "forced"), [("message_cases.c", MESSAGES), ("block_cases.c", BLOCKS)]
)
@pytest.mark.parametrize("name", ["openmpi5", "mpich5", "mpi_abi"])
def test_all_others_are_what_native_delivers(
    name: str, programs: Path, program: str, forced: dict[str, str]
) -> None:
    """test_messages.py does it on the others."""
    mpi = Mpi(name, programs)
    outcome = mpi.run(mpi.build(program), "--check", "--explain=json", ranks=5, **forced)
    assert (outcome.code, outcome.complaints()) == (0, []), outcome.out
    assert outcome.out.startswith("ok ")
    ran = {(row["collective"], row["algorithm"]) for row in outcome.explained()}
    wanted = {(name.removeprefix("SUIRO_").lower(), value) for name, value in forced.items()}
    assert wanted <= ran


@pytest.mark.parametrize(
    ("name", "binding"),
    [
        ("openmpi", "mpif"),
        ("openmpi", "f08"),
        ("mpich", "use_mpi"),
        ("mpich", "f08"),
        ("mpich5", "f08"),
    ],
)
def test_fortran(name: str, binding: str, programs: Path, tmp_path: Path) -> None:
    """MPICH 5 comes without Fortran, but with the interface of MPICH 4, whose Fortran library then
    calls it. Open MPI 5 has none either, and no such relation to Open MPI 4.1."""
    compiled = Mpi(name.removesuffix("5"), programs)
    program = compiled.build(f"fortran/collectives_{binding}.f90")
    mpi, more = Mpi(name, programs), RING | MESSAGES | BLOCKS
    if name == "mpich5":
        (tmp_path / "libmpich.so.12").symlink_to(WHEELS / "mpich/lib/libmpi.so.12")
        more["LD_LIBRARY_PATH"] = f"{tmp_path}:{WHEELS}/mpich/lib/mpich"
    outcome = mpi.run(program, "--check", "--explain=json", **more)
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    calls = {row["collective"]: (row["calls"], row["algorithm"]) for row in outcome.explained()}
    once = {"allreduce", "alltoallv", "alltoallw", "barrier", "bcast", "reduce"}
    assert calls == {
        (collective := name.removeprefix("SUIRO_").lower()): (1 if collective in once else 2, value)
        for name, value in (RING | MESSAGES | BLOCKS).items()
    }


@pytest.mark.parametrize(
    ("name", "library"),
    [("openmpi5", "openmpi/lib/libmpi.so.40"), ("mpich5", "mpich/lib/libmpi.so.12")],
)
def test_mpi4py(name: str, library: str, programs: Path) -> None:
    outcome = Mpi(name, programs).run(
        [sys.executable, "-c", MPI4PY],
        "--explain=json",
        MPI4PY_LIBMPI=str(WHEELS / library),
        **(RING | MESSAGES | BLOCKS),
    )
    assert (outcome.code, outcome.said()) == (0, []), outcome.err
    ran = {row["collective"]: (row["calls"], row["algorithm"]) for row in outcome.explained()}
    assert ran["alltoall"] == (2, "ring")
    assert {name: row[1] for name, row in ran.items() if name != "alltoall"} == {
        name.removeprefix("SUIRO_").lower(): value for name, value in (MESSAGES | BLOCKS).items()
    }


def test_programs_that_a_shell_starts_find_their_library_among_all(every_mpi: Mpi) -> None:
    """A preloaded profiler shows that the others stand aside."""
    profiler = every_mpi.build("profiler.c", "-shared", "-fPIC", name="profiler-library")
    program = every_mpi.build("endings.c", name="plain")
    outcome = every_mpi.run(
        ["sh", "-c", f"exec {program}"], "--explain=json", LD_PRELOAD=str(profiler), **RING
    )
    assert (outcome.code, outcome.said()) == (0, [])
    assert "profiler: 2 alltoall, 0 isend" in outcome.out
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained()] == [(2, "ring")]


def test_library_for_another_mpi_is_not_preloaded(every_mpi: Mpi) -> None:
    program = every_mpi.build("endings.c", name="plain")
    outcome = every_mpi.run(program, "--mpi", wrong_library(every_mpi), ranks=2)
    assert outcome.code == 0
    (line,) = outcome.said()
    assert line.startswith(f"suiro: {program} uses ")
    assert line.endswith(f"--mpi says {wrong_library(every_mpi)}; the command runs unchanged")


def test_library_for_another_mpi_passes_every_call_on(every_mpi: Mpi) -> None:
    """Whoever insists on it gets native, and one line."""
    cases = every_mpi.build("alltoall_cases.c")
    wrong = wrong_library(every_mpi)
    outcome = every_mpi.run(["sh", "-c", f"exec {cases}"], "--mpi", wrong, **RING)
    assert outcome.code == 0
    assert outcome.out.startswith("ok ")
    line = outcome.said()[0]
    assert line.startswith(f"suiro: libsuiro-{wrong}.so was not built for this MPI (")
    assert VERSIONS[every_mpi.name] in line
    assert line.endswith("; all ranks use native collectives")
    assert len([said for said in outcome.said() if "was not built" in said]) == 1


def test_large_counts_on_an_mpi_that_has_no_such_forms(programs: Path, tmp_path: Path) -> None:
    """MPICH 5, whose names for them are made unknown."""
    mpi = Mpi("mpich5", programs)
    image = (WHEELS / "mpich/lib/libmpi.so.12").read_bytes()
    collectives = [row["name"] for row in rows_of("collectives") if row["name"] != "barrier"]
    for collective in collectives:
        name = b"PMPI_" + collective.capitalize().encode()
        assert name + b"_c\0" in image
        image = image.replace(name + b"_c\0", name + b"_x\0")
    (tmp_path / "libmpi.so.12").write_bytes(image)
    folders = f"{tmp_path}:{WHEELS}/mpich/lib/mpich"
    program = mpi.build("absent_forms.c")
    forced = RING | MESSAGES | BLOCKS
    outcome = mpi.run(program, "--explain=json", LD_LIBRARY_PATH=folders, **forced)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])
    calls = {row["collective"]: (row["calls"], row["algorithm"]) for row in outcome.explained()}
    once = {"alltoall", "alltoallw", "exscan", "gather", "reduce_scatter", "reduce_scatter_block"}
    once |= {"scan", "scatter"}
    twice = {"allgather", "allgatherv", "alltoallv", "gatherv", "scatterv"}
    assert calls == {
        name: (1 if name in once else 2, forced[f"SUIRO_{name.upper()}"]) for name in once | twice
    }


@pytest.fixture
def strange_program(tmp_path: Path) -> Path:
    library = tmp_path / "libmpi.so.99"
    program = tmp_path / "strange_program"
    build = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{library.name}", "-o", str(library)]
    subprocess.run([*build, str(HERE / "strange_mpi.c")], check=True)
    link = [f"-L{tmp_path}", f"-l:{library.name}", f"-Wl,-rpath,{tmp_path}"]
    source = str(HERE / "strange_program.c")
    subprocess.run(["cc", "-o", str(program), source, *link], check=True)
    return program


@pytest.mark.parametrize("name", list(TOOLS))
def test_mpi_that_nobody_knows_is_left_alone(
    name: str, strange_program: Path, programs: Path
) -> None:
    mpi = Mpi(name, programs)
    known = mpi.run(strange_program, ranks=1, **RING)
    reason = f"suiro: {strange_program} uses libmpi.so.99, an MPI that suiro does not know"
    assert (known.code, known.out.strip()) == (0, "sum 551429")
    assert known.said() == [f"{reason}; the command runs unchanged"]
    hidden = mpi.run(["sh", "-c", str(strange_program)], ranks=1, **RING)
    assert (hidden.code, hidden.out.strip()) == (0, "sum 551429")
    assert "was not built for this MPI (Strange MPI 1.0)" in hidden.said()[0]
