# SPDX-License-Identifier: BSD-3-Clause
"""The finding follows from recorded numbers; where they fit no model, it says so."""

import pytest
from recorded import CONTROL, LINK_BPS, evidence, part

from suiro.probe.evidence import Evidence
from suiro.probe.finding import Kind, find, needs_more_tries, read_try


@pytest.mark.parametrize(
    ("lab", "kind"),
    [
        ("4x4-hol", "head_of_line"),
        ("8x4-hol", "head_of_line"),
        ("4x4-pause", "pause"),
        ("4x4-shared", "drop"),
        ("4x4-voq", "virtual_output_queues"),
    ],
)
def test_the_labs_are_told_apart(lab: str, kind: Kind) -> None:
    finding = find(evidence(lab))
    assert (finding.kind, finding.tries, finding.of, finding.reason) == (kind, 3, 3, "")


@pytest.mark.parametrize(
    ("light", "heavy"),
    [
        ((0.90, 0.0), (0.70, 0.0)),  # neither held back nor free
        ((0.70, 0.0), (1.00, 0.0)),  # more traffic held back less
        ((1.00, 0.0), (0.90, 0.0)),
        ((1.00, 0.0), (1.00, 0.02)),  # neither lossless nor a full buffer
    ],
)
def test_what_fits_no_model_is_not_guessed(
    light: tuple[float, float], heavy: tuple[float, float]
) -> None:
    kind, reason = read_try(CONTROL, part("light", *light), part("heavy", *heavy))
    assert kind == "not_clear"
    assert reason


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("heavy", {"busy_offered": 1.0}, "the hosts offered only 1.00 links to one"),
        ("heavy", {"busy_filled": 0.5}, "the overloaded output was filled to 50% only"),
        ("light", {"busy_filled": 1.58}, "the links are faster than the hosts can fill"),
        ("light", {"sender_offered": 0.4}, "a host offered only 0.40 of its link"),
        ("light", {"waits": 0.1}, "a host could not send small frames often enough"),
        ("light", {"overflowed": 0.05}, "a host was too slow: it missed 5.0%"),
    ],
)
def test_a_try_without_its_traffic_counts_for_nothing(
    name: str, changes: dict[str, float], reason: str
) -> None:
    parts = {"light": part("light", 1.0, 0.0), "heavy": part("heavy", 1.0, 0.0)}
    parts[name] = parts[name].model_copy(update=changes)
    kind, said = read_try(CONTROL, parts["light"], parts["heavy"])
    assert kind == "not_clear"
    assert said.startswith(reason)


def spoil(measured: Evidence, tries: int) -> Evidence:
    """So that so many tries say nothing."""
    parts = [
        one.model_copy(update={"busy_offered": 1.0}) if index < 2 * tries else one
        for index, one in enumerate(measured.parts)
    ]
    return measured.model_copy(update={"parts": parts})


def test_two_clear_tries_are_enough_and_one_is_not() -> None:
    two = find(spoil(evidence("4x4-pause"), 1))
    assert (two.kind, two.tries, two.of) == ("pause", 2, 3)
    assert find(spoil(evidence("4x4-pause"), 2)).kind == "not_clear"


def test_tries_that_say_nothing_are_made_again() -> None:
    clean = evidence("4x4-pause")
    assert not needs_more_tries(clean)
    assert not needs_more_tries(spoil(clean, 1))
    first = spoil(clean, 2)
    assert needs_more_tries(first)
    both = find(first.with_tries_of(spoil(clean, 1)))
    assert (both.kind, both.tries, both.of) == ("pause", 3, 6)
    assert find(first.with_tries_of(evidence("4x4-voq"))).reason.startswith("the tries disagree")


