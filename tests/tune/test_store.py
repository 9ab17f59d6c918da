# SPDX-License-Identifier: BSD-3-Clause
"""The store: nothing half written, nothing lost, what is broken is named and left out."""

import errno
import os
from pathlib import Path

import pytest

from suiro.errors import SuiroError
from suiro.tune import store

KEY = store.Key(
    cluster="lab-x", mpi="Open MPI v4.1.4", family="native", node_of_rank=[0, 0, 1],
    collective="bcast", root=1,
)  # fmt: skip
SAMPLES = [
    store.Sample(bytes=8, candidate="default", seconds=[1.0, 2.0], final=True),
    store.Sample(bytes=8, candidate="a", seconds=[0.5], final=True),
]


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUIRO_STORE", str(tmp_path))


def test_what_is_written_is_read_under_the_same_key_only() -> None:
    store.write(KEY, SAMPLES)
    assert store.samples_of(KEY) == {8: SAMPLES}
    assert store.samples_of(KEY.model_copy(update={"root": 0})) == {}
    assert store.samples_of(KEY.model_copy(update={"node_of_rank": [0, 1, 1]})) == {}
    assert store.samples_of(KEY.model_copy(update={"cluster": "lab-y"})) == {}


def test_two_tuners_at_once_keep_both() -> None:
    first = store.write(KEY, SAMPLES)
    second = store.write(KEY, [store.Sample(bytes=16, candidate="a", seconds=[1.0])])
    assert first != second
    assert set(store.samples_of(KEY)) == {8, 16}


def test_only_the_latest_round_decides() -> None:
    store.write(KEY, SAMPLES)
    later = [store.Sample(bytes=8, candidate="b", seconds=[0.1], final=True)]
    path = store.write(KEY, later)
    path.rename(path.with_name("99999999T000000-bcast-00000000.json"))
    assert store.samples_of(KEY) == {8: later}


def test_a_full_disk_loses_only_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    store.write(KEY, SAMPLES)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SuiroError, match="No space left"):
        store.write(KEY, SAMPLES)
    folder = store.cluster_folder(KEY.cluster)
    assert len(list(folder.iterdir())) == 1
    assert store.samples_of(KEY) == {8: SAMPLES}


_GOOD = '{"version": 1, "at": "2026-01-01T00:00:00Z", "key": KEY, "samples": []}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "EOF"),
        ("{", "EOF"),
        ("[]", "object"),
        (_GOOD.replace("1,", "2,", 1), "version"),
        (_GOOD.replace("2026", "yesterday"), "at"),
        (_GOOD.replace("00Z", "00"), "at"),
        (_GOOD.replace("KEY", "{}"), "key.cluster"),
        (_GOOD.replace("[]", '[{"bytes": -1, "candidate": "a", "seconds": [1]}]'), "bytes"),
        (_GOOD.replace("[]", '[{"bytes": 1, "candidate": "", "seconds": [1]}]'), "candidate"),
        (_GOOD.replace("[]", '[{"bytes": 1, "candidate": "a", "seconds": []}]'), "seconds"),
        (_GOOD.replace("[]", '[{"bytes": 1, "candidate": "a", "seconds": [0]}]'), "seconds.0"),
        (_GOOD.replace("[]", '[{"bytes": 1, "candidate": "a", "seconds": [NaN]}]'), "seconds.0"),
        (_GOOD.replace("[]", '[], "more": 1'), "more"),
        ("\xff\xfe", ""),
    ],
)
def test_a_broken_file_is_named_and_left_out(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write(KEY, SAMPLES)
    path = store.cluster_folder(KEY.cluster) / "20260101T000000-bcast-broken.json"
    path.write_bytes(text.replace("KEY", KEY.model_dump_json()).encode("latin-1"))
    assert store.samples_of(KEY) == {8: SAMPLES}
    complaint = capsys.readouterr().err
    assert str(path) in complaint and said in complaint


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_what_is_no_file_is_left_out(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    store.write(KEY, SAMPLES)
    path = store.cluster_folder(KEY.cluster) / "20260101T000000-bcast-odd.json"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    assert store.samples_of(KEY) == {8: SAMPLES}
    assert f"{path} is left out: expected a regular file" in capsys.readouterr().err
