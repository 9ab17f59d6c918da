# SPDX-License-Identifier: BSD-3-Clause
"""Where control groups are looked for, and what is written to them, in made-up file systems."""

from pathlib import Path

import pytest

from suiro.errors import MachineError
from suiro.lab import cpu_groups


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with both versions of control groups, of which the first has the processors."""
    mounts = [
        f"30 1 0:1 / {tmp_path}/v1 rw - cgroup cgroup rw,cpu,cpuacct",
        f"31 1 0:2 / {tmp_path}/v2 rw - cgroup2 cgroup2 rw",
    ]
    (tmp_path / "mounts").write_text("\n".join(mounts))
    (tmp_path / "own").write_text("2:cpu,cpuacct:/user/me\n0::/session\n")
    monkeypatch.setattr(cpu_groups, "_MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(cpu_groups, "_OWN", tmp_path / "own")
    return tmp_path


def test_version_1(system: Path) -> None:
    (system / "v1" / "user").mkdir(parents=True)
    group = cpu_groups.create("mine", {"host0": 0.5, "host1": 2})
    assert group == system / "v1" / "user" / "suiro-lab-mine"
    assert (group / "host0" / "cpu.cfs_quota_us").read_text() == "5000"
    assert (group / "host1" / "cpu.cfs_quota_us").read_text() == "20000"
    assert (group / "host1" / "cpu.cfs_period_us").read_text() == "10000"


def test_version_2_goes_up_to_where_processors_are_handed_on(system: Path) -> None:
    (system / "v2" / "session").mkdir(parents=True)
    (system / "v2" / "session" / "cgroup.subtree_control").mkdir()  # cannot be written
    (system / "v2" / "cgroup.subtree_control").write_text("memory cpu")
    group = cpu_groups.create("mine", {"host0": 0.25})
    assert group == system / "v2" / "suiro-lab-mine"
    assert (group / "cgroup.subtree_control").read_text() == "+cpu"
    assert (group / "host0" / "cpu.max").read_text() == "2500 10000"


def test_nowhere(system: Path) -> None:
    with pytest.raises(MachineError, match=r"or leave hosts\.cpu out of the spec") as caught:
        cpu_groups.create("mine", {"host0": 0.25})
    assert "\n" not in str(caught.value)


def test_removal(tmp_path: Path) -> None:
    group = tmp_path / "group"
    (group / "host0").mkdir(parents=True)
    cpu_groups.remove(group)
    cpu_groups.remove(group)
    assert not group.exists()
