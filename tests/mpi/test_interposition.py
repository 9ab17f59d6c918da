# SPDX-License-Identifier: BSD-3-Clause
"""The preloaded library: what it exports, whom it meets, and that what it delivers is right."""

import re
import subprocess

import pytest
from mpi_jobs import Mpi

from suiro.native import library

COLLECTIVES = ("alltoall", "alltoallv", "alltoallw")
RING = {f"SUIRO_{name.upper()}": "ring" for name in COLLECTIVES}
TWO_LEVEL = {f"SUIRO_{name.upper()}": "two_level_ring" for name in COLLECTIVES}


def test_library_exports_few_names_and_needs_libc_only(mpi: Mpi) -> None:
    path = str(library(f"libsuiro-{mpi.name}.so"))
    names = subprocess.run(["nm", "-D", path], check=True, capture_output=True, text=True).stdout
    defined = [line.split()[2] for line in names.splitlines() if len(line.split()) == 3]
    assert defined
    assert all(
        re.match(r"P?MPI_|(suiro_next_symbol|__asan_default_options)$", name) for name in defined
    )
    assert not re.search(r" U .*(MPI|ompi)", names)
    dynamic = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True)
    needed = re.findall(r"NEEDED.*\[(.*?)\]", dynamic.stdout)
    parts_of_libc = {"libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"}
    assert set(needed) <= parts_of_libc | {"ld-linux-x86-64.so.2"}


@pytest.mark.parametrize("ranks", [4, 5])
@pytest.mark.parametrize("program", ["alltoall_cases.c", "alltoallw_cases.c"])
def test_every_kind_of_argument_delivers_what_native_delivers(
    mpi: Mpi, ranks: int, program: str
) -> None:
    cases = mpi.build(program)
    outcome = mpi.run(cases, ranks=ranks, **(TWO_LEVEL if ranks == 4 else RING))
    assert (outcome.code, outcome.said()) == (0, [])
    assert re.match(r"ok \d+ cases", outcome.out)


def test_threads_on_communicators_of_their_own(mpi: Mpi) -> None:
    outcome = mpi.run([str(mpi.build("alltoall_cases.c")), "threads"], **RING)
    assert outcome.code == 0
    assert re.match(r"ok [1-9]\d+ cases", outcome.out)


def test_mpi4py_which_opens_mpi_in_a_scope_of_its_own(openmpi: Mpi) -> None:
    text = (
        "from mpi4py import MPI; from array import array; w = MPI.COMM_WORLD\n"
        "a = array('i', [100 * w.rank + i for i in range(w.size)]); b = array('i', [0] * w.size)\n"
        "w.Alltoall(a, b); assert list(b) == [100 * i + w.rank for i in range(w.size)]\n"
        "w.Alltoall(MPI.IN_PLACE, b); assert a == b\n"
        "n = [1] * w.size; at = list(range(w.size)); c = array('i', [0] * w.size)\n"
        "w.Alltoallv([a, n, at, MPI.INT], [c, n, at, MPI.INT])\n"
        "assert list(c) == [100 * i + w.rank for i in range(w.size)]\n"
        "at = [4 * place for place in at]; types = [MPI.INT] * w.size\n"
        "w.Alltoallw([c, n, at, types], [b, n, at, types]); assert a == b"
    )
    outcome = openmpi.run(["/usr/bin/python3", "-c", text], "--explain=json", **RING)
    assert outcome.code == 0, outcome.err
    calls = {row["collective"]: (row["calls"], row["algorithm"]) for row in outcome.explained()}
    assert calls == {"alltoall": (2, "ring"), "alltoallv": (1, "ring"), "alltoallw": (1, "ring")}


def test_profiler_in_the_program_sees_the_users_calls_only(mpi: Mpi) -> None:
    program = mpi.build("endings.c", str(mpi.build("profiler.c", "-c", name="profiler-object")))
    outcome = mpi.run(program, "--explain=json", **RING)
    assert "profiler: 2 alltoall, 0 isend" in outcome.out
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained()] == [(2, "ring")]


