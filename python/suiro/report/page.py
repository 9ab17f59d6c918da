# SPDX-License-Identifier: BSD-3-Clause
"""The page of `suiro demo`, drawn from results alone."""

from dataclasses import dataclass, field
from html import escape

from suiro.bench.result import Cell, Result
from suiro.bench.table import bandwidth_text, winners
from suiro.quantities import rate_text, size_text, time_text
from suiro.report.figures import bandwidth_figure, overview_figure, steps_figure
from suiro.report.html import document, figure, sentences, table
from suiro.report.verdict import (
    blocked_share,
    conclusion,
    network_sentence,
    title,
    verdict,
)


@dataclass(frozen=True)
class ProgramRun:
    """What an unmodified program said of itself, without and with suiro."""

    command: str
    native_s: float
    suiro_s: float
    algorithms: tuple[str, ...] = ()  # what suiro chose


@dataclass(frozen=True)
class Section:
    """One network: its measurements and, if one was run, the program."""

    result: Result
    program: ProgramRun | None = None
    remarks: list[str] = field(default_factory=list)


def render(heading: str, sections: list[Section]) -> str:
    """The whole page."""
    body = "".join(_section(index, section) for index, section in enumerate(sections))
    return document(heading, _summary(sections), body + _machine(sections))


def _heading(result: Result) -> str:
    return result.machine.lab or "Your network"


def _summary(sections: list[Section]) -> str:
    results = [section.result for section in sections]
    caption = "All-to-all bandwidth per node, with 95 % intervals. Hollow bars are void."
    links = "".join(
        f'<a href="#s{index}">{escape(_heading(result))}</a>'
        for index, result in enumerate(results)
    )
    overview = figure(overview_figure(results), caption)
    return f"{sentences(conclusion(results))}{overview}<nav>{links}</nav>"


def _section(index: int, section: Section) -> str:
    result = section.result
    said = [*verdict(result), *section.remarks]
    parts = [
        f'<section id="s{index}"><h2>{escape(_heading(result))}</h2>',
        f'<p class="lead">{escape(network_sentence(result.machine.model))}{_rate(result)}</p>',
        "".join(f"<p>{escape(text)}</p>" for text in said),
        _program(section.program),
    ]
    if len({cell.bytes for cell in result.cells}) > 1:
        parts.append(figure(bandwidth_figure(result), "Bandwidth per node by bytes per block."))
    parts.append(_cells_table(result))
    if result.steps:
        caption = "Time of each step run alone, relative to steps with one target node."
        parts.append(figure(steps_figure(result.steps), caption + " Dotted: the model."))
    parts.append(_switch_table(result))
    parts.append(f"<p>Repeat it:</p><pre>{escape(result.command)}</pre></section>")
    return "".join(parts)


def _rate(result: Result) -> str:
    rate = result.machine.rate_bps
    return f" {rate_text(rate)} per host." if rate else ""


def _program(program: ProgramRun | None) -> str:
    if program is None:
        return ""
    ratio = program.native_s / program.suiro_s
    return (
        f'<p class="program"><b>{ratio:.2f}x</b> An unmodified program: '
        f"{time_text(program.native_s)} alone, {time_text(program.suiro_s)} with suiro"
        f"{_choice(program)}. It verifies its own result."
        f"<br><code>{escape(program.command)}</code></p>"
    )


def _choice(program: ProgramRun) -> str:
    names = " and ".join(map(title, program.algorithms))
    return f", which chose {escape(names)}" if names else ""


def _cells_table(result: Result) -> str:
    head = ["bytes", "algorithm", "time", "95 %", "MB/s", "of line rate", "over native"]
    head.append("over control")
    best = winners(result.cells)
    rows = []
    for cell in result.cells:
        won = (cell.bytes, cell.algorithm) in best
        kind = "void" if cell.void else "best" if won else ""
        rows.append((kind, _cell_row(cell)))
    reasons = {cell.void_reason for cell in result.cells if cell.void_reason}
    notes = "".join(f'<p class="note">Void: {escape(reason)}.</p>' for reason in sorted(reasons))
    return table(head, rows) + notes


def _cell_row(cell: Cell) -> list[str]:
    low, high = cell.ci95_s
    return [
        size_text(cell.bytes),
        cell.algorithm + (" (control)" if cell.is_control else ""),
        time_text(cell.median_s),
        f"{low / cell.median_s - 1:+.0%} {high / cell.median_s - 1:+.0%}",
        bandwidth_text(cell),
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
    return "<h3>What the switch saw, per call</h3>" + table([*head, "paused"], rows)


def _switch_row(cell: Cell) -> list[str]:
    ports = cell.switch
    return [
        size_text(cell.bytes),
        cell.algorithm,
        f"{sum(port.utilisation for port in ports) / len(ports):.0%}",
        f"{blocked_share(cell):.0%} of the time",
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
