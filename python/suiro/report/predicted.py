# SPDX-License-Identifier: BSD-3-Clause
"""What the model says of what was measured, where the network is known: a lab that suiro ships or
that is named, or a cluster.toml."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from suiro.bench.catalog import algorithms, find_collective
from suiro.bench.control import find_control
from suiro.bench.native_algorithm import Call
from suiro.errors import SuiroError
from suiro.lab.spec import shipped
from suiro.report.evidence import AUTO, NATIVE, Group, Row, Setting
from suiro.sim.estimate import estimate
from suiro.sim.network import Scene, of_cluster, of_lab
from suiro.tune.candidates import Candidates

_BEST = 3  # of the model, among which the measured best should be


@dataclass(frozen=True)
class Agreement:
    """Of one group: the median of the relative errors without their signs, over how many rows; at
    how many sizes the measured best is among the model's best three, of how many."""

    median_error: float
    rows: int
    found: int
    sizes: int


def predict(groups: Iterable[Group], labs: Iterable[str], cluster: Path | None) -> list[str]:
    """Fills `predicted_s` in; why there is none, where there might have been one."""
    given = {Path(lab).stem: of_lab(lab) for lab in labs}
    remarks: dict[str, None] = {}
    for group in groups:
        try:
            scene = _scene(group.setting, given, cluster)
            if scene is not None:
                _fill(group, scene)
        except SuiroError as error:
            remarks[f"{group.setting.place}: not predicted: {error}"] = None
    return list(remarks)


def _scene(setting: Setting, given: dict[str, Scene], cluster: Path | None) -> Scene | None:
    """None where the network, or who is where on it, is not known."""
    if setting.source == "trace" or setting.nodes is None or setting.spread_percent:
        return None
    if setting.place in given:
        scene = given[setting.place]
    elif setting.place in shipped():
        scene = of_lab(setting.place)
    elif cluster is not None and setting.ranks % setting.nodes == 0:
        scene = of_cluster(cluster, setting.ranks // setting.nodes)
    else:
        return None
    known = setting.node_of_rank
    if known is not None:
        in_order = [node for node, count in enumerate(scene.ranks_of_node) for _ in range(count)]
        return scene if list(known) == in_order else None
    same = (setting.nodes, setting.ranks) == (len(scene.ranks_of_node), scene.ranks)
    return scene if same else None


def _fill(group: Group, scene: Scene) -> None:
    """Size by size, since what a name stands for may depend on it."""
    collective = find_collective(group.setting.collective)
    for size in group.sizes if collective.has_data else ():
        rows = [row for row in group.rows if row.bytes == size and row.void_reason is None]
        models = _models(group.setting, size, rows, scene)
        wanted = sorted(set(models.values()))
        if not wanted:
            continue
        made = estimate(scene, collective.regular, wanted, [size], group.setting.root or 0)
        seconds = {model: one.seconds for model, one in zip(wanted, made, strict=True)}
        for row in rows:
            if row.algorithm in models:
                row.predicted_s = seconds[models[row.algorithm]]


def _models(setting: Setting, size: int, rows: list[Row], scene: Scene) -> dict[str, str]:
    """The catalog's algorithm that moves the same, by the name that was measured."""
    collective = find_collective(setting.collective)
    of_candidates = (
        {one.name: one.model for one in Candidates(collective, native=True).at(size)}
        if setting.family == "native"
        else {}
    )
    known = algorithms(setting.collective)
    models = {}
    for row in rows:
        model: str | None
        if row.algorithm == NATIVE:
            model = _native_model(setting, size, scene)
        elif setting.family == "native":
            model = of_candidates.get(row.algorithm)
        else:
            model = row.ran if row.algorithm == AUTO else row.algorithm
        if model == NATIVE:
            model = _native_model(setting, size, scene)
        if model is not None and model.partition(":")[0] in known:
            models[row.algorithm] = model
    return models


def _native_model(setting: Setting, size: int, scene: Scene) -> str | None:
    nodes = tuple(node for node, count in enumerate(scene.ranks_of_node) for _ in range(count))
    # The MPI's own words, of which a result keeps the shorter form.
    said = setting.mpi.replace("Open MPI ", "Open MPI v").replace("MPICH ", "MPICH Version: ")
    return find_control(said, Call(setting.collective, nodes, setting.root or 0, size)).algorithm


def agreement(group: Group) -> Agreement | None:
    """None where nothing was predicted."""
    rows = [row for row in group.rows if row.predicted_s]
    if not rows:
        return None
    found = sizes = 0
    for size in group.sizes:
        here = [row for row in rows if row.bytes == size]
        if len(here) < 2:
            continue
        best = sorted(here, key=lambda row: row.predicted_s or 0)[:_BEST]
        sizes += 1
        found += min(here, key=lambda row: row.median_s) in best
    errors = [abs((row.predicted_s or 0) / row.median_s - 1) for row in rows]
    return Agreement(median(errors), len(rows), found, sizes)
