# SPDX-License-Identifier: BSD-3-Clause
"""A schedule as an SVG file that needs nothing else: one panel for each round, nodes on a circle
with their ranks, an arrow for each message. Colours follow the reader's light or dark setting."""

import math
import textwrap
from dataclasses import dataclass
from html import escape

from suiro.show.picture import Message, Picture, Scene, plural
from suiro.svg import COLOURS, INK, MARGIN, fills, page

_PANEL = 220
_HEAD = 46  # above a panel: its caption
_GAP = 20
_COLUMNS = 4
_PANELS_MAX = 64
_RANKS_MAX = 96  # above, messages are drawn from node to node
_NODES_ON_CIRCLE_MAX = 24  # above, a round is drawn as a matrix
_SHAPE = (
    ".middle{text-anchor:middle}"
    ".node{stroke-width:1}.crowded{stroke-width:3}.bad{font-weight:600}"
    ".arrow{fill:none;stroke-opacity:.85}"
)

Point = tuple[float, float]


def drawing(picture: Picture) -> str:
    """The whole file."""
    scenes = picture.shown[:_PANELS_MAX]
    texts = [*picture.summary(), *_notes(picture, len(scenes))]
    lines = [part for text in texts for part in textwrap.wrap(text, 100)]
    columns = min(_COLUMNS, max(1, len(scenes)))
    width = max(columns, 3) * (_PANEL + _GAP) + 2 * MARGIN
    top = 62 + 18 * len(lines)
    height = top + math.ceil(len(scenes) / columns) * (_PANEL + _HEAD) + MARGIN
    parts = [_arrow_heads()]
    for number, line in enumerate(lines):
        parts.append(f'<text x="{MARGIN}" y="{60 + 18 * number}">{escape(line)}</text>')
    panel = _matrix if picture.nodes > _NODES_ON_CIRCLE_MAX else _circle
    for number, scene in enumerate(scenes):
        x = MARGIN + number % columns * (_PANEL + _GAP)
        y = top + number // columns * (_PANEL + _HEAD)
        parts.append(f'<g transform="translate({x} {y})">')
        parts += [*_caption(scene), *panel(picture, scene), "</g>"]
    light = _colours("#6b6b6b", "#eef1f4", "#c8102e", 0)
    dark = _colours("#9aa0a6", "#272b31", "#ff6b78", 1)
    return page(picture.title, width, height, parts, _SHAPE, light, dark)


def _notes(picture: Picture, drawn: int) -> list[str]:
    notes = []
    if picture.nodes > _NODES_ON_CIRCLE_MAX:
        notes.append("Each row is a node that sends, each column one that receives.")
    if drawn < picture.rounds:
        notes.append(f"{drawn} of {picture.rounds} rounds; --rounds chooses others.")
    return notes


def _colours(faint: str, node: str, bad: str, which: int) -> str:
    strokes = "".join(f".c{number}{{stroke:{pair[which]}}}" for number, pair in enumerate(COLOURS))
    return (
        f".rank{{fill:{INK[which]}}}.faint{{fill:{faint}}}"
        f".node{{fill:{node};stroke:{faint}}}.crowded{{stroke:{bad}}}.bad{{fill:{bad}}}"
        f"{strokes}{fills(which)}"
    )


def _arrow_heads() -> str:
    heads = "".join(
        f'<marker id="h{i}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto">'
        f'<path class="f{i}" d="M0 0L8 4L0 8z"/></marker>'
        for i in range(len(COLOURS))
    )
    return f"<defs>{heads}</defs>"


def _caption(scene: Scene) -> list[str]:
    blocks = scene.busiest_nic_blocks
    load = "inside nodes" if scene.messages else "no message"
    if blocks:
        load = f"busiest NIC {blocks} {plural(blocks, 'block')}"
    lines = [f'<text x="0" y="14">round {scene.round}: {load}</text>']
    if scene.crowded_nodes:
        count = len(scene.crowded_nodes)
        words = f"{count} {plural(count, 'node')} with two peers"
        lines.append(f'<text class="bad" x="0" y="31">{words}</text>')
    return lines


