# SPDX-License-Identifier: BSD-3-Clause
"""The page of `suiro report`: what was measured, in one HTML file without any outside resource."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

from suiro import __version__
from suiro.bench.result import Result
from suiro.quantities import rate_text, time_text
from suiro.report import curves, heat_maps, html, words
from suiro.report.evidence import NATIVE, Group, Row, Setting, spent_s
from suiro.report.predicted import agreement
from suiro.report.sources import LeftOut
from suiro.report.tuning import times_figure

_CURVE_SIZES_MIN = 3  # with fewer, a map says it all


# What it shows, such as "gain", and of what: a setting, a collective, a program, or all.
Subject = tuple[str, Setting | str]


@dataclass(frozen=True)
class Picture:
    """With what stands below it."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Origin:
    """Where and when something was measured, and how to repeat it."""

    said: str
    command: str


def origin_of(result: Result) -> Origin:
    """Of a bench."""
    machine = result.machine
    rate = f"{rate_text(machine.rate_bps)} per host" if machine.rate_bps else ""
    network = f"lab {machine.lab} ({machine.model})" if machine.lab else ""
    words_of_it = [
        result.measured_at, f"{machine.cores} cores, {machine.processor}", machine.kernel,
        machine.system, machine.mpi, f"suiro {machine.suiro}", network, rate,
    ]  # fmt: skip
    return Origin("; ".join(filter(None, words_of_it)), result.command)


@dataclass
class Report:
    """All that is told."""

    groups: list[Group]
    left_out: list[LeftOut]
    remarks: list[str] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    command: str = "suiro report"

    @property
    def measured(self) -> list[Group]:
        return [group for group in self.groups if group.setting.source != "trace"]

    @property
    def traced(self) -> list[Group]:
        return [group for group in self.groups if group.setting.source == "trace"]

    @property
    def of_collective(self) -> list[tuple[str, list[Group]]]:
        ordered = sorted(self.measured, key=lambda group: group.setting.collective)
        by_name = groupby(ordered, key=lambda group: group.setting.collective)
        return [(name, list(groups)) for name, groups in by_name]

    @property
    def of_program(self) -> list[tuple[str, list[Group]]]:
        by_place = groupby(self.traced, key=lambda group: group.setting.place)
        return [(place, list(groups)) for place, groups in by_place]


def pictures(report: Report) -> dict[Subject, Picture]:
    """In the order of the page."""
    made: dict[Subject, Picture] = {}
    with_gains = {
        name: groups for name, groups in report.of_collective if any(heat_maps.gain_lines(groups))
    }
    if len(with_gains) > 1:
        caption = "Times as fast as the MPI's own choice, the geometric mean over sizes."
        made["overview", ""] = Picture(heat_maps.overview_map(with_gains), caption)
    for _, groups in report.of_collective:
        made |= _of_collective(groups)
    predicted = [group for group in report.measured if agreement(group)]
    if predicted:
        caption = "Predicted against measured; dotted: twice and half as long."
        made["predicted", ""] = Picture(curves.predicted_figure(predicted), caption)
    caption = "Where the time went: the kinds of call that took most of it."
    for place, groups in report.of_program:
        if any(map(spent_s, groups)):
            made["spent", place] = Picture(curves.spent_figure(groups), caption)
    return made


def file_names(drawn: dict[Subject, Picture]) -> dict[str, Picture]:
    """Pictures by names of files, which say what they show, and never name another folder."""
    named: dict[str, Picture] = {}
    for (kind, subject), picture in drawn.items():
        said = _slug(subject) if isinstance(subject, Setting) else _plain(subject)
        name = begin = f"{kind}-{said}".rstrip("-")
        number = 1
        while name in named:
            number += 1
            name = f"{begin}-{number}"
        named[name] = picture
    return {f"{name}.svg": picture for name, picture in named.items()}


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "-", text)


def _slug(setting: Setting) -> str:
    parts = [setting.collective, setting.place, setting.mpi, setting.source]
    parts += ["own"] if setting.family == "native" else []
    return _plain("-".join(filter(None, parts)))


def _of_collective(groups: list[Group]) -> dict[Subject, Picture]:
    collective = groups[0].setting.collective
    made: dict[Subject, Picture] = {}
    lines = heat_maps.gain_lines(groups)
    if lines:
        caption = (
            f"{collective}: times as fast as the MPI's own choice, by bytes. =: that stays. In "
            "brackets: may be chance."
        )
        made["gain", collective] = Picture(heat_maps.gain_map(groups), caption)
    if any(len(line.fields) > 1 for line in lines):
        caption = f"{collective}: the same gains with their 95 % intervals."
        made["interval", collective] = Picture(curves.interval_figure(groups), caption)
    for group in groups:
        made |= _of_group(group)
    return made


