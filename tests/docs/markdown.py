# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a page that a test can run, and what the page says will come of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "docs/results/README.md"]
_BLOCK = re.compile(
    r"(?:^<!-- file: (?P<file>\S+) -->\n)?^```(?P<language>\w+)(?: exit=(?P<exit>\d+))?\n"
    r"(?P<text>.*?)^```\n",
    re.MULTILINE | re.DOTALL,
)
_INDENTED = re.compile(r"(?:^ {4}.*\n)+", re.MULTILINE)
# A word of its own, whatever is before it: a variable, a folder, `./dev run`, `ssh`, `do`.
_COMMAND = re.compile(r"(?:^|[\s/])suiro [a-z-]")
# Their `sh` blocks are run one by one, and give what the page says.
RUN_WHOLE = [ROOT / "docs/tutorial.md", ROOT / "README.md"]


@dataclass
class Block:
    """A block of commands, or the text of a file that they use."""

    text: str
    file: str | None = None
    exit_code: int = 0
    expected: str = ""


def blocks(page: Path) -> list[Block]:
    """`sh` blocks, each with the `text` block that follows it, and files, in the page's order."""
    found: list[Block] = []
    for match in _BLOCK.finditer(page.read_text()):
        if match["file"]:
            found.append(Block(match["text"], file=match["file"]))
        elif match["language"] == "sh":
            found.append(Block(match["text"], exit_code=int(match["exit"] or 0)))
        elif match["language"] == "text" and found:
            found[-1].expected = match["text"]
    return found


def first_missing(expected: str, output: str) -> str | None:
    """The first expected line that the output does not have after the one before it. Blanks and
    the digits of numbers do not count, since they differ from machine to machine."""
    rest = _loosely(output)
    for line in filter(None, map(_loosely, expected.splitlines())):
        place = rest.find(line)
        if place < 0:
            return line
        rest = rest[place + len(line) :]
    return None


def _loosely(text: str) -> str:
    return " ".join(re.sub(r"\d+(\.\d+)?", "0", text).split())


def command_lines(page: Path) -> Iterator[str]:
    """Every line of a block of commands in which `suiro` is called, without its comment; of a page
    that is run whole, in indented blocks alone."""
    text = page.read_text().replace("\\\n", " ")
    fenced = [match["text"] for match in _BLOCK.finditer(text) if match["language"] == "sh"]
    indented = _INDENTED.findall(_BLOCK.sub("", text))
    for block in indented if page in RUN_WHOLE else [*fenced, *indented]:
        for line in block.splitlines():
            if _COMMAND.search(line):
                yield re.sub(r"\s+#.*", "", line.strip())


def suiro_commands(page: Path) -> Iterator[str]:
    """Every `suiro` command that the page shows, up to the first quote or operator: indented, in a
    block or in a line."""
    text = page.read_text().replace("\\\n", " ")
    shown = "\n".join(
        [match["text"] for match in _BLOCK.finditer(text) if match["language"] == "sh"]
    )
    yield from re.findall(r"^(suiro [a-z-][^|#;'\"\n]*)", shown, re.MULTILINE)
    yield from re.findall(r"^    (suiro [a-z-][^|#;'\"\n]*)", text, re.MULTILINE)
    yield from re.findall(r"`(suiro [a-z-][^`|#;'\"\n]*)", text)
