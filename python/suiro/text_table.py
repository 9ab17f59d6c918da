# SPDX-License-Identifier: BSD-3-Clause
"""Tables for a terminal, as lines of text. No word is cut or folded: where lines are too long, gaps
shrink, then sentences go on below themselves, then the columns that matter least are left out, and
a line says which."""

import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from suiro.output import columns, console, wrapped

_GAPS = ("  ", " ")
NOTHING = "-"  # in a cell


@dataclass(frozen=True)
class Layout:
    """Of all rows of a table."""

    widths: Mapping[str, int]  # of the columns that are shown, by their headings
    left: Collection[str]  # those that hold words, at the left of their columns
    gap: str
    indent: str
    left_out: Sequence[str]

    def line(self, cells: Mapping[str, str]) -> str:
        """Of the table; on several of the terminal where a cell is wider than its column."""
        columns = [_broken(cells[name], width) for name, width in self.widths.items()]
        return "\n".join(map(self._text, zip_longest(*columns, fillvalue="")))

    def _text(self, cells: Sequence[str]) -> str:
        texts = [
            cell.ljust(width) if name in self.left else cell.rjust(width)
            for cell, (name, width) in zip(cells, self.widths.items(), strict=True)
        ]
        return (self.indent + self.gap.join(texts)).rstrip()

    @property
    def heading(self) -> str:
        return self.line({name: name for name in self.widths})

    def remarks(self, width: int | None) -> list[str]:
        """What is missing, if anything is."""
        if not self.left_out:
            return []
        missing = ", ".join(self.left_out)
        return wrapped(f"without {missing}: a wider terminal or a file has all", width)

    def _columns(self) -> int:
        gaps = len(self.gap) * (len(self.widths) - 1)
        return len(self.indent) + sum(self.widths.values()) + gaps

    def fits(self, width: int | None) -> bool:
        return width is None or self._columns() <= width

    def narrowed(self, least: Mapping[str, int], width: int | None) -> "Layout":
        """The widest of some columns first, to what their longest words need at least."""
        widths = dict(self.widths)
        excess = 0 if width is None else self._columns() - width
        while excess > 0:
            wide = [name for name in widths if widths[name] > least.get(name, widths[name])]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
            excess -= 1
        return replace(self, widths=widths)


def _broken(cell: str, width: int) -> list[str]:
    """Between words."""
    if len(cell) <= width:
        return [cell]
    return textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)


def lay_out(
    rows: Sequence[Mapping[str, str]],
    width: int | None,
    *,
    left: Collection[str],
    least: Sequence[str] = (),
    sentences: Collection[str] = (),
    indent: str = "",
) -> Layout:
    """The widest that fits so many columns; None: everything. `sentences` are columns whose words
    may go on below each other. `least` are those that may be left out, the first one first; one of
    them that says nothing in any row is no column."""
    widths = {
        name: max(len(name), *(len(row[name]) for row in rows))
        for name in rows[0]
        if name not in least or any(row[name] != NOTHING for row in rows)
    }
    longest_words = {
        name: max(len(word) for row in rows for word in f"{name} {row[name]}".split())
        for name in sentences
    }
    layouts = []
    for count in range(len(least) + 1):
        left_out = [name for name in least[:count] if name in widths]
        kept = {name: size for name, size in widths.items() if name not in left_out}
        both = [Layout(kept, {*left, *sentences}, gap, indent, left_out) for gap in _GAPS]
        layouts += [*both, both[-1].narrowed(longest_words, width)]
    return next((layout for layout in layouts if layout.fits(width)), layouts[-1])


def print_table(
    rows: Sequence[Mapping[str, str]],
    *,
    left: Collection[str],
    least: Sequence[str] = (),
    sentences: Collection[str] = (),
    styles: Sequence[str] = (),
) -> None:
    """On standard output, with a style for each row or none."""
    width = columns(sys.stdout)
    layout = lay_out(rows, width, left=left, least=least, sentences=sentences)
    shown = console(highlight=False, markup=False, soft_wrap=True)
    shown.print(layout.heading, style="bold")
    for row, style in zip_longest(rows, styles):
        shown.print(layout.line(row), style=style)
    for line in layout.remarks(width):
        shown.print(line, style="dim")
