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
INTERFACE = "eth0"


@dataclass(frozen=True)
class Host:
    """One virtual machine: a name, an address, and the switch port that it is plugged into."""

    index: int

    @property
    def name(self) -> str:
        return f"host{self.index}"

    @property
    def tap(self) -> str:
        return f"sw{self.index}"

    @property
    def mac(self) -> str:
        return f"02:00:00:00:00:{self.index + 1:02x}"

    @property
    def address(self) -> str:
        return f"10.77.0.{self.index + 1}"


@dataclass(frozen=True)
class Plan:
    """Everything that decides how a lab is built and what runs in it."""

    name: str
    spec: str
    ranks_of_host: tuple[int, ...]
    rate_bps: int
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
    slurm: bool = False  # whether Slurm runs on the hosts
    command: list[str] | None = None  # None: the lab stays up until it is taken down

    @property
    def hosts(self) -> list[Host]:
        return [Host(index) for index in range(self.hosts_count)]

    @property
    def hosts_count(self) -> int:
        return len(self.ranks_of_host)

    @property
    def ranks(self) -> int:
        """Ranks in the whole lab."""
        return sum(self.ranks_of_host)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Plan":
        fields = json.loads(text)
        return Plan(**fields | {"ranks_of_host": tuple(fields["ranks_of_host"])})
