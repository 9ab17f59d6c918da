# SPDX-License-Identifier: BSD-3-Clause
"""Tables for a terminal, as lines of text. No cell is cut or folded: where lines are too long, gaps
shrink, then the columns that matter least are left out, and a line says which."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from suiro.output import wrapped

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
        texts = [
            cells[name].ljust(width) if name in self.left else cells[name].rjust(width)
            for name, width in self.widths.items()
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


def lay_out(
    rows: Sequence[Mapping[str, str]],
    width: int | None,
    *,
    left: Collection[str],
    least: Sequence[str],
    indent: str = "",
) -> Layout:
    """The widest that fits so many columns; None: everything. `least` are those that may be left
    out, the first one first; one of them that says nothing in any row is no column."""
    widths = {
        name: max(len(name), *(len(row[name]) for row in rows))
        for name in rows[0]
        if name not in least or any(row[name] != NOTHING for row in rows)
    }
    layouts = []
    for count in range(len(least) + 1):
        left_out = [name for name in least[:count] if name in widths]
        kept = {name: size for name, size in widths.items() if name not in left_out}
        layouts += [Layout(kept, left, gap, indent, left_out) for gap in _GAPS]
    return next((layout for layout in layouts if layout.fits(width)), layouts[-1])
