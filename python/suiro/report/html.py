# SPDX-License-Identifier: BSD-3-Clause
"""Pieces of a page: one HTML file without any outside resource."""

from html import escape
from importlib.resources import files

Line = tuple[str, list[str]]  # "best", "void" or "", and the cells of a table's row


def document(heading: str, header: str, body: str) -> str:
    """The whole file; `header` comes below the heading."""
    style = files("suiro.report").joinpath("style.css").read_text()
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(heading)}</title><style>{style}</style></head><body><main>"
        f"<header><h1>{escape(heading)}</h1>{header}</header>"
        f"{body}</main></body></html>\n"
    )


def sentences(rows: list[str]) -> str:
    """What the page says in short."""
    items = "".join(f"<li>{escape(row)}</li>" for row in rows)
    return f'<ul class="verdict">{items}</ul>'


def figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def table(head: list[str], rows: list[Line]) -> str:
    """The second column is of names."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = "".join(
        f'<tr class="{kind}">' + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>"
        for kind, row in rows
    )
    return (
        f'<div class="wide"><table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>'
        "</div>"
    )
