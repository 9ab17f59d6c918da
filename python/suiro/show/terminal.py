# SPDX-License-Identifier: BSD-3-Clause
"""A schedule on a terminal: a row for each round, a column for each node, or for each rank of one
node; and for a single round the matrix of nodes too."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from suiro.show.picture import Message, Nic, Peer, Picture, Scene

_COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "bright_red", "bright_cyan", "white")
_CROWDED = "bold red"
_BAR_CELLS_MAX = 12
_MESSAGES_MAX = 128
_ALIKE_MIN = 3  # so many rounds get one row


@dataclass(frozen=True)
class _Row:
    """Of a round, or of some in succession that look alike."""

    first: Scene
    last: Scene
    cells: Sequence[Text]
    load: Text

    @property
    def rounds(self) -> str:
        fence = "=" if self.first.fence else ""
        more = "" if self.first is self.last else f"-{self.last.round}"
        return f"{fence}{self.first.round}{more}"


def draw(picture: Picture, node: int | None, console: Console, rows_max: int | None = None) -> None:
    """Prints the picture; of all nodes, or of the ranks of one. At most so many rows."""
    console.print(picture.title, style="bold", highlight=False)
    for line in picture.summary():
        console.print(line, highlight=False, markup=False)
    console.print()
    if not picture.shown:
        console.print(f"The schedule has no such rounds; it has 0 to {picture.rounds - 1}.")
        return
    rows = _node_rows(picture) if node is None else _rank_rows(picture, node)
    rows = _merged(rows)[:rows_max]
    places = range(picture.nodes) if node is None else picture.ranks_of(node)
    what = "node" if node is None else "rank"
    _draw_table(rows, [f"{what} {place}" for place in places], console)
    if node is None and any(scene.crowded_nodes for scene in picture.shown):
        console.print("! two peers at once: packets for one may wait behind packets for the other")
    if len(picture.shown) == 1 and node is None and picture.nodes > 1:
        _draw_matrix(picture.shown[0], console)
    _draw_rest(picture, rows[-1].last.round, console)


def _node_rows(picture: Picture) -> list[_Row]:
    most = max(scene.busiest_nic_blocks for scene in picture.shown)
    return [
        _Row(scene, scene, _node_cells(picture, scene), _bar(scene.busiest_nic_blocks, most))
        for scene in picture.shown
    ]


def _rank_rows(picture: Picture, node: int) -> list[_Row]:
    ranks = picture.ranks_of(node)
    return [
        _Row(
            scene,
            scene,
            [_rank_cell(scene.messages, rank) for rank in ranks],
            _nic_load(scene.nodes[node]),
        )
        for scene in picture.shown
    ]


def _merged(rows: Sequence[_Row]) -> list[_Row]:
    """Rounds in succession that look alike, in one row where they are many."""
    merged: list[_Row] = []
    looks = [(row.first.fence, row.load, *row.cells) for row in rows]
    for _, group in groupby(range(len(rows)), key=lambda index: looks[index]):
        alike = [rows[index] for index in group]
        if len(alike) >= _ALIKE_MIN:
            alike = [replace(alike[0], last=alike[-1].last)]
        merged += alike
    return merged


def _draw_table(rows: Sequence[_Row], headings: Sequence[str], console: Console) -> None:
    """As many columns as fit, and lines that say how to see the others, and what signs mean."""
    load_heading = "NIC" if headings[0].startswith("rank") else "busiest NIC"
    load_width = max(len(load_heading), *(row.load.cell_len for row in rows))
    width = max(len(headings[-1]), *(cell.cell_len for row in rows for cell in row.cells))
    round_width = max(len("round"), *(len(row.rounds) for row in rows))
    room = max(1, (console.width - round_width - load_width - 2) // (width + 2))
    shown = min(room, len(headings))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("round", justify="right", no_wrap=True)
    for heading in headings[:shown]:
        table.add_column(heading, min_width=min(width, console.width // 2), no_wrap=True)
    table.add_column(load_heading, no_wrap=True)
    for row in rows:
        table.add_row(row.rounds, *row.cells[:shown], row.load)
    console.print(table)
    alike = [row for row in rows if row.first is not row.last]
    if alike:
        one = f"rounds {alike[0].first.round} to {alike[0].last.round}: alike"
        several = "A-B: rounds A to B are alike"
        console.print(one if len(alike) == 1 else several, style="dim", highlight=False)
    if any(row.first.fence for row in rows):
        console.print("= the round starts when all rounds before it are complete", style="dim")
    if shown < len(headings):
        what = headings[0].split()[0]
        console.print(f"{shown} of {len(headings)} {what}s fit; widen the terminal, or use --svg")


def _node_cells(picture: Picture, scene: Scene) -> list[Text]:
    inside = {picture.node_of_rank[message.source] for message in scene.messages}
    return [_node_cell(nic, node in inside) for node, nic in enumerate(scene.nodes)]


def _node_cell(nic: Nic, inside: bool) -> Text:
    """`inside`: the node's ranks send to each other, or to other nodes."""
    if not nic.sends and not nic.receives:
        return Text("inside" if inside else "·", style="dim")
    text = _arrow("→", nic.sends)
    if len(nic.sends) < 2 and (len(nic.receives) > 1 or not nic.sends):
        text = Text(" ").join(part for part in (text, _arrow("←", nic.receives)) if part)
    if nic.crowded:
        text = Text(f"{text.plain} !", style=_CROWDED)
    return text


