# SPDX-License-Identifier: BSD-3-Clause
"""`cluster.toml`: which nodes are at which site, and what joins the sites. A file that `suiro probe
--sites` writes and people may edit, checked by a schema whenever it is read."""

from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from suiro import toml_file
from suiro.quantities import bits_per_second, fractions_of_microseconds, microseconds

EVERY_NODE = "*"
Switch = Literal["voq", "hol", "pause", "shared"]
_SEPARATORS = ",; \t\n"  # of names in SUIRO_SITES
_Microseconds = Annotated[int, BeforeValidator(microseconds), Field(ge=1, le=10**7)]
_Cost = Annotated[float, BeforeValidator(fractions_of_microseconds), Field(gt=0, le=10**4)]
_BitsPerSecond = Annotated[int, BeforeValidator(bits_per_second), Field(ge=10**3, le=10**13)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Measured(_Section):
    """When, and by which command."""

    at: datetime
    by: str = ""


class Site(_Section):
    """Nodes that are near each other, by the names that they have for themselves (`hostname`), or
    "*", if there is one site: every node. Between two of them: microseconds one way, and bits of
    payload per second, of all TCP streams together and of one alone. `switch`: what it does with
    what is too much for an output, in the words of the labs."""

    nodes: list[str] = Field(min_length=1)
    switch: Switch | None = None
    latency: _Microseconds | None = None
    rate: _BitsPerSecond | None = None
    stream_rate: _BitsPerSecond | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.rate is not None and (self.stream_rate or 0) > self.rate:
            raise ValueError(
                f"stream_rate: expected at most the rate of all streams, {self.rate} bit/s, "
                f"got {self.stream_rate}"
            )
        return self


class Node(_Section):
    """What a node costs. Of a processor: microseconds for a message between nodes, at each end, and
    bits per second that it copies, gets from another rank of its node in a long message, adds up,
    and hands to the network or takes from it. What is not said is as of a usual server."""

    message: _Cost | None = None
    copy_rate: _BitsPerSecond | None = None
    local_rate: _BitsPerSecond | None = None
    reduce_rate: _BitsPerSecond | None = None
    kernel_rate: _BitsPerSecond | None = None


class Wan(_Section):
    """What joins two sites: microseconds one way, bits of payload per second in all, and how many
    nodes of a site it takes to reach that, which is how many should use it at once."""

    sites: list[Annotated[int, Field(ge=0)]] = Field(min_length=2, max_length=2)
    delay: _Microseconds | None = None
    rate: _BitsPerSecond | None = None
    n: int | None = Field(default=None, ge=1, le=4096)


class Cluster(_Section):
    """A whole file. Sites are numbered from 0 in their order."""

    version: Literal[1]
    measured: Measured | None = None
    node: Node = Node()
    site: list[Site] = Field(min_length=1)
    wan: list[Wan] = []

    @model_validator(mode="after")
    def _fits(self) -> Self:
        self._check_nodes()
        self._check_wans()
        return self

    def _check_nodes(self) -> None:
        if EVERY_NODE in self.nodes and len(self.nodes) > 1:
            raise ValueError('site.0.nodes: expected "*" alone, for every node at one site')
        named: dict[str, int] = {}
        for number, site in enumerate(self.site):
            for node in site.nodes:
                if not node or any(character in node for character in _SEPARATORS):
                    raise ValueError(f"site.{number}.nodes: expected names of hosts, got {node!r}")
                if node in named:
                    raise ValueError(
                        f"site.{number}.nodes: expected every host once, but {node} is at site "
                        f"{named[node]}, too"
                        if named[node] != number
                        else f"site.{number}.nodes: expected every host once, but {node} is twice"
                    )
                named[node] = number

    def _check_wans(self) -> None:
        joined: set[tuple[int, ...]] = set()
        for number, wan in enumerate(self.wan):
            pair = tuple(sorted(wan.sites))
            if pair[0] == pair[1] or pair[1] >= len(self.site):
                raise ValueError(
                    f"wan.{number}.sites: expected two different sites, from 0 to "
                    f"{len(self.site) - 1}, got {wan.sites}"
                )
            if pair in joined:
                raise ValueError(f"wan.{number}.sites: expected two sites that no WAN joins yet")
            joined.add(pair)
            smaller = min(len(self.site[site].nodes) for site in pair)
            if wan.n is not None and wan.n > smaller:
                raise ValueError(
                    f"wan.{number}.n: expected at most {smaller}, the nodes of the smaller site, "
                    f"got {wan.n}"
                )

    @property
    def nodes(self) -> list[str]:
        """Of all sites."""
        return [node for site in self.site for node in site.nodes]

    @property
    def names_nodes(self) -> bool:
        """Or it is for any."""
        return self.nodes != [EVERY_NODE]

    @property
    def wan_flows(self) -> int | None:
        """Nodes of a site that may use any of the WANs at once."""
        return min((wan.n for wan in self.wan if wan.n is not None), default=None)


def read(path: Path) -> Cluster:
    """The file; UsageError with file, line and what was expected."""
    return toml_file.read(path, Cluster)[0]


def site_pairs(sites: int) -> list[tuple[int, int]]:
    """All that a WAN may join."""
    return list(combinations(range(sites), 2))
