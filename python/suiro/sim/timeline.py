# SPDX-License-Identifier: BSD-3-Clause
"""What happens over time, as an SVG file: a row for each node, its sends above its receives, as
strong as the part of the link that is in use; below a row for each rank, with whom it waits for."""

from html import escape

from suiro.quantities import size_text, time_text
from suiro.sim.estimate import Estimate
from suiro.sim.network import Scene
from suiro.sim.waits import Kind, Span, legible, spans
from suiro.svg import COLOURS, INK, MARGIN, fills, page

_WIDTH = 760
_LEFT = 90
_TOP = 56  # of what is below the title
_ROW = 22
_BINS = 190
_NODES_MAX = 128
_RANK_ROW = 18
_RANKS_MAX = 64
_LINE = 20
_LEAST_WIDTH = 2  # of a bar
_NUMBER_WIDTH = 24  # a wait as wide has room for the number of a rank
_LEGEND_COLUMNS = 4
_SHAPE = (
    ".wait{fill-opacity:.25}.way{fill-opacity:.6}.other{fill-opacity:.12}"
    ".number{font-size:12px;text-anchor:middle}"
)


def drawing(scene: Scene, estimate: Estimate) -> str:
    """The whole file."""
    title = f"{estimate.collective}/{estimate.name}, {size_text(estimate.bytes)}"
    words = (f"{time_text(estimate.seconds)}, predicted for {scene.name}, {scene.ranks} ranks on "
             f"{len(scene.ranks_of_node)} nodes")  # fmt: skip
    links, middle = _links(scene, estimate)
    ranks, bottom = _ranks(scene, estimate, middle + _LINE)
    width = _LEFT + _WIDTH + MARGIN
    return page(
        title, width, bottom, [_text(MARGIN, _TOP + 4, words), *links, *ranks],
        _SHAPE, _colours(0), _colours(1),
    )  # fmt: skip


def _colours(which: int) -> str:
    ink, out, into = INK[which], COLOURS[0][which], COLOURS[1][which]
    return f".out{{fill:{out}}}.in{{fill:{into}}}.work,.other{{fill:{ink}}}{fills(which)}"


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}"{more}>{escape(words)}</text>'


def _axis(y: int, estimate: Estimate) -> list[str]:
    end = time_text(estimate.seconds)
    return [_text(_LEFT, y, "0"), _text(_LEFT + _WIDTH, y, end, ' text-anchor="end"')]


