# SPDX-License-Identifier: BSD-3-Clause
"""The report: one HTML file without any outside resource, drawn from results alone."""

from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from suiro.bench.result import Cell, Result
from suiro.bench.table import size_text, time_text, winners
from suiro.report.figures import bandwidth_figure, steps_figure
from suiro.report.verdict import network_sentence, verdict


@dataclass(frozen=True)
class ProgramRun:
    """What an unmodified program said of itself, without and with suiro."""

    command: str
    native_s: float
    suiro_s: float


@dataclass(frozen=True)
class Section:
    """One network: its measurements and, if one was run, the program."""

    result: Result
    program: ProgramRun | None = None
    remarks: list[str] = field(default_factory=list)


def render(title: str, sections: list[Section]) -> str:
    """The whole page."""
    style = files("suiro.report").joinpath("style.css").read_text()
    contents = "".join(
        f'<a href="#s{index}">{escape(_heading(section.result))}</a>'
        for index, section in enumerate(sections)
    )
    body = "".join(_section(index, section) for index, section in enumerate(sections))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>"
        f"<header><h1>{escape(title)}</h1>{_summary(sections)}<nav>{contents}</nav></header>"
        f"{body}{_machine(sections)}</main></body></html>\n"
    )


def _heading(result: Result) -> str:
    return result.machine.lab or "Your network"


def _summary(sections: list[Section]) -> str:
    rows = []
    for section in sections:
        for sentence in verdict(section.result):
            rows.append(f"<li><b>{escape(_heading(section.result))}</b> {escape(sentence)}</li>")
    return f'<ul class="verdict">{"".join(rows)}</ul>'


def _section(index: int, section: Section) -> str:
    result = section.result
    remarks = "".join(f"<p>{escape(text)}</p>" for text in section.remarks)
    parts = [
        f'<section id="s{index}"><h2>{escape(_heading(result))}</h2>',
        f'<p class="lead">{escape(network_sentence(result.machine.model))}{_rate(result)}</p>',
        _program(section.program),
        remarks,
        _figure(bandwidth_figure(result), "All-to-all bandwidth per node. Hollow bars are void."),
        _cells_table(result),
    ]
    if result.steps:
        caption = "Time of each step run alone, relative to steps with one target node."
        parts.append(_figure(steps_figure(result.steps), caption + " Dotted: the model."))
    parts.append(_switch_table(result))
    parts.append(f"<p>Repeat it:</p><pre>{escape(result.command)}</pre></section>")
    return "".join(parts)


def _rate(result: Result) -> str:
    rate = result.machine.rate_bps
    return f" {rate / 1e6:.4g} Mbit/s per port." if rate else ""


def _program(program: ProgramRun | None) -> str:
    if program is None:
        return ""
    ratio = program.native_s / program.suiro_s
    return (
        f'<p class="program"><b>{ratio:.2f}x</b> An unmodified program: '
        f"{time_text(program.native_s)} alone, {time_text(program.suiro_s)} with suiro."
        f"<br><code>{escape(program.command)}</code></p>"
    )


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _table(head: list[str], rows: list[tuple[str, list[str]]]) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = "".join(
        f'<tr class="{kind}">' + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>"
        for kind, row in rows
    )
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _cells_table(result: Result) -> str:
    head = ["bytes", "algorithm", "time", "MB/s", "of line rate", "over native", "over control"]
    best = winners(result.cells)
    rows = []
    for cell in result.cells:
        won = (cell.bytes, cell.algorithm) in best
        kind = "void" if cell.void else "best" if won else ""
        rows.append((kind, _cell_row(cell)))
    reasons = {cell.void_reason for cell in result.cells if cell.void_reason}
    notes = "".join(f'<p class="note">Void: {escape(reason)}.</p>' for reason in sorted(reasons))
    return _table(head, rows) + notes


def _cell_row(cell: Cell) -> list[str]:
    low, high = cell.ci95_s
    return [
        size_text(cell.bytes),
        cell.algorithm + (" (control)" if cell.is_control else ""),
        f"{time_text(cell.median_s)} ({time_text(low)} to {time_text(high)})",
        f"{cell.bandwidth_Bps / 1e6:.3g}",
        _number(cell.line_rate_fraction),
        _number(cell.speedup_over_native),
        _number(cell.speedup_over_control),
    ]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _switch_table(result: Result) -> str:
    """What the switch counted during one call: mean utilisation, and the worst port's blocking."""
    rows = [("", _switch_row(cell)) for cell in result.cells if cell.switch]
    if not rows:
        return ""
    head = ["bytes", "algorithm", "utilisation", "blocked by head of line", "drops", "pauses"]
    return "<h3>What the switch saw, per call</h3>" + _table([*head, "paused"], rows)


def _switch_row(cell: Cell) -> list[str]:
    ports = cell.switch
    return [
        size_text(cell.bytes),
        cell.algorithm,
        f"{sum(port.utilisation for port in ports) / len(ports):.0%}",
        f"{max(port.hol_blocked_s for port in ports) / cell.median_s:.0%} of the time",
        f"{sum(port.drops for port in ports):.0f}",
        f"{sum(port.pauses for port in ports):.0f}",
        time_text(max(port.paused_s for port in ports)),
    ]


def _machine(sections: list[Section]) -> str:
    if not sections:
        return ""
    machine = sections[0].result.machine
    words = [
        f"{machine.cores} cores, {machine.processor}",
        machine.kernel,
        machine.system,
        machine.mpi,
        f"suiro {machine.suiro}",
    ]
    return f"<footer>Measured on {escape('; '.join(words))}.</footer>"
