# SPDX-License-Identifier: BSD-3-Clause
"""A lab that is about to start, as plain data: what the front end hands to the keeper process.

It holds no pydantic model, so that the processes inside the lab start without importing one.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

# Inside a lab /run is a tmpfs of its own; all that the lab needs is in one folder of it.
HOME = Path("/run/suiro")
CONTROL = HOME / "switch.sock"
REMOTE_SHELL = HOME / "bin" / "suiro-lab-rsh"
SCRATCH = HOME / "tmp"
HOST_PIDS = HOME / "pids"
CPU_GROUPS = HOME / "cpu"
NETWORK = HOME / "network.json"
INTERFACE = "eth0"  # the first link of a host, which all but bulk data uses


@dataclass(frozen=True)
class Link:
    """One of a host's network cards, and the switch port that it is plugged into."""

    host: int
    number: int
    site: int
    rate_bps: int

    @property
    def interface(self) -> str:
        return f"eth{self.number}"

    @property
    def tap(self) -> str:
        return f"sw{self.host}" + (f"r{self.number}" if self.number else "")

    @property
    def mac(self) -> str:
        return f"02:00:00:00:{self.number:02x}:{self.host + 1:02x}"

    @property
    def address(self) -> str:
        """Every site, and every link of the hosts, is a network of its own."""
        return f"10.{77 + self.number}.{self.site}.{self.host + 1}"


@dataclass(frozen=True)
class Host:
    """One virtual machine: a name, an address, and its links."""

    index: int
    links: tuple[Link, ...]

    @property
    def name(self) -> str:
        return f"host{self.index}"

    @property
    def address(self) -> str:
        return self.links[0].address


@dataclass(frozen=True)
class Wan:
    """What joins two sites, alike in both directions."""

    sites: tuple[int, int]
    rate_bps: int
    delay_us: int
    buffer_bytes: int
    loss: float


@dataclass(frozen=True)
class Tree:
    """A fat-tree: hosts on leaves in their order, and every leaf joined to every spine."""

    leaf_hosts: int
    spines: int
    spine_model: str
    rate_bps: int


@dataclass(frozen=True)
class Plan:
    """Everything that decides how a lab is built and what runs in it."""

    name: str
    spec: str
    ranks_of_host: tuple[int, ...]
    link_rates_bps: tuple[int, ...]
    stream_bps: int | None  # of one connection; None: all of a link
    mtu: int
    super_frame: int
    queue: int
    model: str
    buffer_bytes: int
    window_bytes: int
    switch: str
    state: str
    directory: str
    environment: dict[str, str]
    mpi: str
    user_namespace: bool
    site_of_host: tuple[int, ...]
    wans: tuple[Wan, ...] = ()
    tree: Tree | None = None
    cpu_of_host: tuple[float, ...] = ()  # cores; empty: not limited
    cpu_groups: str = ""  # the folder of the control groups that limit them
    slurm: bool = False  # whether Slurm runs on the hosts
    command: list[str] | None = None  # None: the lab stays up until it is taken down

    @property
    def hosts(self) -> list[Host]:
        return [Host(index, self._links_of(index)) for index in range(self.hosts_count)]

    def _links_of(self, host: int) -> tuple[Link, ...]:
        site = self.site_of_host[host]
        rates = enumerate(self.link_rates_bps)
        return tuple(Link(host, number, site, rate_bps) for number, rate_bps in rates)

    @property
    def hosts_count(self) -> int:
        return len(self.ranks_of_host)

    @property
    def ranks(self) -> int:
        """Ranks in the whole lab."""
        return sum(self.ranks_of_host)

    @property
    def rate_bps(self) -> int:
        """All links of a host together."""
        return sum(self.link_rates_bps)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Plan":
        fields = json.loads(text)
        for name in ("ranks_of_host", "link_rates_bps", "site_of_host", "cpu_of_host"):
            fields[name] = tuple(fields[name])
        wans = [wan | {"sites": tuple(wan["sites"])} for wan in fields["wans"]]
        fields["wans"] = tuple(Wan(**wan) for wan in wans)
        fields["tree"] = Tree(**fields["tree"]) if fields["tree"] else None
        return Plan(**fields)
