# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of what commands print on terminals of some widths: `suiro advise`, but for its last
line, which has a time, and `suiro demo` from a stored result."""

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from suiro.demo.result import Demo
from suiro.demo.table import print_demo

_DEMO = Path(__file__).parent / "results" / "demo.json"
# Each is told in full within its time, so that all machines make the same picture.
_ADVISE = "suiro advise --nodes 8 --ppn 8 --rate 10G --mpi openmpi-4.1 --within 60s"
_SHOWN = {f"advise-{columns}.svg": (_ADVISE, columns) for columns in (80, 160)}
_LAST_LINE = "nothing was measured for this"
_SUIRO = [sys.executable, "-c", "from suiro.cli.main import main; main()"]
_TERMINAL = {
    "FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
    "SUIRO_NO_STORE": "1",
}  # fmt: skip


def pictures() -> dict[str, str]:
    """SVG by file name, for docs/figures."""
    advice = {name: _advice(*shown) for name, shown in _SHOWN.items()}
    return advice | {f"demo-{columns}.svg": _demo(columns) for columns in (80, 160)}


def _demo(columns: int) -> str:
    said = io.StringIO()
    console = Console(file=said, width=columns, force_terminal=True, color_system="truecolor")
    print_demo(Demo.model_validate_json(_DEMO.read_text()), console)
    return _drawn(said.getvalue(), columns, "suiro demo")


def _drawn(said: str, columns: int, title: str) -> str:
    """Lines that are too long go on in the next, as terminals have them."""
    console = Console(record=True, width=columns, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi(said), overflow="fold")
    return console.export_svg(title=title)


def _advice(command: str, columns: int) -> str:
    said = subprocess.run(
        [*_SUIRO, *shlex.split(command)[1:]],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **_TERMINAL, "COLUMNS": str(columns)},
    ).stdout
    return _drawn(said[: said.index(_LAST_LINE)], columns, command)
