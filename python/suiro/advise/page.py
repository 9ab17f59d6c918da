# SPDX-License-Identifier: BSD-3-Clause
"""The answer as a page that needs no network: a heat map for each kind of switch."""

from collections.abc import Sequence
from html import escape

from suiro.advise import table as words
from suiro.advise.answer import NATIVE, Answer, Cell, On
from suiro.advise.program import Program, program_lines
from suiro.advise.unknown import Unknown
from suiro.quantities import size_text, time_text
from suiro.report.heat_maps import Field, Line, heat_map
from suiro.report.html import document, figure, sentences, table

_Network = tuple[str, float]
_CAPTION = (
    "Times as fast as the MPI's own. = the MPI's own runs. An open field, in brackets: it may be "
    "otherwise. No field: not known."
)


def render(
    answer: Answer, unknown: Sequence[Unknown], program: Program | None, command: str
) -> str:
    """The whole file."""
    touched = [] if program is None else program_lines(program, answer)
    parts = [f"<p>Not known: {escape(one.said)}:</p><pre>{escape(one.command)}</pre>"
             for one in unknown]  # fmt: skip
    for network, fields in _maps(answer).items():
        parts.append(f"<h2>{escape(_title(network))}</h2>")
        parts.append(figure(fields, _CAPTION))
    parts.append(_cells_table(answer))
    doubts = words.doubt_lines(answer)
    parts.append("".join(f'<p class="note">{escape(line)}</p>' for line in doubts))
    parts.append(f"<p>Repeat it:</p><pre>{escape(command)}</pre>")
    parts.append(f"<footer>{escape(words.origin(answer))}.</footer>")
    return document(
        "What suiro would do here", sentences([words.headline(answer), *touched]), "".join(parts)
    )


def _title(network: _Network) -> str:
    kind, link_Bps = network
    return f"Switch: {kind}, {8e-9 * link_Bps:.3g} Gbit/s"


def _network(on: On) -> _Network:
    return on.kind, on.link_Bps


def _maps(answer: Answer) -> dict[_Network, str]:
    networks = dict.fromkeys(_network(on) for cell in answer.cells for on in cell.on)
    sizes = sorted({one.choice.bytes for one in answer.cells if one.choice.bytes})
    columns = list(map(size_text, sizes))
    return {network: heat_map(_lines(answer, network, sizes), columns) for network in networks}


def _lines(answer: Answer, network: _Network, sizes: list[int]) -> list[Line]:
    lines = []
    for name in sorted({one.collective for one in answer.cells}):
        cells = answer.of(name)
        fields = {}
        for column, size in enumerate(sizes):
            field = _field(cells.get(0 if 0 in cells and column == 0 else size), network)
            if field is not None:
                fields[column] = field
        lines.append(Line(f"{name} (no data)" if 0 in cells else name, fields))
    return lines


def _field(cell: Cell | None, network: _Network) -> Field | None:
    if cell is None:
        return None
    if cell.is_native:
        return Field(1.0, not cell.doubt, NATIVE)
    gains = [on.gain for on in cell.on if _network(on) == network and on.gain is not None]
    gain = cell.measured_gain or (min(gains) if gains else None)
    return None if gain is None else Field(gain, not cell.doubt, cell.choice.algorithm)


def _cells_table(answer: Answer) -> str:
    """Each answer with its reason."""
    rows = []
    for cell in sorted(answer.cells, key=lambda one: (one.collective, one.choice.bytes)):
        native = sorted({time_text(on.native_s) for on in cell.on if on.native_s})
        rows.append(("", [size_text(cell.choice.bytes), cell.collective, cell.choice.algorithm,
                          words.number(cell), " to ".join(native[:1] + native[1:][-1:]) or "-",
                          cell.choice.reason]))  # fmt: skip
    head = ["bytes", "collective", "what would run", "times as fast", "native", "why"]
    return "<h2>Each answer</h2>" + table(head, rows)
