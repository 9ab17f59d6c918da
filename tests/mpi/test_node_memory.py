# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms in memory that the ranks of a node share: right on every MPI and placement, native
where it cannot be had, and nothing of it is left."""

import pytest
from mpi_jobs import SUIRO, Mpi, execute

FORCED = {
    "SUIRO_BARRIER": "shared_leader",
    "SUIRO_BCAST": "shared_tree:segment=20000",
    "SUIRO_REDUCE": "shared_tree:radix=1,segment=30000",
}


@pytest.mark.parametrize(
    ("more", "nodes"),
    [
        ({"SUIRO_ALLREDUCE": "shared_leader", "SUIRO_REDUCE": "shared_leader"}, "2"),
        ({"SUIRO_ALLREDUCE": "shared_lanes:segment=65536"}, "3+1"),
    ],
    ids=["leaders", "all"],
)
def test_every_mpi_gets_what_it_is_to(every_mpi: Mpi, more: dict[str, str], nodes: str) -> None:
    program = [str(every_mpi.build("node_memory.c")), "3", "3"]
    forced = FORCED | more
    outcome = every_mpi.run(program, "--explain=json", ranks=6, SUIRO_NODES=nodes, **forced)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    ran = {row["algorithm"] for row in outcome.explained()}
    assert set(forced.values()) <= ran, ran


def test_ranks_are_ahead_of_a_root_that_comes_late(mpi: Mpi) -> None:
    """By eight short runs of one size, and by four where sizes differ as they do here. If one of
    these waited, the job would not end."""
    program = [str(mpi.build("ahead.c")), "4"]
    forced = {"SUIRO_REDUCE": "shared_leader"}
    outcome = mpi.run(program, "--explain=json", ranks=6, SUIRO_NODES="2", **forced)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    assert {row["algorithm"] for row in outcome.explained("reduce")} == {"shared_leader"}


def test_many_communicators_leave_nothing(openmpi: Mpi) -> None:
    """The program looks at what it has mapped."""
    outcome = openmpi.run([str(openmpi.build("node_memory.c")), "1", "30"], **FORCED)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


@pytest.mark.every
def test_ten_thousand_communicators_leave_nothing(mpi: Mpi) -> None:
    """The program looks at the memory that it had at most, after a tenth of them and after all."""
    program = [str(mpi.build("node_memory.c")), "1", "10000", "1"]
    forced = FORCED | {"SUIRO_ALLREDUCE": "shared_leader"}
    outcome = mpi.run(program, "--explain=json", limit_s=900, **forced)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok", []), outcome.err
    ran = {row["algorithm"] for row in outcome.explained()}
    assert set(forced.values()) <= ran, ran


@pytest.mark.every
def test_a_node_of_128_ranks(openmpi: Mpi) -> None:
    program = [str(openmpi.build("node_memory.c")), "1", "1", "8192"]
    outcome = openmpi.run(program, ranks=256, **FORCED, SUIRO_ALLREDUCE="shared_leader")
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


def test_two_threads_at_once(mpi: Mpi) -> None:
    program = [str(mpi.build("node_memory.c")), "1", "4", "threads"]
    outcome = mpi.run(program, SUIRO_ALLREDUCE="shared_leader", **FORCED)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err


@pytest.mark.parametrize("options", ["size=1M", "ro"])
def test_a_node_without_shared_memory_files(openmpi: Mpi, options: str) -> None:
    """/dev/shm as containers have it: next to nothing, or not for writing."""
    script = f'mount -t tmpfs -o {options} shm /dev/shm; exec "$@"'
    program = [str(openmpi.build("node_memory.c")), "1", "2"]
    command = [*SUIRO, "run", "--explain=json", "--", *openmpi.launcher(4), *program]
    more = FORCED | {"SUIRO_ALLREDUCE": "shared_lanes", "OMPI_MCA_btl": "self,tcp"}
    outcome = execute(["unshare", "-rm", "sh", "-c", script, "sh", *command], **more)
    assert (outcome.code, outcome.out.strip()) == (0, "ok"), outcome.err
    assert {row["algorithm"] for row in outcome.explained("allreduce")} >= {"shared_lanes"}


def test_ranks_in_containers_of_their_own_do_without(openmpi: Mpi) -> None:
    """They do not find each other's memory: it is not predicted, and then not to be had."""
    program = str(openmpi.build("reductions_tried.c"))

    def ran(*container: str) -> set[str]:
        command = [*SUIRO, "run", "--explain=json", "--no-store", "--"]
        command += [*openmpi.launcher(6), *container, program]
        outcome = execute(command, SUIRO_NODES="2", OMPI_MCA_btl="self,tcp")
        assert outcome.code == 0, outcome.err
        assert not [row for row in outcome.explained() if "share memory" in row["reason"]]
        return {row["algorithm"].split("_")[0] for row in outcome.explained()}

    assert "shared" in ran()
    assert "shared" not in ran("unshare", "-rpf", "--mount-proc")


@pytest.mark.parametrize(
    ("collective", "algorithm"),
    [
        ("bcast", "shared_tree"),
        ("reduce", "shared_tree"),
        ("allreduce", "shared_lanes"),
        ("barrier", "shared_leader"),
    ],
)
def test_a_rank_that_is_killed_ends_the_job(mpi: Mpi, collective: str, algorithm: str) -> None:
    forced = {f"SUIRO_{collective.upper()}": algorithm}
    outcome = mpi.run([str(mpi.build("killed.c")), collective], **forced)
    assert outcome.code != 0
    assert "not reached" not in outcome.out


def test_what_does_not_fit_is_native(openmpi: Mpi) -> None:
    program = [str(openmpi.build("faults.c")), "allreduce", "400000", "0", "2"]
    forced = {"SUIRO_ALLREDUCE": "shared_leader"}
    outcome = openmpi.run(program, "--explain=json", **forced)
    assert (outcome.code, outcome.out.strip()) == (0, "ok, 0 errors"), outcome.err
    assert {row["algorithm"] for row in outcome.explained("allreduce")} >= {"native"}
