# SPDX-License-Identifier: BSD-3-Clause
"""What is written is whole, or somebody hears of it; what is told to nobody stops nothing."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from suiro.errors import UsageError
from suiro.output import Lines, WriteError, check_place, wrapped, write_file
from suiro.text_table import lay_out

SUIRO = str(Path(sys.executable).parent / "suiro")
FULL = "cannot write to standard output: No space left on device"


def shell(line: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COMMAND": SUIRO} | more
    return subprocess.run(
        ["bash", "-c", line.replace("suiro ", '"$COMMAND" ')],
        env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@contextmanager
def largest_file(count: int) -> Iterator[None]:
    """As a full disk: what is more than that fails, after a part of it was written."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("suiro --version > /dev/full", 1, f"suiro: {FULL}\n"),
        ("suiro algorithms bcast >&-", 1, f"suiro: {FULL}\n".replace("No space left on device",
                                                                      "Bad file descriptor")),
        ("suiro algorithms | :; exit ${PIPESTATUS[0]}", 1, ""),
        ("suiro algorithms nothing > /dev/full 2>&1", 2, ""),
        ("suiro --help > /dev/full", 1, f"suiro: {FULL}\n"),
        ("suiro sim bcast --lab 4x4-hol --sizes 1K > /dev/full", 1, f"suiro: {FULL}\n"),
        ("suiro verify bcast/chain --max-ranks 4 > /dev/full", 1, f"suiro: {FULL}\n"),
        ("suiro top --once --json > /dev/full", 1, f"suiro: {FULL}\n"),
    ],
)  # fmt: skip
def test_results_that_cannot_be_printed(line: str, code: int, said: str) -> None:
    done = shell(line)
    assert (done.returncode, done.stderr) == (code, said)


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "file"
    link = tmp_path / "link"
    link.symlink_to(file)
    write_file(link, "old")
    file.chmod(0o640)
    with largest_file(1000), pytest.raises(WriteError, match=r"--svg .*/file: cannot be written: "):
        write_file(file, "x" * 2000, "--svg")
    assert file.read_text() == "old"
    write_file(link, "new\udcff")
    assert link.is_symlink() and file.read_text() == "new\\udcff"
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [file, link]
    with pytest.raises(WriteError, match="/dev/full: cannot be written: No space left"):
        write_file(Path("/dev/full"), "x")
    assert Path("/dev/full").is_char_device()


def test_places_are_looked_at_before(tmp_path: Path) -> None:
    check_place(tmp_path / "file", "--svg")
    check_place(Path("/dev/full"))
    for path, problem in (
        (tmp_path, "this is a folder"),
        (tmp_path / "none" / "file", "there is no folder"),
        (Path("/etc/passwd/file"), "there is no folder"),
    ):
        with pytest.raises(UsageError, match=f"--svg {path}: {problem}"):
            check_place(path, "--svg")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_seen_before(tmp_path: Path) -> None:
    if subprocess.run(["unshare", "-rm", "true"], check=False).returncode != 0:
        pytest.skip("user namespaces are not allowed here")
    full = f"mount -t tmpfs -o size=4k none {tmp_path}; head -c 4096 /dev/zero > {tmp_path}/x"
    for words in ("probe --sites --write-cluster", "tune bcast --plot", "report --html"):
        done = shell(f"unshare -rm sh -c '{full}; \"$COMMAND\" {words} {tmp_path}/file.svg'")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.endswith(f"{tmp_path}/file.svg: No space left on device\n")
        assert done.stderr.count("\n") == 1


def test_a_growing_file_ends_with_a_whole_line(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "lines", "--trace")
    lines.write("first\n")
    with largest_file(20):
        lines.write("second\nthird line\nfourth\n")
    lines.write("fifth\n")
    with pytest.raises(WriteError, match=r"--trace .*/lines: not all could be written: File too l"):
        lines.close()
    assert (tmp_path / "lines").read_text() == "first\nsecond\n"


def test_tables_lose_whole_columns_and_say_which() -> None:
    rows = [{"name": "a" * 20, "time": "1 ms", "mean": "-", "calls": "7"}]
    rows += [{"name": "b", "time": "22 ms", "mean": "-", "calls": "8"}]
    for width, columns, gap in ((None, 3, "  "), (34, 3, "  "), (33, 3, " "), (26, 2, " ")):
        layout = lay_out(rows, width, left=("name",), least=("mean", "calls"))
        assert (len(layout.heading.split()), layout.gap) == (columns, gap)
        assert layout.line(rows[0]).startswith("a" * 20 + gap + " 1 ms")
        assert all(len(layout.line(row)) <= (width or 99) for row in rows)
        told = ["without calls: a wider terminal or a file has all"] if columns == 2 else []
        assert layout.remarks(None) == told
    assert wrapped("one two three", 20, "    ") == ["one two three"]
    assert wrapped("one " * 6 + "x" * 30, 24, "  ") == ["one one one one one one", "  " + "x" * 30]
