# SPDX-License-Identifier: BSD-3-Clause
"""What a command has found out: at which sites nodes are, how the switch queues, or both."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from suiro.cluster.cluster import Cluster
from suiro.probe.measure import Probe
from suiro.probe.sites import SitesProbe

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Answers:
    """At least one of the two."""

    sites: SitesProbe | None
    switch: Probe | None

    @property
    def clear(self) -> bool:
        """All that was asked for."""
        of_switch = self.switch is None or self.switch.clear
        return of_switch and (self.sites is None or self.sites.clear)

    def cluster(self, now: datetime) -> Cluster | None:
        """For `suiro run`. The sites without the kind of switch where only that is not clear; None
        where nothing is."""
        switch = self.switch.cluster(now) if self.switch and self.switch.clear else None
        if self.sites is None:
            return switch
        if not self.sites.clear:
            return None
        found = self.sites.cluster(now)
        if switch is None:
            return found
        kind = {"switch": switch.site[0].switch}
        sites = [one.model_copy(update=kind) for one in found.site]
        return found.model_copy(update={"site": sites})

    def document(self) -> str:
        """JSON: the answer, or an object that has both."""
        parts = {"sites": self.sites, "switch": self.switch}
        told = {name: one.model_dump(mode="json") for name, one in parts.items() if one}
        return json.dumps(told if len(told) == 2 else next(iter(told.values())), indent=1)

    def print(self, console: "Console") -> None:
        from suiro.probe.report import print_probe
        from suiro.probe.sites_report import print_sites

        if self.sites is not None:
            print_sites(self.sites, console)
        if self.switch is not None:
            print_probe(self.switch, console)
