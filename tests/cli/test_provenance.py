# SPDX-License-Identifier: BSD-3-Clause
"""What every document with results says of where it comes from."""

import subprocess
from pathlib import Path

import pytest

from suiro.cli.in_lab import repeat_command
from suiro.provenance import describe_machine, now, provenance, source_commit

ROOT = Path(__file__).parent.parent.parent


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    command = ["git", "-C", str(folder), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """In a repository of the same shape."""
    git(tmp_path, "init", "-q")
    for folder in ("src", "docs", "python/suiro"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_text("first")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path / "python/suiro"


def test_the_commit_is_that_which_last_changed_the_sources(package: Path) -> None:
    root = package.parent.parent
    first = git(root, "rev-parse", "HEAD")[:12]
    (root / "docs/file").write_text("second")
    git(root, "commit", "-qam", "second")
    assert source_commit(package) == first
    (root / "src/file").write_text("third")
    assert source_commit(package) == first + "+"


def test_elsewhere_there_is_no_commit(
    package: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """An installed suiro may be inside another project's repository."""
    elsewhere = package.parent.parent / "venv"
    elsewhere.mkdir()
    assert source_commit(elsewhere) is None
    assert source_commit(tmp_path_factory.mktemp("no-repository")) is None


def test_a_lab_of_ones_own_is_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["suiro", "bench", "bcast"])
    for spec, named in (
        ("4x4-hol", "4x4-hol"),
        (str(tmp_path / "labs/my.toml"), "./labs/my.toml"),
        ("/elsewhere/my.toml", "/elsewhere/my.toml"),
    ):
        monkeypatch.setenv("SUIRO_LAB_SPEC", spec)
        assert repeat_command() == f"suiro bench bcast --lab {named}"


def test_a_document_says_where_it_comes_from() -> None:
    origin = provenance("suiro bench", describe_machine("Open MPI v4.1.4, package", None), now())
    assert origin.machine.cores >= 1
    assert origin.machine.mpi == "Open MPI v4.1.4"
    assert origin.measured_at.endswith("+00:00")
    if (ROOT / ".git").exists():
        assert origin.commit is not None
