# SPDX-License-Identifier: BSD-3-Clause
"""Files that an MPI reads: their texts, from what tuners have found, and how the MPI is told to
read them. Some MPIs decide in two places, and have a file for each."""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from suiro.tune import export, han, mpich, openmpi
from suiro.tune.candidates import DEFAULT
from suiro.tune.mpich_defaults import MPIR
from suiro.tune.tuner import Plan, Tuning

Texts = dict[str, str]  # by what they decide


@dataclass(frozen=True)
class Canary:
    """A call that must fail, which shows that a file is read."""

    plan: Plan
    size: int

    @property
    def end(self) -> int:
        return self.size + self.plan.collective.unit_bytes


class MpiFiles(ABC):
    """Of one MPI."""

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
    job_ranks: int
    main = "tuned"
    knows_order = False

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"rule files of version {self.version}"

    def texts(
        self, tunings: list[Tuning], canary: Canary | None = None, comment: str = ""
    ) -> Texts:
        rules: dict[str, dict[int, list[openmpi.Rule]]] = {}
        rows: dict[str, dict[int, han.Rows]] = {}
        for one in tunings:
            name, ranks = one.plan.call
            rules.setdefault(name, {})[ranks] = export.openmpi_rules(one)
            rows.setdefault(name, {})[ranks] = _decided(export.starts(one))
        if canary is not None:
            name, ranks = canary.plan.call
            rules[name][ranks] = _never(rules[name][ranks], canary)
            rows[name][ranks] = [(canary.size, True), (canary.end, False)]
        texts = {"tuned": export.openmpi_text(rules, self.version, comment)}
        if self.major >= han.FIRST_RELEASE and han.COLLECTIVES & set(rows):
            texts["han"] = han.file_text(rows, comment)
        return texts

    def variables(self, paths: Mapping[str, Path]) -> dict[str, str]:
        found = openmpi.variables(str(paths["tuned"].absolute()))
        return found | (han.variables(str(paths["han"].absolute())) if "han" in paths else {})

    def use(self, paths: Mapping[str, Path]) -> str:
        return f"mpirun {openmpi.options(self.variables(paths))} -np {self.job_ranks} ./app"


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
        rules: dict[str, dict[mpich.Job, mpich.Rows]] = {}
        for one in tunings:
            job = replace(self.job, node_of_rank=one.plan.node_of_rank)
            rows = export.starts(one)
            if canary is not None and canary.plan.call == one.plan.call:
                rows = [(canary.size, mpich.NEVER), (canary.end, DEFAULT)]
            rules.setdefault(one.plan.collective.name, {})[job] = rows
        return mpich.files(rules, self.job.major)

    def variables(self, paths: Mapping[str, Path]) -> dict[str, str]:
        return mpich.variables({what: str(path.absolute()) for what, path in paths.items()})

    def use(self, paths: Mapping[str, Path]) -> str:
        given = " ".join(f"{name}={path}" for name, path in self.variables(paths).items())
        return f"{given} mpiexec -n {self.job.ranks} ./app"


def _never(rows: list[openmpi.Rule], canary: Canary) -> list[openmpi.Rule]:
    """The same rules, but for the bytes of the canary an algorithm that does not exist."""
    name, ranks = canary.plan.call
    never = openmpi.Choice(openmpi.NEVER, 0, 0, "none: this call must fail")
    at = openmpi.rule_bytes(name, canary.size, ranks)
    return [*(row for row in rows if row.from_bytes < at), openmpi.Rule(at, never)]


def _decided(rows: list[tuple[int, str]]) -> han.Rows:
    return [(begin, name != DEFAULT) for begin, name in rows]


def openmpi_major(version: str) -> int:
    """`version` is what the MPI library says of itself."""
    match = re.match(r"Open MPI v(\d+)", version)
    return int(match[1]) if match else 4
