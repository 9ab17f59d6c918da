# SPDX-License-Identifier: BSD-3-Clause
"""The cluster of a job that could be started: its launcher starts a probe on the hosts, and not the
program."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from suiro.advise.question import Mpi, Question, of_launcher
from suiro.bench.launcher import launcher_of
from suiro.doctor import facts
from suiro.doctor.facts import Host
from suiro.doctor.hosts import fastest_mbit
from suiro.doctor.job import with_probe
from suiro.run.instead import with_program


def of_job(words: Sequence[str], mpi: Mpi | None, cluster: Path | None) -> Question:
    """Hosts, ranks, cores and links, as they tell themselves; with `cluster`, the network of that
    file."""
    launcher = launcher_of(list(words))
    hosts = facts.gather(with_probe(launcher, words, []))
    cores = min(len(host.cpus) for host in hosts)
    asked = mpi or of_launcher(launcher)
    names = tuple(host.name for host in hosts)
    ranks_of_node = tuple(host.ranks for host in hosts)
    prefix = tuple(with_program(launcher, words, lambda name: []))
    question = Question(asked, ranks_of_node, {}, _link_Bps(hosts), cores, hosts=names,
                        launcher=() if ":" in prefix else prefix)  # fmt: skip
    if cluster is None:
        return question
    from suiro.sim.network import of_job as scene_of

    scene = scene_of(cluster, list(names), ranks_of_node)
    return replace(question, network=scene.network, place=str(cluster))


def _link_Bps(hosts: Sequence[Host]) -> float | None:
    """Of the slowest host; None where one does not tell, as in virtual machines."""
    rates = [fastest_mbit(host) for host in hosts]
    known = [rate for rate in rates if rate is not None]
    return min(known) * 1e6 / 8 if len(known) == len(rates) else None
