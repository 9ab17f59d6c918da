# SPDX-License-Identifier: BSD-3-Clause
"""Buffers in device memory are left to the MPI library, on all ranks alike."""

import subprocess
from pathlib import Path

import pytest
from mpi_jobs import HERE, Mpi

RUNTIMES = {"libcuda.so.1": [], "libamdhip64.so.6": ["-DFAKE_ROCM"]}


@pytest.mark.parametrize("name", RUNTIMES)
def test_device_memory_is_left_to_native(mpi: Mpi, name: str, tmp_path: Path) -> None:
    runtime = tmp_path / name
    options = ["-shared", "-fPIC", f"-Wl,-soname,{name}", *RUNTIMES[name]]
    command = ["cc", *options, "-o", str(runtime), str(HERE / "fake_runtime.c")]
    subprocess.run(command, check=True)
    outcome = mpi.run(
        [str(mpi.build("device_memory.c")), str(runtime)],
        "--explain=json",
        SUIRO_ALLTOALL="ring",
        SUIRO_ALLTOALLV="ring",
    )
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", [])
    rows = {(row["collective"], row["algorithm"]): row for row in outcome.explained()}
    assert {key: row["calls"] for key, row in rows.items()} == {
        ("alltoall", "ring"): 1,
        ("alltoall", "native"): 1,
        ("alltoallv", "native"): 1,
    }
    assert rows["alltoallv", "native"]["reason"] == "a buffer is in device memory"