def test_what_more_tries_would_not_change_is_not_tried_again() -> None:
    parts = [*evidence("4x4-hol").parts[:4], *evidence("4x4-voq").parts[4:]]
    disagree = evidence("4x4-hol").model_copy(update={"parts": parts})
    silent = evidence("4x4-hol").model_copy(update={"link_Bps": [LINK_BPS, 0.0, 1.0, 1.0]})
    cut = spoil(evidence("4x4-hol").model_copy(update={"parts": parts[:5]}), 3)
    few = spoil(evidence("4x4-hol", hosts=3), 3)
    assert not any(map(needs_more_tries, (disagree, silent, cut, few)))


def test_tries_that_disagree_are_not_counted_out() -> None:
    parts = [*evidence("4x4-hol").parts[:4], *evidence("4x4-voq").parts[4:]]
    finding = find(evidence("4x4-hol").model_copy(update={"parts": parts}))
    assert finding.kind == "not_clear"
    assert finding.reason.startswith("the tries disagree: head_of_line, head_of_line, virtual")


def test_three_hosts_show_loss_and_nothing_else() -> None:
    assert find(evidence("4x4-shared", hosts=3)).kind == "drop"
    finding = find(evidence("4x4-hol", hosts=3))
    assert finding.kind == "not_clear"
    assert "give 4 or more" in finding.reason


def test_two_hosts_show_nothing() -> None:
    assert "it takes 4 hosts" in find(evidence("4x4-hol", hosts=2)).reason


@pytest.mark.parametrize(
    ("links", "reason"),
    [
        ([LINK_BPS, 0.0, LINK_BPS, LINK_BPS], "no UDP datagrams arrive at host1"),
        ([], "no UDP datagrams arrive at host0, host1"),
        ([LINK_BPS, LINK_BPS, LINK_BPS, LINK_BPS / 10], "the links differ"),
    ],
)
def test_links_that_do_not_do(links: list[float], reason: str) -> None:
    finding = find(evidence("4x4-voq").model_copy(update={"link_Bps": links}))
    assert finding.kind == "not_clear"
    assert finding.reason.startswith(reason)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"share": 0.8}, "only 80% come in time"),
        ({"lost": 0.1}, "10.0% are lost even when"),
        ({"overflowed": 0.2}, "a host is too slow for its own link"),
    ],
)
def test_a_network_that_is_not_idle(changes: dict[str, float], reason: str) -> None:
    measured = evidence("4x4-voq")
    disturbed = CONTROL.model_copy(update=changes)
    finding = find(measured.model_copy(update={"controls": [disturbed] * 3}))
    assert finding.kind == "not_clear"
    assert finding.reason.startswith(reason)
    once = find(measured.model_copy(update={"controls": [disturbed, CONTROL, CONTROL]}))
    assert (once.kind, once.tries, once.of) == ("virtual_output_queues", 2, 3)


def test_hosts_that_are_too_slow_to_congest_anything() -> None:
    """An input-queued switch at 1 Gbit/s whose hosts reached 0.4 Gbit/s looked free."""
    measured = evidence("4x4-voq")
    assert measured.incast is not None
    incast = measured.incast.model_copy(update={"slowdown": 0.42})
    finding = find(measured.model_copy(update={"incast": incast}))
    assert finding.kind == "not_clear"
    assert finding.reason.endswith("TCP took 0.42 of the time")


def test_a_job_that_ended_early() -> None:
    ended = find(evidence("4x4-hol").model_copy(update={"parts": []}))
    assert ended.reason == "the job ended before the test"


def test_a_lab_that_stood_still_is_the_reason_only_where_one_is_needed() -> None:
    still = evidence("4x4-hol").model_copy(update={"stood_still": 0.07})
    assert find(still).reason == ""
    unclear = still.model_copy(update={"controls": [CONTROL.model_copy(update={"share": 0.5})] * 3})
    assert find(unclear).reason.startswith(
        "the lab's switch stood still for 7.0% of the time: this"
    )
    quiet = unclear.model_copy(update={"stood_still": 0.005})
    assert find(quiet).reason.startswith("only 50% come in time")
