# SPDX-License-Identifier: BSD-3-Clause
"""Every collective of the table can be measured, its data are checked, and a lab measures it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from suiro import native
from suiro.bench.catalog import collectives

SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]
ROWS = collectives()
NAMES = list(ROWS)
LAB = """
[hosts]
count = 3
ranks = 2
[link]
rate = "100M"
mtu = 1500
[switch]
model = "voq"
buffer = "256K"
"""


def test_the_program_knows_the_table() -> None:
    """A new row of the table needs its call in src/bench/collectives.c."""
    program = str(native.tool("suiro-bench-openmpi"))
    said = subprocess.run([program, "--collectives"], text=True, capture_output=True, check=True)
    assert said.stdout.split() == NAMES


@pytest.fixture(scope="module")
def wrong_mpi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("wrong") / "wrong_mpi.so"
    source = str(Path(__file__).parent / "wrong_mpi.c")
    command = ["mpicc.openmpi", "-shared", "-fPIC", source, "-o", str(library)]
    subprocess.run(command, check=True)
    return library


def measure(
    collective: str, size: int, preload: str, spread_percent: int = 0
) -> subprocess.CompletedProcess[str]:
    """Three ranks on this machine."""
    launcher = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    settings = ["--mca", "mpi_yield_when_idle", "1", "-x", f"LD_PRELOAD={preload}", "-np", "3"]
    root = str(int(ROWS[collective].rooted))
    program = [str(native.tool("suiro-bench-openmpi"))]
    options = ["--collective", collective, str(spread_percent), root]
    cell = ["--cell", str(size), "2", "native"]
    return subprocess.run(
        [*launcher, *settings, *program, *options, *cell],
        text=True,
        capture_output=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("collective", "size", "complaint"),
    [
        ("bcast", 200_000, 'wrong data from "native": what rank 1 sent differs at byte 0'),
        ("allgather", 1000, "what rank 0 sent differs at byte 0 of 1000"),
        ("allgatherv", 1000, "what rank 0 sent differs at byte 0 of 1000"),
        ("gather", 1000, "what rank 2 sent differs at byte 0 of 1000"),
        ("gatherv", 1000, "what rank 2 sent differs at byte 999 of 1000"),
        ("scatter", 1000, "what rank 1 sent differs at byte 999 of 1000"),
        ("scatterv", 1000, "what rank 1 sent differs at byte 999 of 1000"),
        ("reduce", 4096, 'wrong data from "native": element 0 of 1024 is'),
        ("allreduce", 4096, "element 0 of 1024 is"),
        ("reduce_scatter", 4096, "element 0 of 34"),
        ("reduce_scatter_block", 4096, "element 0 of 1024 is"),
        ("scan", 4096, "element 0 of 1024 is"),
        ("exscan", 4096, "element 0 of 1024 is"),
        ("barrier", 0, '"native" let a rank leave'),
    ],
)
def test_what_is_wrong_is_found(
    collective: str, size: int, complaint: str, wrong_mpi: Path
) -> None:
    right = measure(collective, size, "")
    assert right.returncode == 0, right.stderr
    wrong = measure(collective, size, str(wrong_mpi))
    assert wrong.returncode != 0
    assert complaint in wrong.stderr


@pytest.mark.parametrize("collective", [name for name in NAMES if ROWS[name].unequal])
def test_blocks_that_differ_are_checked_too(collective: str) -> None:
    """With three ranks on one node nothing crosses the network."""
    done = measure(collective, 6000, "", spread_percent=50)
    assert done.returncode == 0, done.stderr
    assert '"bytes": 6000, "repetitions": 2, "busiest": 0' in done.stdout


def cells_in_a_lab(folder: Path, mpi: str, *words: str) -> list[dict[str, Any]]:
    """What `suiro bench` measures there."""
    spec = folder / "lab.toml"
    spec.write_text(LAB)
    lab = ["lab", "run", str(spec), "--mpi", mpi, "--"]
    command = [*SUIRO, *lab, *SUIRO, "bench", *words, "--repeat", "2", "--json"]
    done = subprocess.run(command, text=True, capture_output=True, timeout=300, env=os.environ)
    assert done.returncode == 0, done.stderr
    cells: list[dict[str, Any]] = json.loads(done.stdout)["cells"]
    return cells


@pytest.mark.lab
@pytest.mark.every
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_every_collective_in_a_lab(mpi: str, tmp_path: Path) -> None:
    cells = cells_in_a_lab(tmp_path, mpi, "all", "--sizes", "64K")
    compared = [(cell["collective"], cell["algorithm"]) for cell in cells if not cell["is_control"]]
    assert compared == [(name, algorithm) for name in NAMES for algorithm in ("native", "auto")]
    for cell in cells:
        row = ROWS[cell["collective"]]
        assert (cell["nodes"], cell["ranks"], cell["spread_percent"]) == (3, 6, 0)
        assert cell["median_s"] > 0
        assert (cell["bound_fraction"] is None) == (not row.has_data)
        assert cell["port_bytes"] == (65536 if row.has_data else None)
        assert cell["root"] == (1 if row.rooted else None)


@pytest.mark.lab
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_one_collective_in_a_lab(mpi: str, tmp_path: Path) -> None:
    words = ("allgatherv", "--sizes", "8K", "--budget", "20")
    native, auto = cells_in_a_lab(tmp_path, mpi, *words)[:2]
    assert (native["collective"], native["bytes"], native["spread_percent"]) == (
        "allgatherv", 8192, 50,
    )  # fmt: skip
    # What the library saw is as large as what was asked for: the mean of blocks that differ.
    assert auto["ran"] is not None
    # The busiest node gets other bytes than if blocks were equal, and they were counted.
    assert native["bandwidth_Bps"] * native["median_s"] != pytest.approx(4 * 8192)