def _links(scene: Scene, estimate: Estimate) -> tuple[list[str], int]:
    """The upper panel, and where it ends."""
    use = _use(scene, estimate)
    words = ("Links: upper half of a row: sent by the node; lower half: received; "
             "as strong as the link is busy")  # fmt: skip
    parts = [_text(MARGIN, _TOP + _LINE + 4, words)]
    nodes = min(len(scene.ranks_of_node), _NODES_MAX)
    top = _TOP + _LINE + 14
    for node in range(nodes):
        parts.append(_text(MARGIN, top + node * _ROW + 15, f"node {node}"))
        for half, kind in enumerate(("out", "in")):
            parts += _bars(use[kind][node], kind, top + node * _ROW + half * _ROW // 2)
    bottom = top + nodes * _ROW + 16
    return [*parts, *_axis(bottom, estimate)], bottom


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
    node_of_rank = scene.node_of_rank
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


def _ranks(scene: Scene, estimate: Estimate, top: int) -> tuple[list[str], int]:
    """The lower panel, and where it ends."""
    shown, remark = _shown(scene, estimate)
    parts, top = _legend(scene, top + _LINE, remark)
    node_of_rank = scene.node_of_rank
    rows = spans(scene, estimate)
    scale = _WIDTH / (estimate.seconds or 1)
    for rank, y in zip(shown, range(top, top + len(shown) * _RANK_ROW, _RANK_ROW), strict=True):
        parts.append(_text(MARGIN, y + 13, f"rank {rank}"))
        for span in legible(rows[rank], _LEAST_WIDTH / scale):
            parts += _bar(span, rank, y, scale, node_of_rank)
    bottom = top + len(shown) * _RANK_ROW + 14
    return [*parts, *_axis(bottom, estimate)], bottom + _LINE


def _shown(scene: Scene, estimate: Estimate) -> tuple[list[int], str]:
    """Which ranks have a row, and what is said of this."""
    if scene.ranks <= _RANKS_MAX:
        return list(range(scene.ranks)), ""
    node_of_rank = scene.node_of_rank
    load = [0.0] * len(scene.ranks_of_node)
    for sender, receiver, size, *_ in estimate.transfers:
        load[node_of_rank[sender]] += size
        load[node_of_rank[receiver]] += size
    nodes = sorted(sorted(range(len(load)), key=lambda node: -load[node])[:2])
    shown: list[int] = []
    each = _RANKS_MAX // len(nodes)
    for node in nodes:
        first = sum(scene.ranks_of_node[:node])
        shown += range(first, first + min(scene.ranks_of_node[node], each))
    names = " and ".join(map(str, nodes))
    words = f"Of {scene.ranks} ranks: at most {each} of each of the busiest nodes, {names}"
    return shown, words


def _legend(scene: Scene, y: int, remark: str) -> tuple[list[str], int]:
    """What is said above the rows, and where these begin."""
    other = "not told: copies, reductions, all inside its node, leave to send, done"
    if scene.network.get("kind") == "shared":
        other += ", TCP's repeats"
    told = (
        "Ranks: in colour, one waits for the rank of that number; pale before this starts a message"
    )
    parts = []
    for words in (told, remark):
        if words:
            parts.append(_text(MARGIN, y, words))
            y += _LINE
    column = (_LEFT + _WIDTH - MARGIN) // _LEGEND_COLUMNS
    parts += _key("work", "starts or takes a message", MARGIN, y)
    parts += _key("other", other, MARGIN + column, y)
    nodes = len(scene.ranks_of_node)
    for number in range(min(nodes, len(COLOURS))):
        if number % _LEGEND_COLUMNS == 0:
            y += _LINE
        more = f", {number + len(COLOURS)} ..." if nodes > number + len(COLOURS) else ""
        x = MARGIN + number % _LEGEND_COLUMNS * column
        parts += _key(f"way f{number}", f"waits for node {number}{more}", x, y)
    return parts, y + 10


def _key(kind: str, words: str, x: int, y: int) -> list[str]:
    square = f'<rect class="{kind}" x="{x}" y="{y - 11}" width="14" height="12"/>'
    return [square, _text(x + 20, y, words)]


def _bar(span: Span, rank: int, y: int, scale: float, node_of_rank: list[int]) -> list[str]:
    told = _told(span, rank)
    if span.kind is not Kind.WAIT or span.peer is None:
        return [_rect(span.kind.value, span.begin_s, span.end_s, y, scale, told)]
    colour = f"f{node_of_rank[span.peer] % len(COLOURS)}"
    started_s = span.begin_s if span.posted_s is None else max(span.begin_s, span.posted_s)
    parts = []
    if started_s > span.begin_s:
        parts.append(_rect(f"wait {colour}", span.begin_s, started_s, y, scale, told))
    parts.append(_rect(f"way {colour}", started_s, span.end_s, y, scale, told))
    if span.took_s * scale >= _NUMBER_WIDTH:
        middle = _LEFT + (span.begin_s + span.end_s) / 2 * scale
        parts.append(_text(middle, y + 12, str(span.peer), ' class="number"'))
    return parts


def _rect(kind: str, begin_s: float, end_s: float, y: int, scale: float, told: str) -> str:
    return (f'<rect class="{kind}" x="{_LEFT + begin_s * scale:.1f}" y="{y}" '
            f'width="{(end_s - begin_s) * scale:.1f}" height="{_RANK_ROW - 3}">'
            f"<title>{told}</title></rect>")  # fmt: skip


def _told(span: Span, rank: int) -> str:
    does = {
        Kind.WORK: f"works on a message with rank {span.peer}",
        Kind.WAIT: f"waits for rank {span.peer}",
        Kind.OTHER: "does what is not told",
    }[span.kind]
    times = f"{time_text(span.begin_s)} to {time_text(span.end_s)}"
    ended = ""
    if span.kind is Kind.WAIT:
        ended = ", for leave to send a long message"
        if span.posted_s is not None:
            ended = f", whose message was started at {time_text(span.posted_s)}"
    return f"rank {rank} {does}, {times}: {time_text(span.took_s)}{ended}"