def test_profiler_that_is_preloaded_too(mpi: Mpi) -> None:
    profiler = mpi.build("profiler.c", "-shared", "-fPIC", name="profiler-library")
    outcome = mpi.run(
        mpi.build("endings.c", name="plain"), "--explain=json", LD_PRELOAD=str(profiler), **RING
    )
    assert "profiler: 2 alltoall, 0 isend" in outcome.out
    assert [(row["calls"], row["algorithm"]) for row in outcome.explained()] == [(2, "ring")]


def test_check_reports_the_first_difference_and_fails(mpi: Mpi) -> None:
    wrong = mpi.build("wrong_native.c", "-shared", "-fPIC", name="wrong-native")
    program = mpi.build("overhead.c")
    outcome = mpi.run([str(program), "1"], "--check", ranks=4, LD_PRELOAD=str(wrong), **RING)
    assert outcome.code == 1
    assert outcome.said()[0] == (
        "suiro: check: alltoall by ring on 2 nodes x 2 ranks: rank 1, block 1, byte 2 is not what "
        "native delivers"
    )


def test_a_type_that_is_not_committed_is_refused_on_one_rank(every_mpi: Mpi) -> None:
    program = [str(every_mpi.build("uncommitted.c"))]
    forced = {
        "SUIRO_ALLGATHER": "ring",
        "SUIRO_ALLTOALL": "pairwise",
        "SUIRO_BCAST": "node_pipeline",
        "SUIRO_GATHER": "binomial",
    }
    for settings in ({}, forced):
        outcome = every_mpi.run(program, **settings)
        assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err


def test_info_keys_choose_for_one_communicator(mpi: Mpi) -> None:
    outcome = mpi.run(
        [str(mpi.build("endings.c", name="plain")), "hints"], "--explain=json", **RING
    )
    calls = {row["algorithm"]: row["calls"] for row in outcome.explained()}
    assert calls == {"ring": 2, "pairwise": 1, "linear": 1, "native": 1}
    assert len(outcome.said()) == 1
    assert 'unknown algorithm "no_such_thing"' in outcome.said()[0]


@pytest.mark.parametrize("nodes", ["2+", "0", "2+x", "99999999999"])
def test_nodes_that_are_no_number_are_told_once(mpi: Mpi, nodes: str) -> None:
    program = str(mpi.build("endings.c", name="plain"))
    outcome = mpi.run([program, "finish"], **RING | {"SUIRO_NODES": nodes})
    assert (outcome.code, len(outcome.said())) == (0, 1)
    assert f"SUIRO_NODES={nodes}: expected a number of nodes, or one for" in outcome.said()[0]


def test_spawned_processes_use_native(openmpi: Mpi) -> None:
    program = str(openmpi.build("endings.c", name="plain"))
    outcome = openmpi.run([program, "spawn"], "--explain=json", **RING)
    assert (outcome.code, outcome.said()) == (0, [])
    rows = {row["shape"]: row["algorithm"] for row in outcome.explained()}
    assert rows == {"2 nodes x 2 ranks": "ring", "6 ranks": "native"}


def test_library_does_not_follow_into_programs_that_the_job_starts(mpi: Mpi) -> None:
    program = [str(mpi.build("endings.c", name="plain")), "system"]
    outcome = mpi.run(program, yielding=False, **RING)
    assert "PATH=" in outcome.out
    assert not re.search(r"^(LD_PRELOAD|SUIRO_JOB|SUIRO_TOKEN)=", outcome.out, re.MULTILINE)


def test_off_means_nothing_at_all(mpi: Mpi) -> None:
    program = [str(mpi.build("endings.c", name="plain")), "system"]
    outcome = mpi.run(program, "--explain", yielding=False, SUIRO="off", **RING)
    assert (outcome.code, outcome.said()) == (0, [])
    assert "LD_PRELOAD" not in outcome.out


@pytest.mark.timing
def test_native_decision_costs_little(mpi: Mpi) -> None:
    """The bound holds on a quiet machine with two cores; here only the order of magnitude."""
    outcome = mpi.run([str(mpi.build("overhead.c")), "200"], ranks=2, SUIRO_ALLTOALL="native")
    added = re.match(r"added_ns (-?[\d.]+)", outcome.out)
    assert added and float(added[1]) < 1000
