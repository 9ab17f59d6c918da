# SPDX-License-Identifier: BSD-3-Clause
"""Comparing transports: real jobs in turns, ratios against ours, errors before anything starts."""

import pytest

from suiro.bench.transports import KERNELS, TRANSPORTS, compare, parse_transports
from suiro.errors import UsageError


def test_every_kernel_runs() -> None:
    """On one machine, over what Open MPI has."""
    prefix = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-np", "4"]
    for kernel in (name for name in KERNELS if name not in ("receive", "send", "resume")):
        result = compare(
            kernel,
            100,
            mpi="openmpi",
            prefix=prefix,
            transports=parse_transports("openmpi", ["tcp", "tcp:OMPI_MCA_btl=self+vader"]),
            jobs=1,
            calls=2,
            command="",
        )
        first, second = result.rows
        assert first.seconds > 0
        assert first.ratio is None
        assert second.ratio == pytest.approx(second.seconds / first.seconds)


def test_unknown_transports_are_refused() -> None:
    """The message lists what there is."""
    for mpi, known in TRANSPORTS.items():
        parse_transports(mpi, list(known))
        with pytest.raises(UsageError, match="there are suiro, "):
            parse_transports(mpi, ["carrier-pigeon"])


def test_variables() -> None:
    """What comes after a transport's name changes its settings, and nothing else."""
    label = "suiro:SUIRO_NETS=eth0+eth1:SUIRO_NET_RAILS=static"
    (ours,) = parse_transports("openmpi", [label])
    assert ours.name == "suiro"
    assert ours.variables == {"SUIRO_NETS": "eth0,eth1", "SUIRO_NET_RAILS": "static"}
    for wrong in ("suiro:", "suiro:static", "suiro:=1"):
        with pytest.raises(UsageError, match="expected suiro:VARIABLE=VALUE"):
            parse_transports("openmpi", [wrong])
    with pytest.raises(UsageError, match="twice"):
        parse_transports("openmpi", ["tcp", "tcp"])
