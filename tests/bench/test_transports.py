# SPDX-License-Identifier: BSD-3-Clause
"""Comparing transports: real jobs in turns, ratios against ours, errors before anything starts."""

import pytest

from suiro.bench.transports import KERNELS, TRANSPORTS, check_transports, compare
from suiro.errors import UsageError


def test_every_kernel_runs() -> None:
    """On one machine, over what Open MPI has."""
    prefix = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-np", "4"]
    for kernel in (name for name in KERNELS if name not in ("receive", "send")):
        result = compare(
            kernel,
            100,
            mpi="openmpi",
            prefix=prefix,
            transports=["tcp"],
            jobs=1,
            calls=2,
            command="",
        )
        assert result.rows[0].seconds > 0
        assert result.rows[0].ratio is None


def test_unknown_transports_are_refused() -> None:
    """The message lists what there is."""
    for mpi, known in TRANSPORTS.items():
        check_transports(mpi, list(known))
        with pytest.raises(UsageError, match="there are suiro, "):
            check_transports(mpi, ["carrier-pigeon"])
