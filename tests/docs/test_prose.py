# SPDX-License-Identifier: BSD-3-Clause
"""Sentences are short, numbers of measurements are in tables that commands make, links lead
somewhere."""

import re
from pathlib import Path
from types import ModuleType

import prose
import pytest
from markdown import PAGES, ROOT

from suiro.provenance import Provenance

ALL = [*PAGES, *sorted((ROOT / "docs/decisions").glob("*.md")),
       ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("src/**/README.md")),
       ROOT / "python/suiro/README.md", ROOT / "tests/README.md"]  # fmt: skip
# What a measurement has given is here in tables only.
WITH_RESULTS = (
    "README.md",
    "results.md",
    "transport-results.md",
    "should-i-use-this.md",
    "papers.md",
)
LINES_MAX = 200


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", ALL, ids=name)
def test_sentences_are_short(page: Path, generate: ModuleType) -> None:
    found = list(prose.sentences(generate.tables.without(page.read_text())))
    long, crowded = list(filter(prose.is_long, found)), list(filter(prose.is_crowded, found))
    assert not long, "\n".join(long)
    assert not crowded, "\n".join(crowded)


@pytest.mark.parametrize("page", WITH_RESULTS)
def test_numbers_of_measurements_are_made(page: str, generate: ModuleType) -> None:
    """A page tells in words what its tables show."""
    path = ROOT / page if page == "README.md" else ROOT / "docs" / page
    text = generate.tables.without(path.read_text())
    found = {one: numbers for one in prose.sentences(text) if (numbers := prose.figures(one))}
    assert not found
    assert len(path.read_text().splitlines()) <= LINES_MAX
    written = [line for line in text.splitlines() if line.startswith("|") and prose.figures(line)]
    assert not written


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_tables_are_up_to_date(page: Path, generate: ModuleType) -> None:
    text = page.read_text()
    assert generate.tables.filled(text) == text, "run ./dev docs"


def test_results_say_where_they_come_from() -> None:
    """Other than a developer's changes were measured, and somebody shows them."""
    shown = "\n".join(
        re.findall(r"^<!-- table: (.*) -->$", "\n".join(p.read_text() for p in PAGES), re.MULTILINE)
    )
    for path in sorted((ROOT / "docs/results").glob("*.json")):
        origin = Provenance.model_validate_json(path.read_bytes())
        assert origin.command.startswith(("suiro ", "./dev run ")) and "--json" in origin.command
        assert origin.measured_at and origin.machine.processor, path
        assert origin.commit is not None and not origin.commit.endswith("+"), path
        assert any(path.match(f"{word.partition('@')[0]}.json") for word in shown.split()), path


@pytest.mark.parametrize("page", [*ALL, *ROOT.glob("docs/reference/*.md")], ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for file, anchor in prose.links(page.read_text()):
        target = page.parent / file if file else page
        if not target.exists():
            wrong.append(file)
        elif anchor and target.suffix == ".md" and anchor not in prose.anchors(target.read_text()):
            wrong.append(f"{file}#{anchor}")
    assert not wrong


def test_what_a_sentence_is() -> None:
    page = """# One title
First. Second, see [x](y.md)!

    code. Code.

- an item
  goes on

| a. B |
"""
    assert list(prose.sentences(page)) == [
        "One title",
        "First.",
        "Second, see x!",
        "an item goes on",
    ]
    assert prose.is_long("word " * 31) and not prose.is_long("word " * 30)
    assert prose.is_crowded("1 to 2.5 of 1,000") and not prose.is_crowded(
        "Open MPI 4.1 and 5, `7`, 8, 9"
    )
    assert prose.figures("1.6 times as fast, and 12 % under MPICH 4.0 in 3 labs") == ["1.6", "12 %"]
    assert prose.anchors("# A `b` (c)\n## A b c\n## Its name?\n") == {
        "a-b-c",
        "a-b-c-1",
        "its-name",
    }