def _arrow(sign: str, peers: Sequence[Peer]) -> Text:
    if not peers:
        return Text("")
    blocks = sum(peer.blocks for peer in peers)
    if len(peers) > 2:
        return Text(f"{sign}{len(peers)} nodes x{blocks}")
    names = ",".join(str(peer.node) for peer in peers)
    return Text(f"{sign}{names} x{blocks}", style=_COLOURS[peers[0].node % len(_COLOURS)])


def _rank_cell(messages: Sequence[Message], rank: int) -> Text:
    sends = [message for message in messages if message.source == rank]
    receives = [message for message in messages if message.target == rank]
    parts = [
        _names("→", sends, lambda message: message.target),
        _names("←", receives, lambda message: message.source),
    ]
    return Text(" ".join(filter(None, parts)) or "·", style="" if any(parts) else "dim")


def _names(sign: str, messages: Sequence[Message], peer: Callable[[Message], int]) -> str:
    if not messages:
        return ""
    blocks = sum(message.blocks for message in messages)
    amount = "" if blocks == len(messages) else f" x{blocks}"
    if len(messages) > 3:
        return f"{sign}{len(messages)} ranks{amount}"
    return sign + ",".join(str(peer(message)) for message in messages) + amount


def _nic_load(nic: Nic) -> Text:
    out, into = sum(p.blocks for p in nic.sends), sum(p.blocks for p in nic.receives)
    if not nic.sends and not nic.receives:
        return Text("·", style="dim")
    text = f"→{_nodes(nic.sends)} x{out}  ←{_nodes(nic.receives)} x{into}"
    return Text(f"{text} !" if nic.crowded else text, style=_CROWDED if nic.crowded else "")


def _nodes(peers: Sequence[Peer]) -> str:
    if len(peers) > 4:
        return f"{len(peers)} nodes"
    return "node " + (",".join(str(peer.node) for peer in peers) or "-")


def _bar(blocks: int, most: int) -> Text:
    if blocks == 0:
        return Text("·", style="dim")
    cells = blocks if most <= _BAR_CELLS_MAX else max(1, blocks * _BAR_CELLS_MAX // most)
    return Text("█" * cells, style="cyan").append(f" {blocks}", style="default")


def _draw_matrix(scene: Scene, console: Console) -> None:
    """Blocks from node to node, with what each NIC carries at the margins."""
    nodes = len(scene.nodes)
    console.print(
        f"\nblocks in round {scene.round}, from node (row) to node (column)", style="bold"
    )
    width = max(len(str(nodes)), len(str(scene.busiest_nic_blocks)), 2)
    room = min(nodes, (console.width - len("receives") - len("sends") - 4) // (width + 2))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", justify="right", no_wrap=True)
    for node in range(room):
        table.add_column(str(node), justify="right", min_width=width, no_wrap=True)
    table.add_column("sends", justify="right", no_wrap=True)
    for node, nic in enumerate(scene.nodes):
        blocks = {peer.node: str(peer.blocks) for peer in nic.sends}
        cells = [Text(blocks.get(other, "·"), "" if other in blocks else "dim")
                 for other in range(room)]  # fmt: skip
        sum_style = _CROWDED if len(nic.sends) > 1 else "bold"
        table.add_row(str(node), *cells, Text(str(sum(p.blocks for p in nic.sends)), sum_style))
    received = [sum(peer.blocks for peer in nic.receives) for nic in scene.nodes[:room]]
    styles = [_CROWDED if len(nic.receives) > 1 else "bold" for nic in scene.nodes[:room]]
    sums = [Text(str(blocks), style) for blocks, style in zip(received, styles, strict=True)]
    table.add_row("receives", *sums, "")
    console.print(table)
    if len(scene.messages) > _MESSAGES_MAX:
        console.print(f"\n{len(scene.messages)} messages; --json lists them")
        return
    pairs = [f"{message.source}→{message.target}" for message in scene.messages]
    console.print(f"\nranks: {' '.join(pairs)}", highlight=False)


def _draw_rest(picture: Picture, last: int, console: Console) -> None:
    if last + 1 < picture.rounds:
        end = min(picture.rounds - 1, last + max(len(picture.shown), 1))
        more = str(end) if end == last + 1 else f"{last + 1}-{end}"
        console.print(f"There are rounds to {picture.rounds - 1}: --rounds {more}")
