# SPDX-License-Identifier: BSD-3-Clause
"""What a lab is made of: a TOML file, checked by a schema. The shipped ones are in `specs/`."""

from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    model_validator,
)

from suiro import toml_file
from suiro.errors import UsageError, did_you_mean
from suiro.quantities import bits_per_second, byte_count, microseconds

SHIPPED = Path(__file__).parent / "specs"


def _rate(value: object) -> int:
    rate = bits_per_second(value)
    if not 10**5 <= rate <= 10**11:
        raise ValueError(f'expected "100K" to "100G" (bit/s), got {rate}')
    return rate


def _rates(value: object) -> int | list[int]:
    listed = value if isinstance(value, list) else [value]
    rates = [_rate(rate) for rate in listed]
    if not 1 <= len(rates) <= 8:
        raise ValueError(f"expected a rate, or a list of 1 to 8 of them, got {len(rates)}")
    return rates if isinstance(value, list) else rates[0]


def _cores(value: object) -> list[float]:
    listed: list[Any] = value if isinstance(value, list) else [value]
    cores = [float(share) for share in listed if type(share) in (int, float)]
    if len(cores) < len(listed) or not all(0.1 <= share <= 64 for share in cores):
        raise ValueError(f"expected cores from 0.1 to 64, or a list of them, got {value!r}")
    return cores


def _one_or_several(value: object) -> object:
    return [value] if isinstance(value, dict) else value


def _ranks(value: object) -> int | list[int]:
    listed = value if isinstance(value, list) else [value]
    numbers = [ranks for ranks in listed if type(ranks) is int and 1 <= ranks <= 64]
    if len(numbers) < len(listed):
        raise ValueError(f"expected 1 to 64, or a list with such a number per host, got {value!r}")
    return numbers if isinstance(value, list) else numbers[0]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Hosts(_Section):
    """The machines. `ranks` is one number for every host, or a list with one for each.

    So is `cpu`: how many cores' worth of processor time a host may use. By default all there is.
    """

    count: int = Field(ge=2, le=64)
    ranks: Annotated[int | list[int], PlainValidator(_ranks)]
    cpu: Annotated[list[float], PlainValidator(_cores)] | None = None

    @property
    def ranks_of(self) -> tuple[int, ...]:
        """Ranks host by host."""
        return (self.ranks,) * self.count if isinstance(self.ranks, int) else tuple(self.ranks)

    @property
    def cpu_of(self) -> tuple[float, ...]:
        """Cores host by host; empty if they are not limited."""
        cpu = tuple(self.cpu or ())
        return cpu * self.count if len(cpu) == 1 else cpu


class Sites(_Section):
    """Which hosts are where: so many at the first site, so many at the next."""

    hosts: list[Annotated[int, Field(ge=1)]] = Field(min_length=2, max_length=16)


class Wan(_Section):
    """What joins two sites, or every two sites that no other entry names."""

    sites: list[Annotated[int, Field(ge=0)]] | None = Field(
        default=None, min_length=2, max_length=2
    )
    rate: Annotated[int, BeforeValidator(bits_per_second), Field(ge=10**5, le=10**11)]
    delay: Annotated[int, BeforeValidator(microseconds), Field(le=10**7)]  # one way, microseconds
    buffer: Annotated[int, BeforeValidator(byte_count), Field(ge=4096, le=2**30)] = 2**18
    loss: float = Field(default=0.0, ge=0, lt=1)


class Tree(_Section):
    """A fat-tree of two levels: every leaf is joined to every spine, which oversubscribes the leaf
    where it has more hosts than there are spines."""

    leaf_hosts: int = Field(ge=1, le=64)
    spines: int = Field(ge=1, le=16)
    spine_model: Literal["hol", "voq", "shared", "pause"] | None = None  # as the leaves
    rate: Annotated[int, BeforeValidator(bits_per_second), Field(ge=10**5, le=10**11)] | None = (
        None  # between a leaf and a spine; as the hosts' links
    )


