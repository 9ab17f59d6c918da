# SPDX-License-Identifier: BSD-3-Clause
"""What `suiro demo` shows, and the commands for it: those that it runs are those that it prints."""

import shlex
from dataclasses import dataclass

CLUSTER = "cluster.toml"
MPI = "openmpi"


@dataclass(frozen=True)
class Chapter:
    """A program in a lab, and why it is shown there."""

    title: str
    about: str
    lab: str
    program: str  # an example, without its ending
    arguments: str
    libraries: str = ""
    probes: bool = False  # the switch first; then the program runs with what was found

    @property
    def compilation(self) -> str:
        """By the MPI's own compiler, with an example's source."""
        words = f"mpicc.{MPI} -O2 examples/{self.program}.c -o {self.program} {self.libraries}"
        return words.rstrip()

    @property
    def probing(self) -> str:
        return f"suiro probe --switch --write-cluster {CLUSTER}" if self.probes else ""

    @property
    def without_suiro(self) -> str:
        return f"$SUIRO_LAB_MPIRUN ./{self.program} {self.arguments}"

    def with_suiro(self, options: str) -> str:
        """What earlier jobs have shown is left aside, so that everybody begins with the same."""
        return f"suiro run --no-store {options} -- {self.without_suiro}"

    @property
    def commands(self) -> list[str]:
        """For whoever wants to see it again."""
        options = f"--explain --cluster {CLUSTER}" if self.probes else "--explain"
        steps = [self.probing, self.without_suiro, self.with_suiro(options)]
        script = shlex.quote("\n  " + "\n  ".join(filter(None, steps)))
        return [self.compilation, f"suiro lab run {self.lab} --mpi {MPI} -- sh -c {script}"]


# Sizes are such that a run takes some seconds, and the whole less than two minutes on two cores.
CHAPTERS = (
    Chapter(
        title="Broadcasts and gathers",
        about="Rank 0 broadcasts a table of 256 KiB, and all gather what every rank made of its "
        "part. Native sends the same bytes through a node's link several times, and suiro once.",
        lab="8x4-shared",
        program="broadcast_gather",
        arguments="2048 8",
    ),
    Chapter(
        title="Short sums on many ranks per node",
        about="All ranks sum one number (8 bytes), then a vector of 8 KiB, as solvers do. Ranks of "
        "a node add up in memory that they share, and one of them sends to other nodes.",
        lab="4x16-bridge",
        program="short_sums",
        arguments="1024 200",
    ),
    Chapter(
        title="A Fourier transform, after a probe of the switch",
        about="FFTW transforms 1024 x 1024 numbers and back, which is all-to-all. Which algorithm "
        "is best depends on the kind of switch, so a probe finds that out first.",
        lab="4x4-hol",
        program="fftw_transform",
        arguments="1024 3",
        libraries="-lfftw3_mpi -lfftw3 -lm",
        probes=True,
    ),
)
