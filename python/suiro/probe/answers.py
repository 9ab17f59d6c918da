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
    """One of the two; with `both` they were asked for together, and the switch may have none."""

    sites: SitesProbe | None
    switch: Probe | None
    both: bool = False

    @property
    def clear(self) -> bool:
        """All that was asked for."""
        of_switch = self.switch.clear if self.switch else not self.both
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
        """JSON: the answer, or an object that has both, null where one has none."""
        if not self.both:
            one = self.sites or self.switch
            return one.model_dump_json(indent=1) if one else "null"
        parts = {"sites": self.sites, "switch": self.switch}
        told = {name: one and one.model_dump(mode="json") for name, one in parts.items()}
        return json.dumps(told, indent=1)

    def print(self, console: "Console") -> None:
        from suiro.probe.report import print_probe
        from suiro.probe.sites_report import print_sites

        if self.sites is not None:
            print_sites(self.sites, console)
        if self.switch is not None:
            print_probe(self.switch, console)
