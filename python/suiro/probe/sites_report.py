# SPDX-License-Identifier: BSD-3-Clause
"""Says which sites were found, from which ways, what joins them, and what to do with it."""

import math
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from suiro.probe.sites import SitesProbe, Streams
from suiro.quantities import rate_text, time_text

_WIDTH = 12
_NAMES_MAX = 8  # of a site's hosts in one line
_COLUMNS_MAX = 72  # nodes in the picture of all ways
_SHADES = "·░▒▓█"


def print_sites(probe: SitesProbe, console: Console) -> None:
    """The first line is the answer."""
    sections = {
        "sites": list(_answer(probe)),
        "ways": list(_ways(probe)),
        "at once": list(_at_once(probe)),
    }
    for title, lines in sections.items():
        for number, line in enumerate(lines):
            head = f"{title if number == 0 else '':<{_WIDTH}}"
            style = "bold" if title == "sites" and number == 0 else ""
            console.print(head, end="", highlight=False)
            console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    console.print(_matrix(probe))


def _answer(probe: SitesProbe) -> Iterator[str]:
    sites = probe.grouping.sites
    if probe.grouping.doubt:
        yield f"not clear: {probe.grouping.doubt}"
    else:
        yield "one site" if len(sites) == 1 else f"{len(sites)} sites"
    for number, site in enumerate(sites):
        names = [probe.hosts[node] for node in site]
        more = f" and {len(names) - _NAMES_MAX} more" if len(names) > _NAMES_MAX else ""
        count = "1 node" if len(names) == 1 else f"{len(names)} nodes"
        yield f"{number}: {count}: {', '.join(names[:_NAMES_MAX])}{more}"


def _ways(probe: SitesProbe) -> Iterator[str]:
    """A line for each reference, a sign for each node: the darker, the farther."""
    pairs = probe.latencies.pairs()
    shortest_s, longest_s = min(pairs.values()), max(pairs.values())
    limit_s = probe.grouping.limit_s
    told = f", more than {time_text(limit_s)} lead elsewhere" if limit_s else ", without a gap"
    yield (
        f"{len(pairs)} pairs of {len(probe.hosts)} nodes: {time_text(shortest_s)} to "
        f"{time_text(longest_s)} one way{told}"
    )
    order = [node for site in probe.grouping.sites for node in site]
    if len(order) > _COLUMNS_MAX:
        return
    width = max(len(probe.hosts[reference]) for reference in probe.latencies.one_way_s)
    for reference in probe.latencies.one_way_s:
        ways = [probe.latencies.between(reference, node) or 0.0 for node in order]
        signs = "".join(_shade(way_s, shortest_s, longest_s) for way_s in ways)
        yield f"{probe.hosts[reference]:<{width}} {signs}"


def _shade(way_s: float, shortest_s: float, longest_s: float) -> str:
    if way_s <= 0:
        return " "
    # Ways that hardly differ are not drawn as if they did.
    span = math.log(max(longest_s / shortest_s, 10.0))
    part = math.log(way_s / shortest_s) / span
    return _SHADES[min(len(_SHADES) - 1, max(0, round(part * (len(_SHADES) - 1))))]


def _at_once(probe: SitesProbe) -> Iterator[str]:
    for streams in probe.streams:
        left, right = streams.sites
        rates = ", ".join(f"{n}: {rate_text(B * 8)}" for n, B in streams.rates_Bps.items())
        if left != right:
            yield f"{left} to {right}: by pairs of nodes: {rates}; n = {streams.n} is enough"
        elif streams.n > 1:
            yield f"{left}: of a link by TCP streams: {rates}; {streams.n} fill it"


def _matrix(probe: SitesProbe) -> Table:
    sites = range(len(probe.grouping.sites))
    table = Table(title="one way; payload", title_justify="left")
    table.add_column("site", justify="right")
    for site in sites:
        table.add_column(str(site), justify="right")
    for left in sites:
        row = [_cell(probe, min(left, right), max(left, right)) for right in sites]
        table.add_row(str(left), *row)
    return table


def _cell(probe: SitesProbe, left: int, right: int) -> str:
    way_s, streams = probe.way_s(left, right), probe.between(left, right)
    return "; ".join(
        [*([time_text(way_s)] if way_s else []), *([_rate(streams)] if streams else [])]
    )


def _rate(streams: Streams) -> str:
    return rate_text(streams.best_Bps * 8)
