# SPDX-License-Identifier: BSD-3-Clause
"""Writes `cluster.toml`, as a person would."""

import json
import os
import textwrap
from pathlib import Path

from suiro.cluster.cluster import Cluster, Site, Wan
from suiro.errors import UsageError
from suiro.output import check_place, write_file
from suiro.quantities import rate_in_file, time_in_file

_HEAD = """\
# The sites of a cluster, for `suiro run --cluster FILE`. Edit it freely: it is checked when it is
# read. Times are one way; rates are bits of payload per second, stream_rate of one TCP stream
# alone; n is how many nodes of a site should use the way between sites at once. switch is what it
# does with too much for an output: voq, hol, pause or shared.
version = 1
"""


def check_target(path: Path) -> None:
    """Before anything is measured for a file that could not be written."""
    _check_absent(path)
    check_place(path)


def write(cluster: Cluster, path: Path) -> None:
    """Never over another file."""
    _check_absent(path)
    write_file(path, to_toml(cluster))


def _check_absent(path: Path) -> None:
    if os.path.lexists(path):
        raise UsageError(f"{path} exists already: give another name, or remove it")


def to_toml(cluster: Cluster) -> str:
    """The whole file."""
    parts = [_HEAD]
    if cluster.measured:
        at = cluster.measured.at.isoformat(timespec="seconds")
        parts.append(f"[measured]\nat = {at}\nby = {_quoted(cluster.measured.by)}\n")
    parts += [_site(site) for site in cluster.site]
    parts += [_wan(wan) for wan in cluster.wan]
    return "\n".join(parts)


def _site(site: Site) -> str:
    names = ", ".join(map(_quoted, site.nodes))
    lines = ["[[site]]", "nodes = [", *textwrap.wrap(names, 96, break_on_hyphens=False), "]"]
    lines[2:-1] = [f"  {line}" for line in lines[2:-1]]
    lines += [f"switch = {_quoted(site.switch)}"] if site.switch else []
    measures = _measures(latency=site.latency, rate=site.rate, stream_rate=site.stream_rate)
    return "\n".join([*lines, *measures, ""])


def _wan(wan: Wan) -> str:
    lines = ["[[wan]]", f"sites = [{wan.sites[0]}, {wan.sites[1]}]"]
    lines += _measures(delay=wan.delay, rate=wan.rate)
    return "\n".join([*lines, *([f"n = {wan.n}"] if wan.n else []), ""])


def _measures(**values: int | None) -> list[str]:
    return [
        f'{key} = "{rate_in_file(value) if key.endswith("rate") else time_in_file(value * 1e-6)}"'
        for key, value in values.items()
        if value is not None
    ]


def _quoted(text: str) -> str:
    """TOML's strings have JSON's escapes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
