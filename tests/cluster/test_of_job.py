# SPDX-License-Identifier: BSD-3-Clause
"""Which file a job follows, what ranks are told, and what is said of a file of other nodes."""

from pathlib import Path

import pytest

from suiro.cluster import of_job
from suiro.errors import UsageError

FILE = """\
version = 1
[[site]]
nodes = ["a", "b"]
[[site]]
nodes = ["c"]
[[wan]]
sites = [0, 1]
n = 1
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "SUIRO_CLUSTER",
        "SUIRO_SITES",
        "SUIRO_WAN_FLOWS",
        "SUIRO_NET_STREAMS",
        "XDG_CONFIG_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".config/suiro").mkdir(parents=True)
    return tmp_path


def found(given: Path | None = None) -> tuple[of_job.ClusterFile | None, list[str]]:
    said: list[str] = []
    return of_job.find(given, said.append), said


def test_no_file(home: Path) -> None:
    assert found() == (None, [])


def test_the_usual_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / ".config/suiro/cluster.toml"
    path.write_text(FILE)
    file, said = found()
    assert file is not None
    assert (file.path, said) == (path, [])
    assert file.variables() == {"SUIRO_SITES": "a,b;c", "SUIRO_WAN_FLOWS": "1"}
    monkeypatch.setenv("SUIRO_WAN_FLOWS", "4")
    assert file.variables()["SUIRO_WAN_FLOWS"] == "4"
    monkeypatch.setenv("SUIRO_CLUSTER", "")
    assert found() == (None, [])
    monkeypatch.delenv("SUIRO_CLUSTER")
    monkeypatch.setenv("SUIRO_SITES", "1")
    assert found() == (None, [])


def test_ranks_learn_what_the_file_knows_of_the_network(home: Path) -> None:
    path = home / "any.toml"
    path.write_text('version = 1\n[[site]]\nnodes = ["*"]\nswitch = "hol"\nrate = "80M"\n')
    file, _ = found(path)
    assert file is not None
    assert file.variables() == {
        "SUIRO_SITES": "1",
        "SUIRO_CLUSTER_NETWORK": '{"kind": "hol", "link_Bps": 10000000.0}',
    }


def test_ranks_learn_how_many_streams_fill_a_link(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / "cloud.toml"
    site = '[[site]]\nnodes = ["*"]\nrate = "80M"\nstream_rate = "10M"\n'
    path.write_text(f"version = 1\n{site}")
    file, _ = found(path)
    assert file is not None
    assert file.variables() == {
        "SUIRO_SITES": "1",
        "SUIRO_CLUSTER_NETWORK": '{"link_Bps": 10000000.0, "stream_Bps": 1250000.0}',
        "SUIRO_NET_STREAMS": "8",
    }
    monkeypatch.setenv("SUIRO_NET_STREAMS", "1")
    assert file.variables()["SUIRO_NET_STREAMS"] == "1"


def test_a_wrong_file_that_nobody_gave_is_told_and_left_aside(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / "mine.toml"
    monkeypatch.setenv("SUIRO_CLUSTER", str(path))
    assert found()[1] == [
        f"{path}: cannot be read: No such file or directory; the file is left aside, and the "
        "addresses tell the sites"
    ]
    path.write_text(FILE.replace("\nn = 1", "\nn = 2"))
    file, said = found()
    assert file is None
    assert said[0].startswith(f"{path}:8: wan.0.n: expected at most 1, ")


def test_a_wrong_file_that_was_given_is_an_error(home: Path) -> None:
    path = home / "mine.toml"
    path.write_text("version = 1")
    with pytest.raises(UsageError, match="site: missing"):
        found(path)


def test_a_host_that_the_file_does_not_name(home: Path) -> None:
    path = home / "mine.toml"
    path.write_text(FILE)
    file, _ = found(path)
    assert file is not None
    assert file.mismatch("d").startswith(
        f"{path}:3: expected all nodes of this job at one of the sites, but d is at none"
    )
