# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of a page, and what is to be said of them."""

import re
from collections.abc import Iterator

WORDS_MAX = 30
NUMBERS_MAX = 2

_CODE_BLOCKS = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
_LINKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]+`")
# A list's mark, a heading, a quotation: where a new text begins.
_BEGINNING = re.compile(r"^\s*([-*>]|\d+\.|#+)\s+")
_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)[)*\"]*\s+(?=[(*\"`]*[\w`])")
# What has a number for its name is no number.
_NAMES = re.compile(
    r"(Open MPI|MPICH|Intel MPI|MPI|Debian|RHEL|Python|glibc|gcc|clang|Linux|Slurm|UCX|libfabric|"
    r"[Dd]ecisions?|[Rr]ules?|[Ff]igures?|[Tt]ables?|[Ss]ection|C\+\+|IPv|OSHMEM)"
    r"[ -]?(before )?v?\d[\d.]*((,| and| or| to| against) v?\d[\d.]*)*"
    r"|95 % intervals?"
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d|(?<![\w.])\d")
_FIGURE = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\()|(?<![\w.])\d[\d.,]* ?(%|times\b)")


def sentences(page: str) -> Iterator[str]:
    """Without code blocks, tables and comments; code within a line stays."""
    text = _COMMENTS.sub("", _CODE_BLOCKS.sub("", page))
    for part in _parts(text):
        plain = _LINKS.sub(r"\1", " ".join(part))
        yield from (sentence for sentence in _END.split(plain) if sentence.strip())


def _parts(text: str) -> Iterator[list[str]]:
    """Paragraphs, items of lists and headings."""
    part: list[str] = []
    after_blank = True
    in_list = False
    for line in text.splitlines():
        is_code = after_blank and line.startswith("    ") and not in_list
        begins = _BEGINNING.match(line)
        if not line.strip() or line.startswith("|") or is_code or begins:
            if part:
                yield part
            part = []
        after_blank = not line.strip() or is_code
        if line.startswith("#"):
            yield [_BEGINNING.sub("", line)]
            continue
        if line.strip() and not line.startswith((" ", "|")):
            in_list = bool(begins)
        if line.strip() and not line.lstrip().startswith("|") and not is_code:
            part.append(_BEGINNING.sub("", line).strip())
    if part:
        yield part


def is_long(sentence: str) -> bool:
    return len(sentence.split()) > WORDS_MAX


def is_crowded(sentence: str) -> bool:
    """With more numbers than one remembers."""
    return len(_NUMBER.findall(_plain(sentence))) > NUMBERS_MAX


def figures(sentence: str) -> list[str]:
    """What looks like the result of a measurement: decimals, percentages, so many times."""
    return [found[0] for found in _FIGURE.finditer(_plain(sentence))]


def _plain(sentence: str) -> str:
    return _NAMES.sub("", _CODE.sub("code", sentence))


def anchors(page: str) -> set[str]:
    """Of its headings, as GitHub makes them."""
    titles = re.findall(r"^#+ +(.*)$", _CODE_BLOCKS.sub("", page), re.MULTILINE)
    found: dict[str, int] = {}
    made = set()
    for title in titles:
        plain = _LINKS.sub(r"\1", title).strip().lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        made.add(f"{name}-{count}" if count else name)
    return made


def links(page: str) -> Iterator[tuple[str, str]]:
    """File (empty: the page itself) and anchor (empty: none) of each link to a file."""
    text = _CODE_BLOCKS.sub("", page)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in target:
            file, _, anchor = target.partition("#")
            yield file, anchor
