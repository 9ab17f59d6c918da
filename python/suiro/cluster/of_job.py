# SPDX-License-Identifier: BSD-3-Clause
"""Which cluster file a job follows, and how its ranks learn of it.

What a file's model needs is imported where there is a file: most jobs have none, and start sooner.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from suiro import variables
from suiro.errors import UsageError
from suiro.toml_lines import line_of

if TYPE_CHECKING:
    from suiro.cluster.cluster import Cluster

FILE_VARIABLE, SITES_VARIABLE, FLOWS_VARIABLE = "SUIRO_CLUSTER", "SUIRO_SITES", "SUIRO_WAN_FLOWS"
NETWORK_VARIABLE, STREAMS_VARIABLE = "SUIRO_CLUSTER_NETWORK", "SUIRO_NET_STREAMS"


@dataclass(frozen=True)
class ClusterFile:
    """A file that is right; whether it is this job's shows when ranks know their hosts."""

    path: Path
    cluster: Cluster

    def variables(self) -> dict[str, str]:
        """SUIRO_SITES=a,b;c names hosts by site, and 1 is one site; SUIRO_CLUSTER_NETWORK is the
        model's; SUIRO_WAN_FLOWS and SUIRO_NET_STREAMS stay as the user has set them."""
        from suiro.cluster.network import known_network, streams_of_link

        sites = ";".join(",".join(site.nodes) for site in self.cluster.site)
        flows = variables.text(FLOWS_VARIABLE) or self.cluster.wan_flows
        streams = variables.text(STREAMS_VARIABLE) or streams_of_link(self.cluster)
        network = known_network(self.cluster)
        return (
            {SITES_VARIABLE: sites if self.cluster.names_nodes else "1"}
            | ({FLOWS_VARIABLE: str(flows)} if flows else {})
            | ({STREAMS_VARIABLE: str(streams)} if streams else {})
            | ({NETWORK_VARIABLE: json.dumps(network)} if network else {})
        )

    def mismatch(self, host: str) -> str:
        """What to say when the job runs on a host that the file does not name."""
        line = line_of(self.path.read_text(encoding="utf-8"), ("site", 0, "nodes"))
        return (
            f"{self.path}:{line}: expected all nodes of this job at one of the sites, but {host} "
            "is at none: the addresses tell the sites; `suiro probe --sites` writes a new file"
        )

    def __str__(self) -> str:
        measured = self.cluster.measured
        return f"{self.path}" + (f", measured {measured.at:%Y-%m-%d}" if measured else "")


def find(given: Path | None, say: Callable[[str], None]) -> ClusterFile | None:
    """The file that the user names, else the one in its place, if there is one: then nobody named
    it for this job, so what is wrong with it is told, and does not keep the job from running."""
    if given is not None:
        return _file(given)
    if variables.text(SITES_VARIABLE):
        return None
    path = usual_place(os.environ)
    if path is None or not (FILE_VARIABLE in os.environ or _may_be_there(path)):
        return None
    try:
        return _file(path)
    except UsageError as error:
        say(f"{error}; the file is left aside, and the addresses tell the sites")
        return None


def _may_be_there(path: Path) -> bool:
    """Also where this user may not look, which is told like what is wrong with a file."""
    try:
        return path.is_file()
    except OSError:
        return True


def _file(path: Path) -> ClusterFile:
    from suiro.cluster.cluster import read

    return ClusterFile(path, read(path))


def usual_place(environment: Mapping[str, str]) -> Path | None:
    """SUIRO_CLUSTER, which may be empty: no file; else the user's folder for settings."""
    if FILE_VARIABLE in environment:
        named = environment[FILE_VARIABLE]
        return Path(named) if named else None
    home = environment.get("HOME")
    settings = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    return Path(settings) / "suiro" / "cluster.toml" if settings else None
