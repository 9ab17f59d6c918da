# SPDX-License-Identifier: BSD-3-Clause
"""SimGrid's times beside the model's, of schedules on a lab's network. Run as a program, it prints
a line for each: the model's time, SimGrid's, and SimGrid's over the model's."""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suiro.sim.estimate import Estimate, estimate
from suiro.sim.network import of_lab
from suiro.sim.simgrid import export

SCHEDULES = [
    ("bcast", "binomial"),
    ("bcast", "node_pipeline"),
    ("bcast", "scatter_allgather"),
    ("allreduce", "ring"),
    ("allreduce", "recursive_doubling"),
    ("allreduce", "shared_lanes"),
    ("allgather", "ring"),
    ("alltoall", "pairwise"),
    ("alltoall", "two_level_ring"),
    ("reduce_scatter_block", "ring"),
    ("gather", "binomial"),
    ("scatter", "binomial"),
]


@dataclass(frozen=True)
class Opinion:
    model: Estimate
    simgrid_s: float

    @property
    def ratio(self) -> float:
        return self.simgrid_s / self.model.seconds


def opinions(lab: str, sizes: list[int]) -> Iterator[Opinion]:
    scene = of_lab(lab)
    for collective, algorithm in SCHEDULES:
        with tempfile.TemporaryDirectory(prefix="suiro-simgrid-") as parent:
            folder = Path(parent) / "export"
            estimates = estimate(scene, collective, [algorithm], sizes)
            export(scene, estimates, 0, folder)
            commands = re.findall(r"(smpirun .*?) +#", (folder / "README").read_text())
            for one, command in zip(estimates, commands, strict=True):
                yield Opinion(one, _replay(command.split(), folder))


def _replay(command: list[str], folder: Path) -> float:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    said = result.stdout + result.stderr
    found = re.search(r"Simulation time ([\d.]+)", said)
    assert found and result.returncode == 0, said
    return float(found[1])


if __name__ == "__main__":
    for one in opinions("4x4-voq", [1 << 16, 1 << 20]):
        name = f"{one.model.collective}/{one.model.name}"
        print(f"{name:50} {one.model.bytes:7} B {one.model.seconds * 1e3:9.3f} ms "
              f"{one.simgrid_s * 1e3:9.3f} ms {one.ratio:6.3f}")  # fmt: skip
