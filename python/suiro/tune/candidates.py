# SPDX-License-Identifier: BSD-3-Clause
"""What may run for a call: the MPI's own algorithms, or suiro's."""

from dataclasses import dataclass, field, replace

from suiro.bench.catalog import Collective, algorithms
from suiro.tune import mpich, openmpi

SEGMENTS = tuple(1 << power for power in range(10, 19))  # bytes: 1 to 256 KiB (paper B, 3.2)
_SEGMENT_PARAMETER = "segment"
DEFAULT = "default"  # what the MPI does by itself


@dataclass(frozen=True)
class Candidate:
    """`name` is for people and the store. `model` is the catalog's algorithm that moves the same
    between ranks, as a forced algorithm is written, if there is one: what the model can estimate.
    """

    name: str
    model: str | None = None
    rule: openmpi.Choice | None = None  # one of Open MPI's own


@dataclass(frozen=True)
class Candidates:
    """Of one collective; those with segments depend on the size."""

    collective: Collective
    native: bool
    without: frozenset[str] = field(default_factory=frozenset)  # algorithms that are left out
    job: mpich.Job | None = None  # of MPICH, to whom those that are native belong then

    def at(self, size: int) -> list[Candidate]:
        """The default first. A segment that is not shorter than the message would be the same as
        none."""
        if self.job is not None:
            made = self._mpich(self.job, size)
        else:
            made = self._openmpi(size) if self.native else self._suiro(size)
        kept = [one for one in made if one.name.partition(":")[0] not in self.without]
        return [Candidate(DEFAULT), *kept]

    def names(self, size: int) -> set[str]:
        """What `without` may name."""
        every = replace(self, without=frozenset())
        return {one.name.partition(":")[0] for one in every.at(size)} - {DEFAULT}

    def _openmpi(self, size: int) -> list[Candidate]:
        return [
            Candidate(choice.name, choice.model, choice)
            for choice in openmpi.choices(self.collective.name, size, SEGMENTS)
        ]

    def _mpich(self, job: mpich.Job, size: int) -> list[Candidate]:
        made = mpich.choices(self.collective.name, size, SEGMENTS, job)
        return [Candidate(choice.name, choice.model) for choice in made]

    def _suiro(self, size: int) -> list[Candidate]:
        """Each with its fallbacks, which suit size and link, with every segment, and with values of
        other parameters that are best somewhere."""
        found = []
        for name, parameters in sorted(algorithms(self.collective.name).items()):
            forms = [name]
            if _SEGMENT_PARAMETER in parameters:
                forms += [f"{name}:segment={segment}" for segment in SEGMENTS if segment < size]
            for parameter, values in parameters.items():
                forms += [f"{name}:{parameter}={value}" for value in values]
            found += [Candidate(form, form) for form in forms]
        return found
