# SPDX-License-Identifier: BSD-3-Clause
"""Gains as heat maps: over collectives, sizes, settings and algorithms."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log2
from typing import TYPE_CHECKING, Any

from suiro.bench.cells import SMALL_BYTES
from suiro.bench.statistics import Interval
from suiro.quantities import size_text
from suiro.report.evidence import AUTO, NATIVE, Choice, Group, Row
from suiro.report.figures import INCHES, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From slower to faster, told apart by whoever sees fewer colours; in between lies "the same".
_COLOURS = ("#b3541e", "#f0c9a8", "#eceff4", "#a9cdf2", "#1464b4")
_DARK, _LIGHT = "#1d2430", "#ffffff"
_EXTREME = log2(3)  # three times as fast, or as slow, has the strongest colour
_LINE_INCHES = 0.4
_NAMED_COLUMNS_MAX = 7  # with more, names would run into each other
_LEVEL_COLUMNS_MAX = 12
_TEXT_COLUMNS_MAX = 24  # with more, a number would not fit into its field


@dataclass(frozen=True)
class Field:
    """A gain, whether it is more than chance, whose it is, and its interval."""

    gain: float
    sure: bool
    algorithm: str = ""
    ci95: Interval | None = None


@dataclass(frozen=True)
class Line:
    """One row of a heat map: its fields by column, which are sizes, or else numbered."""

    label: str
    fields: dict[int, Field]

    @property
    def mean(self) -> Field | None:
        """The geometric one; there is none of small messages (docs/measuring.md)."""
        counted = [field for size, field in self.fields.items() if size >= SMALL_BYTES]
        if not counted:
            return None
        sure = any(field.sure and field.algorithm != NATIVE for field in counted)
        return Field(exp(sum(log(field.gain) for field in counted) / len(counted)), sure)


def gain_lines(groups: Iterable[Group]) -> list[Line]:
    """A line for each setting, of what is chosen; another where it was measured what suiro chooses
    by itself."""
    lines = []
    for group in groups:
        label = f"{group.setting.where}\n{group.setting.how}"
        by_itself = _fields(row for row in group.rows if row.algorithm == AUTO)
        others = {row.algorithm for row in group.rows} - {NATIVE, AUTO}
        if by_itself:
            lines.append(Line(f"{label}, auto", by_itself))
        if group.choices and (others or not by_itself):
            fields = {one.bytes: _field_of_choice(one) for one in group.choices}
            lines.append(Line(label, fields))
    return lines


def _field_of_choice(choice: Choice) -> Field:
    sure = choice.faster or choice.algorithm == NATIVE
    return Field(choice.gain, sure, choice.algorithm, choice.gain_ci95)


def _fields(rows: Iterable[Row]) -> dict[int, Field]:
    return {
        row.bytes: Field(row.gain, row.decided, row.ran or "", row.gain_ci95)
        for row in rows
        if row.bytes is not None and row.gain is not None and row.void_reason is None
    }


def overview_map(of_collective: Mapping[str, Sequence[Group]]) -> str:
    """Means over sizes: a line for each collective, a column for each setting."""
    means = {
        (name, line.label): line.mean
        for name, groups in of_collective.items()
        for line in gain_lines(groups)
    }
    labels = list(dict.fromkeys(label for (_, label), mean in means.items() if mean))
    lines = [
        Line(
            name, {x: mean for x, label in enumerate(labels) if (mean := means.get((name, label)))}
        )
        for name in of_collective
    ]
    columns = [label.replace(", ", "\n").replace("; ", "\n") for label in labels]
    return heat_map([line for line in lines if line.fields], columns)


def gain_map(groups: Sequence[Group]) -> str:
    """Of one collective, by size."""
    return _map_by_size(gain_lines(groups))


def algorithm_map(group: Group) -> str:
    """Of one setting: a line for each algorithm, with the best of its parameters at each size."""
    best: dict[str, dict[int, Row]] = {}
    for row in group.rows:
        if row.bytes is None or row.gain is None or row.void_reason is not None:
            continue
        name = row.algorithm.partition(":")[0] + (" (control)" if row.control else "")
        known = best.setdefault(name, {}).get(row.bytes)
        if known is None or row.median_s < known.median_s:
            best[name][row.bytes] = row
    return _map_by_size([Line(name, _fields(rows.values())) for name, rows in best.items()])


def _map_by_size(lines: Sequence[Line]) -> str:
    sizes = sorted({size for line in lines for size in line.fields})
    numbered = [
        Line(line.label, {sizes.index(size): field for size, field in line.fields.items()})
        for line in lines
    ]
    return heat_map(numbered, list(map(size_text, sizes)))


def heat_map(lines: Sequence[Line], columns: Sequence[str]) -> str:
    """Numbers that may be chance stand in brackets, in an open field. Where nothing was measured,
    or nothing counts, there is no field."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    colours = LinearSegmentedColormap.from_list("gain", _COLOURS)
    scale = Normalize(-_EXTREME, _EXTREME, clip=True)
    count = len(columns)

    def draw(axes: "Axes") -> None:
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        for y, line in enumerate(lines):
            for x, field in line.fields.items():
                _draw_field(axes, (x, y), field, colours(scale(log2(field.gain))), count)
        axes.set_xlim(0, count)
        axes.set_ylim(len(lines), 0)
        axes.set_xticks([x + 0.5 for x in range(count)], columns, fontsize=8 - _lines_of(columns),
                        rotation=90 if count > _LEVEL_COLUMNS_MAX else 0)  # fmt: skip
        axes.set_yticks([y + 0.5 for y in range(len(lines))], [line.label for line in lines],
                        fontsize=7)  # fmt: skip
        axes.xaxis.tick_top()

    above = 0.4 + 0.1 * _lines_of(columns)
    high = _LINE_INCHES if any("\n" in line.label for line in lines) else 0.75 * _LINE_INCHES
    return svg_of(draw, (INCHES, above + high * max(1, len(lines))))


def _lines_of(columns: Sequence[str]) -> int:
    """Beyond the first; the more there are, the smaller they are written."""
    return min(3, max((column.count("\n") for column in columns), default=0))


def _draw_field(
    axes: "Axes", place: tuple[int, int], field: Field, colour: Any, columns: int
) -> None:
    from matplotlib.patches import Rectangle

    x, y = place
    if field.sure:
        axes.add_patch(Rectangle((x + 0.02, y + 0.04), 0.96, 0.92, facecolor=colour, linewidth=0))
    else:
        axes.add_patch(Rectangle((x + 0.04, y + 0.08), 0.92, 0.84, facecolor=_LIGHT,
                                 edgecolor=colour, linewidth=2))  # fmt: skip
    if columns > _TEXT_COLUMNS_MAX:
        return
    number = f"{field.gain:.2f}" if field.gain < 10 else f"{field.gain:.0f}"
    text = number if field.sure else f"({number})"
    name = field.algorithm.partition(":")[0] if columns <= _NAMED_COLUMNS_MAX else ""
    if field.algorithm == NATIVE:
        text, name = "=", ""
    ink = _LIGHT if field.sure and abs(log2(field.gain)) > 0.75 * _EXTREME else _DARK
    if name:
        axes.text(x + 0.5, y + 0.72, name, color=ink, ha="center", va="center", fontsize=6)
    axes.text(x + 0.5, y + (0.36 if name else 0.5), text, color=ink, ha="center", va="center",
              fontsize=7 if columns > _LEVEL_COLUMNS_MAX else 8)  # fmt: skip
