# SPDX-License-Identifier: BSD-3-Clause
"""Schedules and their network for SimGrid, which replays them: a second opinion on the model."""

import re
from dataclasses import fields
from pathlib import Path

from suiro.errors import UsageError
from suiro.output import WriteError, check_place, reason_of
from suiro.sim.estimate import Estimate, Estimates, with_schedules
from suiro.sim.network import Scene
from suiro.sim.platform import platform
from suiro.sim.traces import Costs, processes

OPTION = "--export simgrid"

_README = """\
{scene}: schedules of suiro's, to be replayed by SimGrid (Debian: libsimgrid-dev).

In this folder, which prints the simulated time; beside each is what suiro's model says:

{commands}

platform.xml says which network it is, with which settings, and why. hosts has the place of each
process: first of the ranks, then of TCP streams, on which messages go one after the other. A trace
has what its process does. `sleep` is the time that processors take for messages, copies and
operations.

Not expressed:
- What a switch does under contention: heads of queues that block others, pause frames, losses.
- Processors that the ranks of a node share, and the time to hand bytes to the network.
- A rank deals with messages in the order of rounds, and not as they come. That takes longer where
  processors are the limit, as with short messages, and in overtaking schedules.
- Question and answer of a long message take their way, but do not wait behind data.
"""


def check_export(scene: Scene, folder: Path) -> None:
    """Before anything is played for a folder that could not be made."""
    if "site_of_node" in scene.network:
        raise UsageError(f"{OPTION} is for one site: its streams are as long to all nodes")
    if folder.exists():
        raise UsageError(f"{OPTION} {folder}: it exists; name a new folder")
    check_place(folder, OPTION)


def export(scene: Scene, estimates: list[Estimate], root: int, folder: Path) -> None:
    """What was estimated, in a new folder."""
    names = list(dict.fromkeys(one.name for one in estimates))
    sizes = list(dict.fromkeys(one.bytes for one in estimates))
    played = with_schedules(scene, estimates[0].collective, names, sizes, root)
    try:
        folder.mkdir()
        _write(scene, played, folder)
    except OSError as error:
        raise WriteError(f"{OPTION} {folder}: cannot be written: {reason_of(error)}") from None


def _write(scene: Scene, played: Estimates, folder: Path) -> None:
    costs = _costs(played)
    nodes = len(scene.ranks_of_node)
    (folder / "platform.xml").write_text(platform(nodes, played.network, costs))
    commands = []
    for one in played.estimates:
        name = f"{re.sub('[:,]', '-', one.name)}-{one.bytes}"
        (folder / name).mkdir()
        hosts: list[str] = []
        for process in processes(one.schedule, one.block_bytes, scene.node_of_rank, costs):
            (folder / name / f"trace-{len(hosts)}").write_text("\n".join([*process.lines, ""]))
            hosts.append(process.host)
        traces = [f"{name}/trace-{number}" for number in range(len(hosts))]
        (folder / name / "hosts").write_text("\n".join([*hosts, ""]))
        (folder / name / "traces").write_text("\n".join([*traces, ""]))
        commands.append(
            f"  smpirun -np {len(hosts)} -platform platform.xml -hostfile {name}/hosts "
            f"-replay {name}/traces   # {one.seconds:.6f}"
        )
    text = _README.format(scene=scene.name, commands="\n".join(commands))
    (folder / "README").write_text(text)


def _costs(played: Estimates) -> Costs:
    names = {each.name for each in fields(Costs)} - {"header_bytes"}
    numbers = {name: played.network[name] for name in names}
    return Costs(**numbers, header_bytes=played.message_header_bytes)