class Link(_Section):
    """The links of each host, alike in both directions: one rate, or a list with one for each
    link. Links of the same place in the list are on a switch of their own. `stream`: what one
    connection may use of a link, as in clouds; all of it unless the spec says."""

    rate: Annotated[int | list[int], PlainValidator(_rates)]
    stream: Annotated[int, PlainValidator(_rate)] | None = None
    mtu: int = Field(default=1500, ge=576, le=9000)
    # How many full frames TCP hands over as one, and the other end acknowledges as one. On fast
    # links this is 16 to 44. Every acknowledgement waits for an MTU frame of another flow at a busy
    # output, so with small super-frames TCP in both directions cannot fill a lossless switch.
    super_frame: int | None = Field(default=None, ge=1, le=40)
    queue: int = Field(default=8192, ge=16, le=65536)

    @property
    def rates(self) -> tuple[int, ...]:
        """Link by link."""
        return (self.rate,) if isinstance(self.rate, int) else tuple(self.rate)

    def frames_at_once(self) -> int:
        """The number of full frames in one super-frame, chosen by rate unless the spec says."""
        if self.super_frame is not None:
            return self.super_frame
        return max(1, 32768 // self.mtu)


class Switch(_Section):
    """How the switch queues: models are described in docs/lab-switch.md. A `wire` and a
    `bridge` are no switches: they join two hosts, or any number, as fast as the machine can."""

    model: Literal["hol", "voq", "shared", "pause", "wire", "bridge"]
    buffer: Annotated[int, BeforeValidator(byte_count), Field(ge=4096, le=2**30)] = 2**18


class Tcp(_Section):
    """The largest window per connection. Lossless models need it bounded: a full TAP ring drops."""

    window: Annotated[int, BeforeValidator(byte_count), Field(ge=8192, le=2**28)] = 2**18


class Spec(_Section):
    """A whole lab."""

    description: str = ""
    hosts: Hosts
    link: Link
    switch: Switch
    tcp: Tcp = Tcp()
    sites: Sites | None = None
    wan: Annotated[list[Wan], BeforeValidator(_one_or_several)] = []
    tree: Tree | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.hosts.ranks_of) != self.hosts.count:
            raise ValueError(
                f"hosts.ranks: expected a number, or {self.hosts.count} of them (hosts.count), "
                f"got {len(self.hosts.ranks_of)}"
            )
        if self.ranks > 1024:
            raise ValueError(f"hosts.ranks: expected at most 1024 ranks in all, got {self.ranks}")
        if len(self.hosts.cpu_of) not in (0, self.hosts.count):
            raise ValueError(
                f"hosts.cpu: expected a number, or {self.hosts.count} of them (hosts.count), "
                f"got {len(self.hosts.cpu_of)}"
            )
        if self.switch.buffer < 2 * self.link.mtu:
            raise ValueError("switch.buffer: expected room for at least two frames of link.mtu")
        self._check_network()
        return self

    def _check_network(self) -> None:
        several_links = len(self.link.rates) > 1
        if self.switch.model == "wire" and (self.hosts.count != 2 or self.sites or self.tree):
            raise ValueError("switch.model: a wire joins two hosts, without sites or a tree")
        if self.switch.model == "bridge" and (self.sites or self.tree):
            raise ValueError("switch.model: a bridge joins hosts without sites or a tree")
        if self.link.stream is not None:
            self._check_stream(self.link.stream)
        if self.hosts.count * len(self.link.rates) > 64:
            raise ValueError("link.rate: expected at most 64 links of all hosts together")
        if self.tree is not None and (self.sites is not None or several_links):
            raise ValueError("tree: expected neither sites nor several links per host beside it")
        if self.sites is not None and several_links:
            raise ValueError("sites: expected one link per host beside them")
        if self.sites is None and self.wan:
            raise ValueError("wan: expected a section sites that says which hosts it joins")
        if self.sites is not None:
            self._check_sites(self.sites)

    def _check_stream(self, stream: int) -> None:
        if self.switch.model in ("wire", "bridge"):
            raise ValueError(f"link.stream: a {self.switch.model} has no rates: leave it out")
        if stream > min(self.link.rates):
            raise ValueError(
                f"link.stream: expected at most the rate of a link, {min(self.link.rates)} bit/s, "
                f"got {stream}"
            )

    def _check_sites(self, sites: Sites) -> None:
        if sum(sites.hosts) != self.hosts.count:
            raise ValueError(
                f"sites.hosts: expected {self.hosts.count} hosts together (hosts.count), "
                f"got {sum(sites.hosts)}"
            )
        named = [tuple(sorted(wan.sites or ())) for wan in self.wan]
        for index, pair in enumerate(named):
            if pair in named[:index]:
                raise ValueError(f"wan.{index}.sites: expected two sites that no WAN joins yet")
            if pair and (pair[0] == pair[1] or pair[1] >= len(sites.hosts)):
                raise ValueError(
                    f"wan.{index}.sites: expected two different sites, "
                    f"from 0 to {len(sites.hosts) - 1}, got {list(pair)}"
                )
        reached = {0}
        for _ in sites.hosts:
            reached |= {end for pair in self.wans if reached & set(pair) for end in pair}
        if len(reached) < len(sites.hosts):
            lonely = min(set(range(len(sites.hosts))) - reached)
            raise ValueError(f"wan: expected a WAN that joins site {lonely} to the others")

    @property
    def ranks(self) -> int:
        """Ranks in the whole lab."""
        return sum(self.hosts.ranks_of)

    @property
    def site_of_host(self) -> tuple[int, ...]:
        """Site by site, as many hosts as it has."""
        sizes = self.sites.hosts if self.sites is not None else [self.hosts.count]
        return tuple(site for site, size in enumerate(sizes) for _ in range(size))

    @property
    def wans(self) -> dict[tuple[int, int], Wan]:
        """What joins each two sites."""
        if self.sites is None:
            return {}
        others = [wan for wan in self.wan if wan.sites is None]
        pairs = combinations(range(len(self.sites.hosts)), 2)
        joined = {pair: others[0] for pair in pairs} if others else {}
        for wan in self.wan:
            if wan.sites is not None:
                joined[min(wan.sites), max(wan.sites)] = wan
        return dict(sorted(joined.items()))


def shipped() -> dict[str, Path]:
    """Shipped specs by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}


def load(spec: str) -> tuple[str, Spec]:
    """A shipped name or a file, as (name, spec)."""
    path = shipped().get(spec)
    if path is None:
        path = Path(spec)
        if not path.is_file():
            known = ", ".join(shipped())
            near = did_you_mean(spec, shipped())
            raise UsageError(f"no lab spec {spec}: give a TOML file or one of {known}{near}")
    return path.stem, parse(path)


def parse(path: Path) -> Spec:
    """The spec in a file; the first thing wrong with it becomes one line."""
    spec, _ = toml_file.read(path, Spec)
    return spec
