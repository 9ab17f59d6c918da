# SPDX-License-Identifier: BSD-3-Clause
"""What pictures that are written as SVG by hand have in common: a page that needs nothing else, and
colours that follow the reader's light or dark setting."""

from html import escape

# Each for light and for dark.
INK = ("#1b1b1b", "#e8e8e8")
COLOURS = (
    ("#0b62a4", "#5ab0ee"),
    ("#b35900", "#f0a04b"),
    ("#2b7a2b", "#6cc56c"),
    ("#8b3fa8", "#cf8fe6"),
    ("#00767a", "#4cc8cc"),
    ("#7a5c00", "#d6b450"),
    ("#5a5a5a", "#b0b0b0"),
    ("#a8326e", "#ee85b5"),
)
MARGIN = 24
_SHAPE = "text{font:13px system-ui,sans-serif}.title{font-size:18px;font-weight:600}"
_LIGHT = f".page{{fill:#fff}}text{{fill:{INK[0]}}}"
_DARK = f".page{{fill:#16181b}}text{{fill:{INK[1]}}}"


def page(
    title: str, width: int, height: int, parts: list[str], shape: str, light: str, dark: str
) -> str:
    """The whole file, with the title above all. `shape`, `light` and `dark` are rules of CSS, with
    each colour twice: not every viewer knows variables."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_SHAPE}{shape}{_LIGHT}{light}"
        f"@media (prefers-color-scheme: dark){{{_DARK}{dark}}}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        f'<text class="title" x="{MARGIN}" y="36">{escape(title)}</text>',
        *parts,
        "</svg>",
        "",
    ])  # fmt: skip


def fills(which: int) -> str:
    """Classes f0, f1 and so on, for light (0) or dark (1)."""
    return "".join(f".f{number}{{fill:{pair[which]}}}" for number, pair in enumerate(COLOURS))
