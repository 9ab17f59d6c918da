# SPDX-License-Identifier: BSD-3-Clause
"""Two readings of each process as a table: what happened between them, per second."""

from collections.abc import Sequence

from suiro.quantities import rough_size_text
from suiro.text_table import lay_out
from suiro.top.process import Process, Reading

_RAILS = "rails: MB/s out, in"
_HEADINGS = (
    *("rank", "host", "program", _RAILS, "messages/s", "unexpected"),
    *("posted", "unmatched", "buffered", "copied", "wake-ups/s", "calls/s", "again", "refused"),
)
# What a narrow terminal can do without.
_LEAST = (
    *("refused", "again", "wake-ups/s", "posted", "unmatched", "calls/s", "copied", "buffered"),
    *("host", "unexpected", "program"),
)
_MEGA = 1e6


def lines_of(before: Sequence[Reading], now: Sequence[Reading], width: int | None) -> list[str]:
    """A heading, and a line for each process that answered now; one that is new has no rates yet.
    Then what is left out of so many columns."""
    known = {reading.who: reading for reading in before}
    cells = [_row(known.get(reading.who, reading), reading) for reading in now]
    rows = [dict(zip(_HEADINGS, row, strict=True)) for row in cells]
    layout = lay_out(rows, width, left={"rank", "host", "program", _RAILS}, least=_LEAST)
    return [layout.heading, *map(layout.line, rows), *layout.remarks(width)]


def _row(before: Reading, now: Reading) -> list[str]:
    process, past = now.process, before.process.counters
    counters = process.counters
    seconds = now.seconds - before.seconds

    def rate(later: int, earlier: int, unit: float = 1) -> str:
        return f"{(later - earlier) / unit / seconds:.0f}" if seconds > 0 else "-"

    messages = counters.messages_received - past.messages_received
    unexpected = counters.unexpected - past.unexpected
    if messages == 0:  # then the share since the beginning tells more
        messages, unexpected = counters.messages_received, counters.unexpected
    return [
        str(process.rank) if process.rank >= 0 else "-",
        process.host,
        process.program,
        _rails(before.process, process, seconds),
        rate(counters.messages_received, past.messages_received),
        f"{100 * unexpected / messages:.0f} %" if messages else "-",
        str(counters.posted_now),
        str(counters.unexpected_now),
        rough_size_text(counters.unexpected_bytes_now),
        f"{rate(counters.copied_bytes, past.copied_bytes, _MEGA)} MB/s",
        rate(counters.helper_wakeups, past.helper_wakeups),
        rate(counters.system_calls, past.system_calls),
        str(counters.frames_sent_again + counters.grants_given_again),
        str(counters.refused_streams),
    ]


def _rails(before: Process, now: Process, seconds: float) -> str:
    """`eth0 112, 110`, a line for each; streams that were lost are told too."""
    known = {rail.name: rail for rail in before.rails}
    lines = []
    for rail in now.rails:
        past = known.get(rail.name, rail)
        name = rail.name.split()[0] if rail.name != "shared memory" else "memory"
        sent = (rail.sent_bytes - past.sent_bytes) / _MEGA
        received = (rail.received_bytes - past.received_bytes) / _MEGA
        rates = f"{sent / seconds:.1f}, {received / seconds:.1f}" if seconds > 0 else "-"
        lost = f", {rail.streams_lost} lost" if rail.streams_lost else ""
        lines.append(f"{name} {rates}{lost}")
    return "\n".join(lines)