def _of_group(group: Group) -> dict[Subject, Picture]:
    made: dict[Subject, Picture] = {}
    counted = [row for row in group.rows if row.void_reason is None]
    if len({row.bytes for row in counted}) >= _CURVE_SIZES_MIN:
        caption = "Time by bytes; of an algorithm with parameters, of the best of them."
        made["time", group.setting] = Picture(_times(group), caption)
    if len({row.algorithm for row in counted if row.gain is not None}) > 1:
        caption = (
            "Each algorithm: times as fast as the MPI's own choice. In brackets: may be chance."
        )
        made["algorithms", group.setting] = Picture(heat_maps.algorithm_map(group), caption)
    return made


def _times(group: Group) -> str:
    points = [
        (row.algorithm, row.bytes, row.median_s)
        for row in group.rows
        if row.bytes is not None and row.void_reason is None
    ]
    rows = ((one.bytes, group.row(one.bytes, one.algorithm)) for one in group.choices)
    chosen = {size: row.median_s for size, row in rows if row is not None}
    return times_figure(points, NATIVE, chosen)


def render(report: Report, drawn: dict[Subject, Picture]) -> str:
    """The whole page."""
    said = words.summary(report.measured)
    said += [words.trace_sentence(groups) for _, groups in report.of_program]
    links = [(name, f"c-{_plain(name)}") for name, _ in report.of_collective]
    links += [("the model", "model")] if ("predicted", "") in drawn else []
    links += [("how sure", "sure")] if report.measured else []
    links += [("programs", "programs")] if report.traced else []
    links += [("left out", "left-out")] if report.left_out else []
    navigation = "".join(f'<a href="#{target}">{escape(name)}</a>' for name, target in links)
    body = "".join(_collective(name, groups, drawn) for name, groups in report.of_collective)
    body += _model(report, drawn) + _sure(report) + _programs(report, drawn)
    body += _left_out(report) + _origins(report)
    footer = f"<footer>Drawn by suiro {__version__}: {escape(report.command)}</footer>"
    header = f"{html.sentences(said)}{_figure(drawn, ('overview', ''))}<nav>{navigation}</nav>"
    return html.document("What was measured", header, body + footer)


def _collective(name: str, groups: list[Group], drawn: dict[Subject, Picture]) -> str:
    parts = [f'<section id="c-{_plain(name)}"><h2>{escape(name)}</h2>']
    parts += [_figure(drawn, (kind, name)) for kind in ("gain", "interval")]
    for group in groups:
        setting = group.setting
        parts.append(f"<h3>{escape(setting.where)}</h3>")
        root = f" Root: rank {setting.root}." if setting.root is not None else ""
        parts.append(f'<p class="lead">{escape(setting.how)}.{root}</p>')
        said = (words.crossover_sentence(group), words.agreement_sentence(group))
        parts += [f"<p>{escape(sentence)}</p>" for sentence in said if sentence]
        parts += [_figure(drawn, (kind, setting)) for kind in ("time", "algorithms")]
        parts.append(_rows_table(group))
    return "".join(parts) + "</section>"


def _figure(drawn: dict[Subject, Picture], subject: Subject) -> str:
    picture = drawn.get(subject)
    return html.figure(picture.svg, picture.caption) if picture else ""


def _rows_table(group: Group) -> str:
    head = ["bytes", "algorithm", "time", "95 %", "calls", "x native", "95 %", "predicted"]
    chosen = {(choice.bytes, choice.algorithm) for choice in group.choices}
    lines = []
    for row in group.rows:
        best = "best" if (row.bytes, row.algorithm) in chosen else ""
        lines.append(("void" if row.void_reason else best, _cells(row)))
    reasons = sorted({row.void_reason for row in group.rows if row.void_reason})
    notes = "".join(f'<p class="note">Void: {escape(reason)}.</p>' for reason in reasons)
    summary = f"<summary>All {len(group.rows)} times</summary>"
    return f"<details>{summary}{html.table(head, lines)}</details>{notes}"