@dataclass(frozen=True)
class _Layout:
    """Where nodes and ranks are in a panel."""

    middle: Point
    ring: float  # the radius of the circle of nodes
    centres: list[Point]
    radius: float  # of a node
    ranks: dict[int, Point]

    @classmethod
    def of(cls, picture: Picture) -> "_Layout":
        middle = (_PANEL / 2, _PANEL / 2 + _HEAD - 6)
        ring = 0.0 if picture.nodes == 1 else _PANEL * 0.35
        radius = 60.0 if picture.nodes == 1 else min(24.0, math.pi * ring / picture.nodes * 0.65)
        centres = [_around(middle, ring, node / picture.nodes) for node in range(picture.nodes)]
        ranks: dict[int, Point] = {}
        for node, centre in enumerate(centres):
            own = picture.ranks_of(node)
            inner = 0.0 if len(own) == 1 else radius * 0.7
            for place, rank in enumerate(own):
                ranks[rank] = _around(centre, inner, place / len(own))
        return cls(middle, ring, centres, radius, ranks)


def _around(centre: Point, radius: float, turn: float) -> Point:
    """A point of a circle; turns are clockwise from the top."""
    angle = 2 * math.pi * turn
    return centre[0] + radius * math.sin(angle), centre[1] - radius * math.cos(angle)


def _circle(picture: Picture, scene: Scene) -> list[str]:
    layout = _Layout.of(picture)
    parts = []
    for node, (x, y) in enumerate(layout.centres):
        crowded = " crowded" if scene.nodes[node].crowded else ""
        parts.append(
            f'<circle class="node{crowded}" cx="{x:.1f}" cy="{y:.1f}" r="{layout.radius:.1f}"/>'
        )
        if picture.ranks <= _RANKS_MAX:
            x, y = _around(layout.middle, layout.ring + layout.radius + 9, node / picture.nodes)
        parts.append(f'<text class="middle faint" x="{x:.1f}" y="{y:.1f}" dy=".35em">{node}</text>')
    if picture.ranks > _RANKS_MAX:
        return parts + _node_arrows(layout, scene)
    for x, y in layout.ranks.values():
        parts.append(f'<circle class="rank" cx="{x:.1f}" cy="{y:.1f}" r="2"/>')
    return parts + [_rank_arrow(picture, layout, message) for message in scene.messages]


def _rank_arrow(picture: Picture, layout: _Layout, message: Message) -> str:
    node = picture.node_of_rank[message.source]
    width = min(1.3 + 0.4 * math.log2(max(1, message.blocks)), 4)
    words = f"rank {message.source} to {message.target}, blocks: {message.blocks}"
    source, target = layout.ranks[message.source], layout.ranks[message.target]
    return _arrow(source, target, node, width, words)


def _node_arrows(layout: _Layout, scene: Scene) -> list[str]:
    most = max(1, scene.busiest_nic_blocks)
    return [
        _arrow(
            _towards(layout.centres[node], layout.centres[peer.node], layout.radius),
            _towards(layout.centres[peer.node], layout.centres[node], layout.radius),
            node,
            1 + 3 * peer.blocks / most,
            f"node {node} to {peer.node}, blocks: {peer.blocks}",
        )
        for node, nic in enumerate(scene.nodes)
        for peer in nic.sends
    ]


def _towards(start: Point, end: Point, distance: float) -> Point:
    part = distance / (math.dist(start, end) or 1)
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def _arrow(source: Point, target: Point, node: int, width: float, words: str) -> str:
    """Bent to one side, so that two arrows between the same two ends are apart."""
    (x1, y1), (x2, y2) = source, target
    bend = 0.12
    x = (x1 + x2) / 2 - (y2 - y1) * bend
    y = (y1 + y2) / 2 + (x2 - x1) * bend
    colour = node % len(COLOURS)
    return (
        f'<path class="arrow c{colour}" stroke-width="{width:.1f}" marker-end="url(#h{colour})" '
        f'd="M{x1:.1f} {y1:.1f}Q{x:.1f} {y:.1f} {x2:.1f} {y2:.1f}"><title>{words}</title></path>'
    )


def _matrix(picture: Picture, scene: Scene) -> list[str]:
    """Rows send, columns receive; a darker cell has more blocks."""
    cell = (_PANEL - 40) / picture.nodes
    most = max(1, scene.busiest_nic_blocks)
    size = cell * picture.nodes
    parts = [f'<rect class="node" x="14" y="42" width="{size:.1f}" height="{size:.1f}"/>']
    for node, nic in enumerate(scene.nodes):
        for peer in nic.sends:
            fill = "bad" if len(nic.sends) > 1 else f"f{node % len(COLOURS)}"
            parts.append(
                f'<rect class="{fill}" x="{14 + cell * peer.node:.1f}" y="{42 + cell * node:.1f}" '
                f'width="{cell:.1f}" height="{cell:.1f}" '
                f'fill-opacity="{0.3 + 0.7 * peer.blocks / most:.2f}">'
                f"<title>node {node} to {peer.node}, blocks: {peer.blocks}</title></rect>"
            )
    return parts
