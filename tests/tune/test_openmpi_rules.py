# SPDX-License-Identifier: BSD-3-Clause
"""Rule files of Open MPI as text; that Open MPI reads them is test_tune_in_a_lab.py's."""

import re
from dataclasses import replace

import pytest

from suiro.bench.catalog import algorithms, find_collective
from suiro.errors import UsageError
from suiro.tune import openmpi
from suiro.tune.candidates import DEFAULT, SEGMENTS, Candidates
from suiro.tune.export import openmpi_rules, parse_target, starts, suiro_text
from suiro.tune.search import Verdict
from suiro.tune.tuner import Plan, Tuning


def numbers(text: str) -> list[list[int]]:
    """As Open MPI's parser sees it: without comments."""
    lines = (line.split("#")[0].split() for line in text.splitlines())
    return [list(map(int, words)) for words in lines if words]


def test_the_format() -> None:
    choice = openmpi.Choice(3, 0, 8192, "pipeline:segment=8192")
    rules = [openmpi.Rule(0, openmpi.FIXED_CHOICE), openmpi.Rule(4096, choice)]
    text = openmpi.file_text({"bcast": {16: rules}}, comment="why\nand how")
    assert numbers(text) == [
        [1], [7], [3],
        [0], [1], [0, 0, 0, 0],
        [16], [2], [0, 0, 0, 0], [4096, 3, 0, 8192],
        [17], [1], [0, 0, 0, 0],
    ]  # fmt: skip
    second = openmpi.file_text({"bcast": {16: rules}}, 2).splitlines()
    assert second[0] == "rule-file-version-2"
    assert numbers("\n".join(second[1:]))[-1] == [0, 0, 0, 0, 0]


def test_numbers_of_ranks_beside_each_other_share_a_guard() -> None:
    rules = [openmpi.Rule(0, openmpi.FIXED_CHOICE)]
    text = openmpi.file_text({"bcast": {16: rules, 17: rules}})
    assert [row[0] for row in numbers(text) if len(row) == 1] == [
        1,
        7,
        4,
        0,
        1,
        16,
        1,
        17,
        1,
        18,
        1,
    ]


@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce", "alltoall", "allgather"])
def test_what_the_model_is_asked_is_in_the_catalog(collective: str) -> None:
    known = algorithms(collective)
    for choice in openmpi.choices(collective, 100000, SEGMENTS):
        if choice.model is not None:
            name, _, values = choice.model.partition(":")
            given = {value.split("=")[0] for value in values.split(",") if value}
            assert given <= set(known[name]), choice


def test_no_segment_is_as_long_as_the_message() -> None:
    segments = {choice.segment for choice in openmpi.choices("bcast", 4096, SEGMENTS)}
    assert segments == {0, 1024, 2048}


def test_every_choice_has_a_name_of_its_own_and_a_size_of_its_own() -> None:
    picked = [openmpi.FIXED_CHOICE, *openmpi.choices("allreduce", 65536, SEGMENTS)]
    sizes, rules = openmpi.variants("allreduce", 65536, 4, 8, picked)
    assert len(sizes) == len(picked)
    assert sorted(sizes.values()) == [65536 + 4 * n for n in range(len(picked))]
    assert rules[-1] == openmpi.Rule(65536 + 4 * len(picked), openmpi.FIXED_CHOICE)


def test_sizes_in_rules_are_of_all_ranks_where_open_mpi_counts_so() -> None:
    assert openmpi.rule_bytes("alltoall", 100, 8) == 800
    assert openmpi.rule_bytes("bcast", 100, 8) == 100


def _tuning(choices: list[tuple[int, str]], native: bool = True) -> Tuning:
    collective = find_collective("bcast")
    sizes = [size for size, _ in choices]
    candidates = Candidates(collective, native)
    plan = Plan(collective, sizes, "c", 0, 2, candidates, node_of_rank=(0, 0, 1, 1, 1))
    tuning = Tuning(plan)
    tuning.verdicts = [Verdict(size, name, 1, 2, 2, (2, 2), 0) for size, name in choices]
    return tuning


def test_choices_change_halfway_and_nothing_is_said_beyond_what_was_measured() -> None:
    tuning = _tuning([(1000, "knomial"), (4000, "knomial"), (16000, "pipeline:segment=1024")])
    assert starts(tuning) == [
        (1000, "knomial"), (8000, "pipeline:segment=1024"), (16001, DEFAULT)]  # fmt: skip
    rules = [(one.from_bytes, one.choice.number) for one in openmpi_rules(tuning)]
    assert rules == [(0, 0), (1000, 7), (8000, 3), (16001, 0)]


def test_a_size_of_a_traced_program_stands_for_those_near_it() -> None:
    tuning = _tuning([(1000, "knomial"), (4000, "pipeline")])
    tuning.plan = replace(tuning.plan, reach=1.4)
    assert starts(tuning) == [(715, "knomial"), (2000, "pipeline"), (5601, DEFAULT)]


def test_suiros_rules_are_for_the_shape_that_was_measured() -> None:
    choices = [(1000, DEFAULT), (9000, "pipeline:segment=1024")]
    text = suiro_text([_tuning(choices, False)], "suiro tune")
    assert '"bytes": [1000, 2999], "algorithm": "native"' in text
    assert '"ppn": [2, 3]' in text and '"ranks": 5' in text
    assert '"parameters": {"segment": 1024}' in text


@pytest.mark.parametrize("text", ["", "openmpi", "openmpi:", "mpich", "mpi:x", ":x"])
def test_a_wrong_target_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(f'"{text}"')):
        parse_target(text)
