# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of ways between nodes as an SVG file that needs nothing else: nodes in the order of
their sites, darker cells for longer ways. Pairs that were not timed are pale: their sites' way."""

import math
from html import escape

from suiro.probe.sites import SitesProbe
from suiro.quantities import rate_text, time_text
from suiro.svg import COLOURS, INK, MARGIN, page

_SIDE = 560  # of the matrix
_CELL_MAX = 28
_TOP, _LINE = 64, 18
_NAMES_WIDTH = 110
_NAMES_MAX = 56  # above, names would not fit their rows
_SHAPE = "text{font-size:12px}.guess{opacity:.45}.site{fill:none;stroke-width:1.5}"


def _colours(which: int) -> str:
    return f".cell,.guess{{fill:{COLOURS[0][which]}}}.site{{stroke:{INK[which]}}}"


def drawing(probe: SitesProbe) -> str:
    """The whole file."""
    order = [node for site in probe.grouping.sites for node in site]
    cell = min(_CELL_MAX, _SIDE / len(order))
    side = cell * len(order)
    notes = list(_notes(probe))
    width = round(_NAMES_WIDTH + max(side, 420) + 2 * MARGIN)
    height = round(_TOP + side + _LINE * (len(notes) + 1) + MARGIN)
    count = len(probe.grouping.sites)
    title = f"{len(order)} nodes at {'one site' if count == 1 else f'{count} sites'}"
    parts = [
        f'<g transform="translate({MARGIN + _NAMES_WIDTH} {_TOP})">',
        *_cells(probe, order, cell),
        *_frames(probe, cell),
        *(_names(probe, order, cell) if len(order) <= _NAMES_MAX else []),
        "</g>",
    ]
    for number, note in enumerate(notes):
        y = _TOP + side + _LINE * (number + 1.5)
        parts.append(f'<text x="{MARGIN}" y="{y:.0f}">{escape(note)}</text>')
    return page(title, width, height, parts, _SHAPE, _colours(0), _colours(1))


def _cells(probe: SitesProbe, order: list[int], cell: float) -> list[str]:
    pairs = probe.latencies.pairs()
    shortest_s, longest_s = min(pairs.values()), max(pairs.values())
    parts = []
    for row, left in enumerate(order):
        for column, right in enumerate(order):
            measured_s = pairs.get((min(left, right), max(left, right)))
            sites = probe.grouping.site_of(left), probe.grouping.site_of(right)
            way_s = measured_s or probe.way_s(*sites)
            if left == right or way_s is None:
                continue
            span = math.log(max(longest_s / shortest_s, 10.0))
            opacity = 0.12 + 0.88 * min(1.0, max(0.0, math.log(way_s / shortest_s) / span))
            words = f"{probe.hosts[left]} to {probe.hosts[right]}: {time_text(way_s)}"
            kind = "cell" if measured_s else "guess"
            parts.append(
                f'<rect class="{kind}" x="{column * cell:.1f}" y="{row * cell:.1f}" '
                f'width="{cell - 1:.1f}" height="{cell - 1:.1f}" fill-opacity="{opacity:.2f}">'
                f"<title>{escape(words)}{'' if measured_s else ' (as their sites)'}</title></rect>"
            )
    return parts


def _frames(probe: SitesProbe, cell: float) -> list[str]:
    """Around the cells of each site."""
    parts, first = [], 0
    for site in probe.grouping.sites:
        at, side = first * cell - 0.5, len(site) * cell
        parts.append(
            f'<rect class="site" x="{at:.1f}" y="{at:.1f}" width="{side:.1f}" height="{side:.1f}"/>'
        )
        first += len(site)
    return parts


def _names(probe: SitesProbe, order: list[int], cell: float) -> list[str]:
    return [
        f'<text x="-8" y="{(row + 0.5) * cell:.1f}" dy=".35em" text-anchor="end">'
        f"{escape(probe.hosts[node][:16])}</text>"
        for row, node in enumerate(order)
    ]


def _notes(probe: SitesProbe) -> list[str]:
    notes = []
    for streams in probe.streams:
        left, right = streams.sites
        way_s, rate = probe.way_s(left, right), rate_text(streams.best_Bps * 8)
        way = time_text(way_s) if way_s else "?"
        if left == right:
            notes.append(f"within site {left}: {way} one way, {rate} between two nodes")
        else:
            n = streams.n
            notes.append(f"site {left} to {right}: {way} one way, {rate} by n = {n} nodes")
    return notes