def _cells(row: Row) -> list[str]:
    return [
        curves.bytes_text(row),
        words.algorithm_text(row),
        time_text(row.median_s),
        "-" if row.ci95_s is None else " ".join(f"{s / row.median_s - 1:+.0%}" for s in row.ci95_s),
        str(row.calls),
        "-" if row.gain is None else f"{row.gain:.2f}",
        "-" if row.gain_ci95 is None else " to ".join(f"{one:.2f}" for one in row.gain_ci95),
        "-" if row.predicted_s is None else time_text(row.predicted_s),
    ]


def _model(report: Report, drawn: dict[Subject, Picture]) -> str:
    if ("predicted", "") not in drawn:
        return ""
    lines: list[html.Line] = []
    for group in report.measured:
        found = agreement(group)
        if found is not None:
            among = f"{found.found} of {found.sizes}" if found.sizes else "-"
            place = f"{group.setting.where}; {group.setting.how}"
            cells = [group.setting.collective, place, f"{found.median_error:.0%}"]
            lines.append(("", [*cells, str(found.rows), among]))
    head = ["collective", "where", "median error", "of times", "fastest among its first three"]
    intro = "Nothing in the model is fitted to these measurements."
    table = html.table(head, lines)
    return (
        f'<section id="model"><h2>Predicted against measured</h2><p class="lead">{intro}</p>'
        f"{_figure(drawn, ('predicted', ''))}{table}</section>"
    )


def _sure(report: Report) -> str:
    """How many samples stand behind it, and how wide the intervals are."""
    if not report.measured:
        return ""
    lines: list[html.Line] = [("", _sure_cells(group)) for group in report.measured]
    head = ["collective", "where", "sizes", "times", "calls", "fewest", "interval", "decided"]
    intro = (
        "Fewest: the fewest calls behind a time. Interval: half of the 95 % interval's width over "
        "the time, in the median. Decided: of ratios to the MPI's own choice, those whose interval "
        "leaves 1 out. Below 4 KiB, where ranks share cores, how these are given away decides as "
        "much as the algorithm."
    )
    return (
        f'<section id="sure"><h2>How sure it is</h2><p class="lead">{intro}</p>'
        f"{html.table(head, lines)}</section>"
    )


def _sure_cells(group: Group) -> list[str]:
    counted = [row for row in group.rows if row.void_reason is None]
    widths = sorted(
        (row.ci95_s[1] - row.ci95_s[0]) / 2 / row.median_s for row in counted if row.ci95_s
    )
    ratios = [row for row in counted if row.gain is not None]
    return [
        group.setting.collective,
        f"{group.setting.where}; {group.setting.how}",
        str(len(group.sizes)),
        str(len(counted)),
        str(sum(row.calls for row in counted)),
        str(min((row.calls for row in counted), default=0)),
        f"±{widths[len(widths) // 2]:.0%}" if widths else "-",
        f"{sum(row.decided for row in ratios)} of {len(ratios)}",
    ]


def _programs(report: Report, drawn: dict[Subject, Picture]) -> str:
    if not report.traced:
        return ""
    parts = ['<section id="programs"><h2>What programs called</h2>']
    for place, groups in report.of_program:
        lines: list[html.Line] = [
            ("", _call_cells(group, row, report.measured)) for group in groups for row in group.rows
        ]
        head = ["collective", "algorithm", "ranks", "bytes", "calls", "a call", "spent", "known"]
        parts.append(f"<h3>{escape(place)}</h3>{_figure(drawn, ('spent', place))}")
        parts.append(html.table(head, lines))
    note = "Spent: by each rank, in all. Known: from measurements with as many ranks, on this page."
    return "".join(parts) + f'<p class="note">{note}</p></section>'


def _call_cells(group: Group, row: Row, measured: Sequence[Group]) -> list[str]:
    setting = group.setting
    spent = row.spent_s or 0
    share = spent / spent_s(group) if spent else 0
    return [
        setting.collective,
        row.algorithm,
        str(setting.ranks),
        curves.bytes_text(row),
        str(row.calls),
        time_text(row.median_s),
        f"{time_text(spent)} ({share:.0%})",
        words.hint(row, setting.ranks, setting.collective, measured),
    ]


def _left_out(report: Report) -> str:
    said = [*map(str, report.left_out), *report.remarks]
    if not said:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in said)
    return f'<section id="left-out"><h2>Left out</h2><ul>{items}</ul></section>'


def _origins(report: Report) -> str:
    if not report.origins:
        return ""
    said = "".join(
        f"<p>{escape(one.said)}</p><pre>{escape(one.command)}</pre>" for one in report.origins
    )
    return f'<section id="origins"><h2>Benches: where, and how to repeat them</h2>{said}</section>'
