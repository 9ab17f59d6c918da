# SPDX-License-Identifier: BSD-3-Clause
"""What is asked: whose collectives, on how many nodes, on which network."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from suiro.errors import UsageError, did_you_mean
from suiro.quantities import bits_per_second

if TYPE_CHECKING:
    from suiro.run.launchers import Launcher
    from suiro.sim.network import Scene

KINDS = ("voq", "hol", "pause", "shared")
_MPI = re.compile(r"(openmpi|mpich|intel)(?:-(\d{1,4})(?:\.(\d{1,3}))?(?:\.\w+)?)?")
_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "intel": "Intel MPI"}
_NEWEST_READ = {"openmpi": "4.1", "mpich": "4", "intel": ""}
_RANKS_MAX = 1 << 18


@dataclass(frozen=True)
class Mpi:
    """An MPI library: "openmpi", "mpich" or "intel", and its version as far as it matters. Without
    a name: it is not asked about."""

    name: str = ""
    release: str = ""  # "4.1"

    @property
    def full_name(self) -> str:
        return f"{_NAMES[self.name]} {self.release}".rstrip()

    @property
    def is_read(self) -> bool:
        """Its sources: what it runs is known, call by call."""
        oldest = {"openmpi": 1, "mpich": 4}.get(self.name)
        return oldest is not None and int(self.release.partition(".")[0]) >= oldest

    def says(self, version: str) -> bool:
        """Whether this may be the MPI whose own words on its version are these."""
        words = {"openmpi": "Open MPI v", "mpich": "MPICH Version: ", "intel": "Intel"}[self.name]
        told = version.removeprefix(words).strip() if version.startswith(words) else None
        return told is not None and f"{told}.".startswith(
            f"{self.release}." if self.release else ""
        )

    @property
    def arguments(self) -> list[str]:
        """As the native tool takes it."""
        named = ["--mpi", self.name] if self.name else []
        return [*named, *(["--release", self.release] if self.is_read else [])]


@dataclass(frozen=True)
class Question:
    """`network`: by the names of the model's own (src/model), what is known of it."""

    mpi: Mpi
    ranks_of_node: tuple[int, ...]
    network: dict[str, object] = field(default_factory=dict)
    link_Bps: float | None = None  # where the network does not tell it
    cores: int = 0  # of a node; 0: as many as it has ranks
    place: str = ""  # whose network it is
    hosts: tuple[str, ...] = ()  # where a file names them
    launcher: tuple[str, ...] = ()  # of a job that was given, without its program

    @property
    def ranks(self) -> int:
        return sum(self.ranks_of_node)

    @property
    def node_of_rank(self) -> list[int]:
        return [node for node, count in enumerate(self.ranks_of_node) for _ in range(count)]

    @property
    def rate_bps(self) -> float | None:
        """Of a link, as far as anything tells it."""
        told = self.network.get("link_Bps", self.link_Bps)
        return 8 * told if isinstance(told, int | float) else None

    @property
    def kind(self) -> str | None:
        """Of the switch."""
        told = self.network.get("kind")
        return told if isinstance(told, str) else None

    @property
    def fewest_cores(self) -> int:
        """Of a node."""
        return self.cores or min(self.ranks_of_node)

    @property
    def left_alone(self) -> str:
        """Why suiro decides nothing here; empty where it does."""
        several = len(self.ranks_of_node) > 1
        return "" if several else "all ranks are on one node: suiro leaves such a job to the MPI"

    def expect_several_nodes(self) -> None:
        """UsageError where there is one."""
        if self.left_alone:
            raise UsageError(f"{self.left_alone}; ask for two nodes or more")

    @property
    def scene(self) -> "Scene":
        """What the model plays: of the networks that this may be the first."""
        from suiro.quantities import rate_text
        from suiro.sim.network import USUAL_BPS, Scene

        network = dict(self.network)
        if self.link_Bps is not None:
            network.setdefault("link_Bps", self.link_Bps)
        if self.cores:
            network["processors"] = self.cores
        told = "" if self.rate_bps else " (no --rate is given)"
        kind = f", switch: {self.kind}" if self.kind else ""
        words = f"Ethernet of {rate_text(self.rate_bps or 8 * USUAL_BPS)}{told}{kind}"
        return Scene(self.place or words, self.ranks_of_node, network)

    def describe(self) -> str:
        """Where, in one line."""
        from suiro.quantities import rate_text

        nodes, most = len(self.ranks_of_node), max(self.ranks_of_node)
        rate = rate_text(self.rate_bps) if self.rate_bps else "rate not known"
        kind = f"switch: {self.kind}" if self.kind else "kind of switch not known"
        where = f"{self.place}: " if self.place else ""
        return f"{where}{nodes} nodes x {most} ranks, {rate}, {kind}, {self.mpi.full_name}"


