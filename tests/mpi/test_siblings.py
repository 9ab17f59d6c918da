# SPDX-License-Identifier: BSD-3-Clause
"""Communicators of one rank per node, which share each node's links while all of them talk."""

from mpi_jobs import Mpi

BYTES = 1 << 16


def test_the_bound_counts_what_all_communicators_put_on_a_link(mpi: Mpi) -> None:
    outcome = mpi.run(mpi.build("columns.c"), "--explain=json", "--link-rate=8e6", ranks=4)
    assert outcome.code == 0, outcome.err
    rows = {row["collective"]: row for row in outcome.explained()}
    assert {row["shape"] for row in rows.values()} == {"2 nodes x 1 rank"}
    found = {
        name: (row["link_shared_by"], round(row["bound_s"] * 1e6)) for name, row in rows.items()
    }
    assert found == {
        "alltoall": (2, 2 * BYTES),
        "allgather": (1, BYTES),  # of the leaders alone
        "scatter": (2, 2 * BYTES),  # from the same node
        "gather": (1, BYTES),  # to a node each
    }
