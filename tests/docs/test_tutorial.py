# SPDX-License-Identifier: BSD-3-Clause
"""What the pages tell a reader to type is typed here, and gives what the pages say."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown import ROOT, RUN_WHOLE, blocks, first_missing

from suiro import native

pytestmark = pytest.mark.lab


@pytest.fixture
def environment() -> dict[str, str]:
    """As `./dev run` makes it."""
    folders = [Path(sys.executable).parent, native.tool("suiro-schedule").parent]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    return {**os.environ, "PATH": path}


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a short name, since tables with file names in them are of limited width."""
    with tempfile.TemporaryDirectory(prefix="t") as name:
        yield Path(name)


@pytest.fixture
def no_lab_left() -> Iterator[None]:
    """Of a page that ended half-way."""
    yield
    command = [sys.executable, "-m", "suiro", "lab", "down", "tutorial"]
    subprocess.run(command, capture_output=True, check=False)


@pytest.mark.usefixtures("no_lab_left")
@pytest.mark.parametrize("page", RUN_WHOLE, ids=lambda page: page.name)
def test_the_page_does_what_it_says(page: Path, folder: Path, environment: dict[str, str]) -> None:
    (folder / "examples").symlink_to(ROOT / "examples")
    for block in blocks(page):
        if block.file is not None:
            (folder / block.file).write_text(block.text)
            continue
        done = subprocess.run(
            ["sh", "-e", "-c", block.text],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == block.exit_code, f"{block.text}\n{done.stdout}"
        missing = first_missing(block.expected, done.stdout)
        assert missing is None, f"{block.text}\n{done.stdout}\nhas no: {missing}"
