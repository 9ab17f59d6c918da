# SPDX-License-Identifier: BSD-3-Clause
"""The page of `suiro demo`, drawn from its document alone."""

from html import escape

from suiro.demo.result import Demo, Shown, factor
from suiro.demo.table import DOUBTFUL, LEFT_OUT, bytes_text
from suiro.quantities import time_text
from suiro.report.html import document, table


def render(demo: Demo) -> str:
    """The numbers, then how each was obtained, then where."""
    tiles = "".join(_tile(index, one) for index, one in enumerate(demo.shown))
    doubtful = any(one.doubts for one in demo.shown)
    note = f'<p class="note">?: {DOUBTFUL}.</p>' if doubtful else ""
    sections = "".join(_section(index, one) for index, one in enumerate(demo.shown))
    header = f'<div class="tiles">{tiles}</div>{note}'
    return document("Unmodified programs, without suiro and with it", header, sections + _end(demo))


def _tile(index: int, one: Shown) -> str:
    number, mark = factor(one.speedup), "?" if one.doubts else ""
    return (
        f'<a href="#s{index}"><b>{number}{mark}</b> times as fast<br>{escape(one.title)}'
        f"<br><code>{escape(one.lab)}</code></a>"
    )


def _section(index: int, one: Shown) -> str:
    doubts = "".join(f'<p class="note">In doubt: {escape(doubt)}.</p>' for doubt in one.doubts)
    commands = "".join(f"<pre>{escape(command)}</pre>" for command in one.commands)
    probe = f"<p>{escape(one.probe.capitalize())}.</p>" if one.probe else ""
    return (
        f'<section id="s{index}"><h2>{escape(one.title)}</h2>'
        f'<p class="lead">{escape(one.network)}</p><p>{escape(one.about)}</p>{probe}'
        f"<p>{escape(one.times)}</p>{doubts}{_bars(one)}<h3>To see it again</h3>{commands}"
        f"<p>Here each ran {len(one.suiro_s)} times, in turn. Programs check their results.</p>"
        f"<h3>What ran with suiro</h3>{_ran(one)}"
        f'<p class="note">{LEFT_OUT.capitalize()}.</p></section>'
    )


def _bars(one: Shown) -> str:
    longest = max(*one.native_s, *one.suiro_s)
    pairs = zip(one.native_s, one.suiro_s, strict=True)
    bars = "".join(
        _bar("without", native / longest, native) + _bar("with suiro", suiro / longest, suiro)
        for native, suiro in pairs
    )
    return f'<div class="bars">{bars}</div>'


def _bar(name: str, share: float, seconds: float) -> str:
    kind = ' class="ours"' if name == "with suiro" else ""
    return (
        f"<span>{name}</span><span><i{kind} style=\"width: {share:.1%}\"></i></span>"
        f"<span>{time_text(seconds)}</span>"
    )  # fmt: skip


def _ran(one: Shown) -> str:
    rows = [
        ("", [ran.collective, f"{ran.algorithm} ({ran.reason})", bytes_text(ran), str(ran.calls)])
        for ran in one.ran
    ]
    return table(["call", "algorithm", "size", "calls"], rows)


def _end(demo: Demo) -> str:
    machine = demo.machine
    words = [
        f"{machine.cores} cores, {machine.processor}", machine.kernel, machine.system, machine.mpi,
        f"suiro {machine.suiro}",
    ]  # fmt: skip
    where = "; ".join(filter(None, words))
    return (
        "<footer>Labs are virtual clusters on one machine: they say which networks are helped, and "
        f"not how much yours will be. Measured at {escape(demo.measured_at)} on {escape(where)}, by"
        f"<pre>{escape(demo.command)}</pre></footer>"
    )
