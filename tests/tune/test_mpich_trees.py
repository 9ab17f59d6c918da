# SPDX-License-Identifier: BSD-3-Clause
"""Files for MPICH as text; that MPICH reads them is test_files_of_real_mpis.py's."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suiro.errors import UsageError
from suiro.rules import mpich_file
from suiro.tune import csel, mpich
from suiro.tune.mpich_defaults import CH4, MPIR

JOB = mpich.Job("4.0", (0, 0, 1, 1))


def algorithms(tree: Any) -> Iterator[str]:
    for key, below in tree.items():
        if "_intra_" in key or "_inter_" in key or "_allcomm_" in key:
            yield key
        else:
            yield from algorithms(below)


def test_a_fact_settles_the_conditions_that_it_decides() -> None:
    tree: csel.Tree = {
        "comm_size<8": {"count<pow2": "a", "count=any": "b"},
        "comm_size=any": {"avg_msg_size<=9": "c", "avg_msg_size=any": "d"},
    }
    assert csel.settled(tree, {"comm_size": 4}) == {"count<pow2": "a", "count=any": "b"}
    assert csel.settled(tree, {"comm_size": 8, "avg_msg_size": 10}) == "d"
    assert csel.settled(tree, {}) == tree


def test_no_file_ends_with_a_page() -> None:
    for length in range(4000, 4200):
        assert len(csel.text({"x" * length: {}})) % 4096


@pytest.mark.parametrize("release", mpich.RELEASES)
def test_no_collective_is_missing_and_nothing_is_left_over(release: str, tmp_path: Path) -> None:
    """A file without rules is MPICH's defaults, and right as every other."""
    for what, text in mpich.files({}, int(release[0])).items():
        path = tmp_path / what
        path.write_text(text)
        assert mpich_file.read(path).warnings == []
    names = set(algorithms(json.loads(mpich.files({}, int(release[0]))[MPIR])))
    assert ("algorithm=MPIR_Barrier_intra_dissemination" in names) == (release == "4.0")


@pytest.mark.parametrize("release", mpich.RELEASES)
@pytest.mark.parametrize("collective", mpich.COLLECTIVES)
def test_what_an_algorithm_needs_is_made_sure_of(
    release: str, collective: str, tmp_path: Path
) -> None:
    for ranks in (4, 6):
        job = mpich.Job(release, tuple(rank // 2 for rank in range(ranks)))
        for choice in mpich.choices(collective, 4096, (1024,), job):
            path = tmp_path / "file"
            path.write_text(mpich.files({collective: {job: [(1, choice.name)]}}, job.major)[MPIR])
            found = mpich_file.read(path)
            assert found.warnings == []
            leaf = mpich_file.find(found, collective, [2] * (ranks // 2), 4096)
            assert leaf is not None
            assert sorted(leaf.name.split(":")[-1].split(",")) == sorted(
                choice.name.split(":")[-1].split(",")
            )


def test_calls_that_are_not_as_needed_get_the_default() -> None:
    tree = json.loads(mpich.files({"alltoall": {JOB: [(1, "brucks"), (9, "default")]}}, 4)[MPIR])
    sizes = tree["collective=alltoall"]["comm_type=intra"]["comm_size<=4"]
    assert list(sizes) == ["avg_msg_size<1", "avg_msg_size<9", "avg_msg_size=any"]
    assert sizes["avg_msg_size<9"] == {
        "is_sendbuf_inplace=no": {"algorithm=MPIR_Alltoall_intra_brucks": {}},
        "is_sendbuf_inplace=yes": {"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace": {}},
    }


def test_where_a_rule_decides_nodes_are_not_gone_through_one_by_one() -> None:
    reduce: mpich.Rows = [(8, "reduce_scatter_gather"), (64, "default")]
    rules = {"reduce": {JOB: reduce}, "allgather": {JOB: [(8, "ring")]}}
    tree = json.loads(mpich.files(rules, 4)[CH4])
    sizes = tree["collective=reduce"]["comm_type=intra"]["comm_size<=4"]
    within = sizes["avg_msg_size<64"]["is_op_built_in=yes"]["count=any"]
    assert within == {"composition=MPIDI_Reduce_intra_composition_gamma": {}}
    assert sizes["avg_msg_size=any"] == sizes["avg_msg_size<8"]
    assert "comm_size<=4" not in tree["collective=allgather"]["comm_type=intra"]


def test_numbers_of_ranks_have_rules_of_their_own() -> None:
    small = mpich.Job("4.0", (0, 0))
    rules: mpich.Rules = {"bcast": {JOB: [(1, "binomial")], small: [(1, "scatter_ring_allgather")]}}
    tree = json.loads(mpich.files(rules, 4)[MPIR])["collective=bcast"]["comm_type=intra"]
    numbers = ["comm_size<2", "comm_size<=2", "comm_size<4", "comm_size<=4", "comm_size=any"]
    assert list(tree) == numbers
    assert tree["comm_size<2"] == tree["comm_size<4"] == tree["comm_size=any"]
    assert "scatter_ring" in json.dumps(tree["comm_size<=2"]["avg_msg_size=any"])
    assert "binomial" in json.dumps(tree["comm_size<=4"]["avg_msg_size=any"])


def test_sizes_are_of_all_ranks_where_mpich_counts_so() -> None:
    assert mpich.rule_bytes("allgather", 100, 8) == 800
    assert mpich.rule_bytes("bcast", 100, 8) == 100
    with pytest.raises(UsageError, match="no numbers above"):
        mpich.rule_bytes("allgather", 1 << 20, 4096)


def test_only_what_could_run_is_offered() -> None:
    def names(collective: str, size: int, job: mpich.Job) -> set[str]:
        return {one.name for one in mpich.choices(collective, size, (), job)}

    assert "smp" in names("bcast", 8, JOB)
    assert "smp" not in names("bcast", 8, mpich.Job("4.0", (0, 1, 2, 3)))
    assert "recursive_doubling" not in names("allgather", 8, mpich.Job("4.0", (0, 1, 2)))
    assert "reduce_scatter_gather" not in names("reduce", 12, JOB)
    assert "k_brucks:k=4" not in names("alltoall", 8, JOB)
    assert "k_brucks:k=4" in names("alltoall", 8, mpich.Job("5.0", (0, 1)))


@pytest.mark.parametrize("version", ["MPICH Version: 4.1.2", "Intel(R) MPI Library 2021.9", ""])
def test_releases_whose_defaults_are_not_known(version: str) -> None:
    assert mpich.job_of("MPICH Version:\t4.0.2\nMPICH Release", [0]).release == "4.0"
    with pytest.raises(UsageError, match=r"4\.0 and 5\.0"):
        mpich.job_of(version, [0, 0])
