# SPDX-License-Identifier: BSD-3-Clause
"""What a long reduction takes of memory: segments, however long the vector is."""

import pytest
from mpi_jobs import Mpi

VECTOR = 16 << 20
# Segments are long on such a network, and then scratch is, too.
FAST = '{"kind": "voq", "link_Bps": 3.125e9}'


def growth_kib(mpi: Mpi, algorithm: str) -> int:
    """Of the rank of 8 on two nodes that grows most, beside the user's buffers."""
    program = [str(mpi.build("reduce_memory.c")), str(VECTOR)]
    more = {"SUIRO_REDUCE": algorithm, "SUIRO_NODES": "2", "SUIRO_CLUSTER_NETWORK": FAST}
    outcome = mpi.run(program, "--explain=json", ranks=8, **more)
    assert outcome.code == 0, outcome.err
    ran = {row["algorithm"] for row in outcome.explained("reduce")}
    assert ran == {algorithm}, ran
    return int(outcome.out)


@pytest.mark.parametrize("algorithm", ["node_pipeline", "binary", "in_order_binary"])
def test_segments_are_all_that_a_pipeline_keeps(openmpi: Mpi, algorithm: str) -> None:
    """A third of the vector is far above what its scratch, and what the MPI has, come to."""
    assert growth_kib(openmpi, algorithm) < VECTOR / 3 / 1024


def test_shared_memory_takes_no_more_than_native(openmpi: Mpi) -> None:
    assert growth_kib(openmpi, "shared_tree") < growth_kib(openmpi, "native")
