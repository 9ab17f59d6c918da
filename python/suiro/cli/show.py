# SPDX-License-Identifier: BSD-3-Clause
"""`suiro show`: a picture of a schedule."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

_ROUNDS_DEFAULT = 32
_LOOKED_AT = 512  # rounds, for those that are alike


def show(
    what: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM|FILE",
            help="A catalog name, also with parameters (alltoall/linear_capped:cap=4), or the "
            "file of a schedule in the printed form.",
        ),
    ],
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="How many nodes there are.")
    ] = None,
    ppn: Annotated[int | None, typer.Option(metavar="P", help="How many ranks on each.")] = None,
    shape: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The number of ranks of each node.")
    ] = None,
    order: Annotated[
        str | None, typer.Option(metavar="block|round_robin", help="How ranks lie on nodes.")
    ] = None,
    root: Annotated[
        int | None, typer.Option(metavar="RANK", help="The root of a collective that has one.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option("--bytes", metavar="SIZE", help="Of the message, where it is cut: 64K."),
    ] = None,
    rounds: Annotated[
        str | None,
        typer.Option(metavar="FIRST-LAST", help="Only these, or a single one [default: 32]."),
    ] = None,
    node: Annotated[
        int | None, typer.Option(metavar="NODE", help="Show the ranks of this node.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a drawing for browsers instead.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Draw who talks to whom in an algorithm, round by round.

    For example:  suiro show alltoall/two_level_ring --nodes 4 --ppn 4
    Or:  suiro show bcast/pipeline --nodes 4 --ppn 2 --root 3 --bytes 64K

    An arrow says to which node a node sends, and how many blocks, or pieces of a message. Rounds
    in which a node has two peers at once are marked: there, packets wait in the switch behind
    packets for another node.
    """
    from suiro.bench.plan import parse_size

    _check(node, svg, json)
    given = {"--nodes": nodes, "--ppn": ppn, "--shape": shape, "--order": order, "--root": root,
             "--bytes": None if size is None else parse_size(size)}  # fmt: skip
    count = _ROUNDS_DEFAULT if json or svg is not None else _LOOKED_AT
    document = _picture(what, rounds or f"0-{count - 1}", given)
    if json:
        _print_json(document)
    else:
        _draw(document, node, svg, None if rounds else _ROUNDS_DEFAULT)


def _check(node: int | None, svg: Path | None, json: bool) -> None:
    from suiro.errors import UsageError
    from suiro.output import check_place

    if (node is not None) + (svg is not None) + json > 1:
        raise UsageError("--node, --svg and --json exclude each other")
    if svg is not None:
        check_place(svg, "--svg")


def _print_json(document: object) -> None:
    import json

    typer.echo(json.dumps(document, indent=2))


def _picture(what: str, rounds: str, given: Mapping[str, object]) -> object:
    from suiro import native_json

    arguments = ["show", "--json", "--rounds", rounds, what]
    for name, value in given.items():
        arguments += [] if value is None else [name, str(value)]
    return native_json.call("suiro-schedule", arguments, "reading the schedule").document


def _draw(document: object, node: int | None, svg: Path | None, rows_max: int | None) -> None:
    from suiro.errors import UsageError
    from suiro.output import console, write_file
    from suiro.show.picture import Picture
    from suiro.show.svg import drawing
    from suiro.show.terminal import draw

    picture = Picture.model_validate(document)
    if node is not None and not 0 <= node < picture.nodes:
        raise UsageError(f"--node {node}: the nodes are 0 to {picture.nodes - 1}")
    if svg is None:
        draw(picture, node, console(80), rows_max)
        return
    write_file(svg, drawing(picture), "--svg")
