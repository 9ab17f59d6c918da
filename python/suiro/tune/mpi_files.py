# SPDX-License-Identifier: BSD-3-Clause
"""Files that an MPI reads: their texts, from what tuners have found, and how the MPI is told to
read them. Some MPIs decide in two places, and have a file for each."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from suiro.tune import export, han, mpich, openmpi
from suiro.tune.candidates import DEFAULT
from suiro.tune.mpich_defaults import MPIR
from suiro.tune.tuner import Tuning

Texts = dict[str, str]  # by what they decide


@dataclass(frozen=True)
class Canary:
    """A call that must fail, which shows that a file is read: by collective and bytes."""

    collective: str
    size: int
    unit: int


class MpiFiles(ABC):
    """Of one MPI, for communicators of one number of ranks."""

    name: str
    main: str  # what the file decides that has the name which was asked for
    knows_order: bool  # whether rules can tell operations that do not commute

    @abstractmethod
    def texts(
        self, tunings: list[Tuning], canary: Canary | None = None, comment: str = ""
    ) -> Texts:
        """All that have something to say."""

    @abstractmethod
    def variables(self, paths: Mapping[str, Path]) -> dict[str, str]:
        """What makes the MPI read them."""

    @abstractmethod
    def use(self, paths: Mapping[str, Path]) -> str:
        """The same for people: what to type."""

    def path(self, what: str, asked: Path) -> Path:
        """Another file stands beside the one that was asked for."""
        return asked if what == self.main else asked.with_name(f"{asked.name}.{what}")


@dataclass(frozen=True)
class OpenMpiFiles(MpiFiles):
    version: int
    major: int
    ranks: int
    main = "tuned"
    knows_order = False

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"rule files of version {self.version}"

    def texts(
        self, tunings: list[Tuning], canary: Canary | None = None, comment: str = ""
    ) -> Texts:
        rules = export.all_openmpi_rules(tunings, self.ranks)
        rows = {one.plan.collective.name: _decided(export.starts(one.choices)) for one in tunings}
        if canary is not None:
            name, begin, end = canary.collective, canary.size, canary.size + canary.unit
            rules |= {name: {self.ranks: self._never(rules[name][self.ranks], canary)}}
            rows[name] = [(begin, True), (end, False)]
        texts = {"tuned": export.openmpi_text(rules, self.version, comment)}
        if self.major >= han.FIRST_RELEASE and han.COLLECTIVES & set(rows):
            texts["han"] = han.file_text(rows, self.ranks, comment)
        return texts

    def _never(self, rows: list[openmpi.Rule], canary: Canary) -> list[openmpi.Rule]:
        """The same rules, but for the bytes of the canary an algorithm that does not exist."""
        never = openmpi.Choice(openmpi.NEVER, 0, 0, "none: this call must fail")
        at = openmpi.rule_bytes(canary.collective, canary.size, self.ranks)
        return [*(row for row in rows if row.from_bytes < at), openmpi.Rule(at, never)]

    def variables(self, paths: Mapping[str, Path]) -> dict[str, str]:
        found = openmpi.variables(str(paths["tuned"].absolute()))
        return found | (han.variables(str(paths["han"].absolute())) if "han" in paths else {})

    def use(self, paths: Mapping[str, Path]) -> str:
        return f"mpirun {openmpi.options(self.variables(paths))} -np {self.ranks} ./app"


@dataclass(frozen=True)
class MpichFiles(MpiFiles):
    job: mpich.Job
    name = "files of selection"
    main = MPIR
    knows_order = True

    def texts(
        self, tunings: list[Tuning], canary: Canary | None = None, comment: str = ""
    ) -> Texts:
        """There is no place for a comment: every word in such a file is a condition."""
        rules = {one.plan.collective.name: export.starts(one.choices) for one in tunings}
        if canary is not None:
            end = canary.size + canary.unit
            rules[canary.collective] = [(canary.size, mpich.NEVER), (end, DEFAULT)]
        return mpich.files(rules, self.job)

    def variables(self, paths: Mapping[str, Path]) -> dict[str, str]:
        return mpich.variables({what: str(path.absolute()) for what, path in paths.items()})

    def use(self, paths: Mapping[str, Path]) -> str:
        given = " ".join(f"{name}={path}" for name, path in self.variables(paths).items())
        return f"{given} mpiexec -n {self.job.ranks} ./app"


def _decided(rows: list[tuple[int, str]]) -> han.Rows:
    return [(begin, name != DEFAULT) for begin, name in rows]


def openmpi_major(version: str) -> int:
    """`version` is what the MPI library says of itself."""
    match = re.match(r"Open MPI v(\d+)", version)
    return int(match[1]) if match else 4
