# SPDX-License-Identifier: BSD-3-Clause
"""Both probes in one command: what is written, and where the switch is not looked at."""

import json
from datetime import datetime

import pytest
from test_probe_report import probed
from test_sites_report import made_up

from suiro.cli import probe
from suiro.errors import UsageError
from suiro.probe.answers import Answers

NOW = datetime(2026, 11, 30)


def test_one_file_has_both() -> None:
    both = Answers(made_up(one_site=True), probed("4x4-hol"), both=True)
    cluster = both.cluster(NOW)
    assert both.clear and cluster is not None
    [site] = cluster.site
    assert (site.switch, site.nodes[0], site.latency) == ("hol", "a0", 60)
    document = json.loads(both.document())
    assert document["switch"]["finding"]["kind"] == "head_of_line"
    assert document["sites"]["hosts"][0] == "a0"


def test_what_is_clear_is_written() -> None:
    half = Answers(made_up(one_site=True), probed("4x4-hol", hosts=3), both=True)
    cluster = half.cluster(NOW)
    assert not half.clear and cluster is not None
    assert cluster.site[0].switch is None


def test_one_answer_is_a_document_of_its_own() -> None:
    assert json.loads(Answers(None, probed("4x4-voq")).document())["finding"]
    assert json.loads(Answers(made_up(), None).document())["grouping"]


def test_several_sites_have_several_switches(capsys: pytest.CaptureFixture[str]) -> None:
    assert probe._switch(["no-launcher"], "openmpi", "-", None, made_up()) is None
    assert "the switch is not looked at, since it is of one site" in capsys.readouterr().err
    halved = Answers(made_up(), None, both=True)
    assert not halved.clear and halved.cluster(NOW) is not None
    document = json.loads(halved.document())
    assert document["switch"] is None and document["sites"]["grouping"]
    with pytest.raises(UsageError):
        probe._switch(["no-launcher"], "openmpi", "-", None, None)
    assert probe._switch(["no-launcher"], "openmpi", "-", None, made_up(one_site=True)) is None
    assert "no-launcher" in capsys.readouterr().err
