# SPDX-License-Identifier: BSD-3-Clause
"""What every node's link carries over time, as an SVG file: a row for each node, its sends above
its receives, as dark as the part of the link that is in use."""

from html import escape

from suiro.quantities import size_text, time_text
from suiro.sim.estimate import Estimate
from suiro.sim.network import Scene

_WIDTH = 760
_LEFT = 70
_ROW = 22
_BINS = 190
_ROWS_MAX = 128


def drawing(scene: Scene, estimate: Estimate) -> str:
    """The whole file."""
    nodes = min(len(scene.ranks_of_node), _ROWS_MAX)
    use = _use(scene, estimate)
    height = 70 + nodes * _ROW + 40
    title = (f"{estimate.collective}/{estimate.name}, {size_text(estimate.bytes)}, "
             f"{scene.name}: {time_text(estimate.seconds)}")  # fmt: skip
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH + _LEFT + 20} {height}" '
        f'width="{_WIDTH + _LEFT + 20}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        "<style>text{font:13px system-ui,sans-serif}.page{fill:#fff}.out{fill:#0b62a4}"
        ".in{fill:#b35900}text{fill:#1b1b1b}@media (prefers-color-scheme:dark){.page{fill:#14171a}"
        "text{fill:#e4e4e4}.out{fill:#5ab0ee}.in{fill:#f0a04b}}</style>",
        f'<rect class="page" width="{_WIDTH + _LEFT + 20}" height="{height}"/>',
        f'<text x="12" y="24">{escape(title)}</text>',
        '<text x="12" y="44">upper half of a row: sent by the node; lower half: received; '
        "as dark as the link is busy</text>",
    ]
    for node in range(nodes):
        top = 60 + node * _ROW
        parts.append(f'<text x="12" y="{top + 14}">node {node}</text>')
        for half, kind in enumerate(("out", "in")):
            parts += _bars(use[kind][node], kind, top + half * _ROW // 2)
    bottom = 60 + nodes * _ROW + 18
    parts.append(f'<text x="{_LEFT}" y="{bottom}">0</text>')
    parts.append(f'<text x="{_LEFT + _WIDTH}" y="{bottom}" text-anchor="end">'
                 f"{time_text(estimate.seconds)}</text>")  # fmt: skip
    return "\n".join([*parts, "</svg>", ""])


def _bars(row: list[float], kind: str, top: int) -> list[str]:
    width = _WIDTH / _BINS
    return [
        f'<rect class="{kind}" x="{_LEFT + index * width:.1f}" y="{top}" width="{width:.1f}" '
        f'height="{_ROW // 2 - 1}" fill-opacity="{share:.2f}"/>'
        for index, share in enumerate(row)
        if share >= 0.02
    ]


def _use(scene: Scene, estimate: Estimate) -> dict[str, list[list[float]]]:
    """By direction and node, the part of the link in use in each bin of time. The bytes of a
    transfer are spread evenly from its begin to its end."""
    node_of_rank = [node for node, ranks in enumerate(scene.ranks_of_node) for _ in range(ranks)]
    bin_s = estimate.seconds / _BINS
    link_Bps = scene.link_Bps
    assert isinstance(link_Bps, int | float)
    use = {kind: [[0.0] * _BINS for _ in scene.ranks_of_node] for kind in ("out", "in")}
    for sender, receiver, size, _, begin, end in estimate.transfers:
        if end <= begin:
            continue
        rate = size / (end - begin) / link_Bps
        for index in range(int(begin / bin_s), min(_BINS, int(end / bin_s) + 1)):
            part = min(end, (index + 1) * bin_s) - max(begin, index * bin_s)
            share = rate * max(0.0, part) / bin_s
            for kind, rank in (("out", sender), ("in", receiver)):
                row = use[kind][node_of_rank[rank]]
                row[index] = min(1.0, row[index] + share)
    return use