def parse_mpi(text: str | None) -> Mpi:
    """ "openmpi-4.1", "mpich", "intel-2021.10"; by default of the mpirun on the PATH."""
    if text is None:
        return _installed()
    match = _MPI.fullmatch(text)
    if match is None:
        raise UsageError(f"--mpi {text}: expected openmpi, mpich or intel, with a version or "
                         "without: openmpi-4.1")  # fmt: skip
    numbers = [number for number in match.groups()[1:] if number is not None]
    return Mpi(match[1], ".".join(numbers) or _NEWEST_READ[match[1]])


def _installed() -> Mpi:
    from suiro.run.launchers import recognise

    launcher = recognise("mpirun") or recognise("mpiexec")
    if launcher is None:
        raise UsageError("which MPI is it? There is no mpirun here that tells: give --mpi, such as "
                         "--mpi openmpi-4.1, mpich-4 or intel")  # fmt: skip
    return of_launcher(launcher)


def of_launcher(launcher: "Launcher") -> Mpi:
    """As it says itself."""
    name = next(name for name, product in _NAMES.items() if product == launcher.product)
    return Mpi(name, ".".join(launcher.version.split(".")[:2]) or _NEWEST_READ[name])


@dataclass(frozen=True)
class Stated:
    """A cluster, in the words of a command line, which all commands take alike."""

    nodes: int | None = None
    ppn: int | None = None
    rate: str | None = None
    switch: str | None = None
    cores: int = 0
    cluster: Path | None = None

    def question(self, mpi: Mpi) -> Question:
        """UsageError where words are missing, or say what others say."""
        if self.cluster is None:
            return self._described(mpi)
        if self.rate is not None or self.switch is not None:
            raise UsageError("--cluster says what --rate and --switch would: leave these out, or "
                             "edit the file")  # fmt: skip
        if self.ppn is None:
            raise UsageError("--cluster takes --ppn: how many ranks has a node?")
        return replace(_of_cluster(self.cluster, self.ppn, self.nodes, mpi), cores=self.cores)

    def _described(self, mpi: Mpi) -> Question:
        if self.nodes is None or self.ppn is None:
            raise UsageError("which cluster is it? Give --nodes N and --ppn P, or --cluster FILE "
                             "and --ppn P")  # fmt: skip
        if self.nodes * self.ppn > _RANKS_MAX:
            raise UsageError(f"--nodes {self.nodes} --ppn {self.ppn}: at most {_RANKS_MAX} ranks "
                             "can be played")  # fmt: skip
        kind = {} if self.switch is None else {"kind": checked_kind(self.switch)}
        link_Bps = None if self.rate is None else parse_rate(self.rate) / 8
        return Question(mpi, (self.ppn,) * self.nodes, dict(kind), link_Bps, self.cores)


def parse_rate(text: str) -> int:
    """ "25G" as bits per second."""
    try:
        rate = bits_per_second(text)
    except ValueError as error:
        raise UsageError(f"--rate: {error}") from None
    if not 10**6 <= rate <= 10**13:
        raise UsageError(
            f"--rate {text}: expected what a link carries in bit/s: 1G, 10G, 25G, 100G"
        )
    return rate


def checked_kind(kind: str) -> str:
    if kind not in KINDS:
        raise UsageError(f"--switch {kind}: expected one of {', '.join(KINDS)}; `suiro probe "
                         f"--switch` tells which it is{did_you_mean(kind, KINDS)}")  # fmt: skip
    return kind


def _of_cluster(path: Path, ppn: int, nodes: int | None, mpi: Mpi) -> Question:
    """The nodes and the network of a cluster.toml."""
    from suiro.cluster.cluster import read
    from suiro.sim.network import of_cluster as scene_of

    cluster, scene = read(path), scene_of(path, ppn, nodes)
    hosts = tuple(cluster.nodes) if cluster.names_nodes else ()
    return Question(mpi, scene.ranks_of_node, scene.network, place=str(path), hosts=hosts)
