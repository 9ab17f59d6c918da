# SPDX-License-Identifier: BSD-3-Clause
"""Buffers in device memory are left to the MPI library, on all ranks alike."""

import subprocess
from pathlib import Path

import pytest
from mpi_jobs import HERE, Mpi

RUNTIMES = {"libcuda.so.1": [], "libamdhip64.so.6": ["-DFAKE_ROCM"]}


def words(mpi: Mpi, name: str, folder: Path) -> list[str]:
    """The program, and the runtime that it loads."""
    runtime = folder / name
    options = ["-shared", "-fPIC", f"-Wl,-soname,{name}", *RUNTIMES[name]]
    command = ["cc", *options, "-o", str(runtime), str(HERE / "fake_runtime.c")]
    subprocess.run(command, check=True)
    return [str(mpi.build("device_memory.c")), str(runtime)]


@pytest.mark.parametrize("name", RUNTIMES)
def test_device_memory_is_left_to_native(mpi: Mpi, name: str, tmp_path: Path) -> None:
    forced = {"SUIRO_ALLTOALL": "ring", "SUIRO_ALLTOALLV": "ring"}
    outcome = mpi.run(words(mpi, name, tmp_path), "--explain=json", **forced)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])
    rows = {(row["collective"], row["algorithm"]): row for row in outcome.explained()}
    assert {key: row["calls"] for key, row in rows.items()} == {
        ("alltoall", "ring"): 1,
        ("alltoall", "native"): 1,
        ("alltoallv", "native"): 1,
    }
    assert rows["alltoallv", "native"]["reason"] == "a buffer is in device memory"


def test_small_blocks_are_left_to_native_where_ranks_would_have_to_ask(
    mpi: Mpi, tmp_path: Path
) -> None:
    program = words(mpi, "libcuda.so.1", tmp_path)
    # So slow that the first call pays for a prediction.
    network = '{"kind": "voq", "link_Bps": 10000}'
    variables = {"SUIRO_NODES": "2", "SUIRO_CLUSTER_NETWORK": network}
    outcome = mpi.run(program, "--explain=json", ranks=8, **variables)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])
    rows = [row for row in outcome.explained() if row["collective"] == "alltoall"]
    assert [(row["algorithm"], row["calls"]) for row in rows] == [("native", 1), ("native", 1)]
    assert any("device memory" in row["reason"] for row in rows)


@pytest.mark.parametrize("late", ["late", "late-all"])
def test_runtime_that_is_loaded_after_init(mpi: Mpi, late: str, tmp_path: Path) -> None:
    """Suiro runs, on copies that the MPI makes: whoever else touches the memory crashes."""
    forced = {
        "SUIRO_ALLREDUCE": "lanes",
        "SUIRO_ALLTOALL": "ring",
        "SUIRO_ALLTOALLV": "ring",
        "SUIRO_BCAST": "node_pipeline",
    }
    options = ["-shared", "-fPIC", "-w", '-DRUNTIME="libcuda.so.1"']
    aware = mpi.build("device_aware.c", *options, name="device-aware")
    program = [*words(mpi, "libcuda.so.1", tmp_path), late]
    outcome = mpi.run(program, "--explain=json", LD_PRELOAD=str(aware), **forced)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])
    rows = {(row["collective"], row["algorithm"], row["calls"]) for row in outcome.explained()}
    assert rows == {
        ("allreduce", "lanes", 1),
        ("alltoall", "ring", 2),
        ("alltoallv", "ring", 1),
        ("bcast", "node_pipeline", 1),
    }
