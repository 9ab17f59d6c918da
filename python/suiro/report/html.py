# SPDX-License-Identifier: BSD-3-Clause
"""Pieces of a page: one HTML file without any outside resource."""

import re
from html import escape
from importlib.resources import files

Line = tuple[str, list[str]]  # "best", "void" or "", and the cells of a table's row
_LEGIBLE_PX = 12


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
    """In a narrow window it stays as wide as its text needs, and scrolls (style.css)."""
    drawing = svg.replace("<svg ", f'<svg style="--legible: {_legible_width_px(svg):.0f}px" ', 1)
    return (
        f'<figure><div class="wide">{drawing}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _legible_width_px(svg: str) -> float:
    """At which its smallest text is large enough; 0 if that is not known."""
    width = re.search(r'viewBox="\S+ \S+ (\S+)', svg)
    sizes = [float(size) for size in re.findall(r"font(?:-size)?: ([\d.]+)px", svg)]
    return float(width[1]) * _LEGIBLE_PX / min(sizes) if width and sizes else 0


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
