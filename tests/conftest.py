# SPDX-License-Identifier: BSD-3-Clause
"""Tests that run beside each other keep out of each other's way; cases that differ only in the MPI
take turns."""

import os
import shutil
import tempfile
import zlib
from collections import defaultdict

import pytest

_MPIS = ("openmpi5", "openmpi", "mpich5", "mpich", "mpi_abi")


def pytest_configure(config: pytest.Config) -> None:
    """Launchers of Open MPI that start at once make, and remove, one folder for all: a folder per
    worker, of a short name since sockets are in it."""
    os.environ["SUIRO_NO_STORE"] = "1"  # no test learns from another one
    os.environ.pop("COLUMNS", None)  # results are as in a file
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        return
    folder = tempfile.mkdtemp(prefix=f"suiro-{worker}-", dir="/tmp")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    for name in ("OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"):
        os.environ[name] = folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every", action="store_true", help="each case on every MPI, and long ones")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of cases that differ only in the MPI one runs; two, where there are more than two. Which, is
    by the name of the case, so that each MPI has its share and always the same. What is marked
    `every` takes long, and shows something new once in many changes."""
    if config.getoption("--every"):
        return
    alike: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("every") is None:
            alike[_without_mpi(item)].append(item)
    kept: set[pytest.Item] = set()
    for name, cases in alike.items():
        first = zlib.crc32(name.encode()) % len(cases)
        count = 2 if len(cases) > 2 else 1
        kept |= {cases[(first + i) % len(cases)] for i in range(count)}
    if len(items) > 1:
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


def _without_mpi(item: pytest.Item) -> str:
    """The name of a case; of one that has no MPI, or whose name says more than that, its own."""
    function, bracket, words = item.nodeid.partition("[")
    left = ["*" if word in _MPIS else word for word in words.removesuffix("]").split("-")]
    return function + bracket + "-".join(left)
