# SPDX-License-Identifier: BSD-3-Clause
"""The verb: tunes collectives with the launcher that it is given, and keeps what it measured; then
exports it, and proves what it exports."""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

from suiro import variables
from suiro.bench.control import find_control
from suiro.bench.job import run_job
from suiro.bench.native_algorithm import Call
from suiro.errors import SuiroError, UsageError
from suiro.output import told_of, write_file
from suiro.provenance import now
from suiro.sim.estimate import estimate
from suiro.sim.network import Scene, of_job, of_lab
from suiro.tune import (
    export,
    mpi_files,
    mpich,
    mpich_trials,
    openmpi_trials,
    proof,
    search,
    store,
)
from suiro.tune.candidates import DEFAULT, Candidate, Candidates
from suiro.tune.plans import check_without
from suiro.tune.session import Session
from suiro.tune.transport import transport_named, variables_of_ranks
from suiro.tune.tuner import CallKind, Estimates, Placed, Plan, Tell, Tuner, Tuning

_MODEL_MARGIN = 1.3  # strategy A: twice the model's error, so that native stays where it is as good


@dataclass(frozen=True)
class Request:
    """The command line, taken apart."""

    plans: list[Plan]
    prefix: list[str]
    mpi: str
    native: bool
    strategy: str
    budget_s: float
    again: bool
    targets: list[export.Target]
    origin: str
    cluster: Path | None = None  # a lab is known by itself


@dataclass
class Outcome:
    """All that came out, also of a run that was interrupted."""

    began: str = field(default_factory=now)
    start: Mapping[str, Any] = field(default_factory=dict)  # who is where
    key: store.Key | None = None
    tunings: list[Tuning] = field(default_factory=list)
    stored: list[Path] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # what could not be written, in a line each
    exported: list[tuple[export.Target, str]] = field(default_factory=list)  # and how to use it
    remarks: list[str] = field(default_factory=list)  # what is wrong in spite of files
    interrupted: bool = False


def run(request: Request, tell: Tell) -> Outcome:
    """A first, empty job tells who is where."""
    if request.strategy != "a" or request.targets:
        with store.working_folder():
            pass  # there is one, before anything is measured
    start = run_job(request.prefix, request.mpi, ["--budget", "1"], with_suiro=False).start
    outcome = Outcome(start=start)
    request = _with_native(_with_ranks(request, start), start)
    scene = _scene(request, start, tell)
    if request.strategy == "a":
        _by_model(request, start, scene, outcome)
    else:
        _measure(request, start, scene, outcome, tell)
    return outcome


def _ranks_of_node(nodes: Sequence[int]) -> tuple[int, ...]:
    return tuple(nodes.count(node) for node in sorted(set(nodes)))


def _with_native(request: Request, start: Mapping[str, Any]) -> Request:
    """Which of MPICH's algorithms there are depends on its release and on where ranks are."""
    if not request.native or not request.mpi.startswith("mpich"):
        return request
    job = mpich.job_of(str(start["mpi"]), start["node_of_rank"])

    def placed(plan: Plan) -> Candidates:
        return replace(plan.candidates, job=replace(job, node_of_rank=plan.node_of_rank))

    plans = [replace(plan, candidates=placed(plan)) for plan in request.plans]
    check_without(plans)
    return replace(request, plans=plans)


def _with_ranks(request: Request, start: Mapping[str, Any]) -> Request:
    """Who takes part in each, which only a job tells."""
    nodes = tuple(start["node_of_rank"])
    if len(nodes) < 2:
        raise UsageError("tune needs at least 2 ranks, and the launcher starts one: add -np N")
    plans = []
    for plan in request.plans:
        if plan.wanted_ranks > len(nodes):
            raise UsageError(f"{plan.collective.name} on {plan.wanted_ranks} ranks: the launcher "
                             f"starts {len(nodes)}")  # fmt: skip
        placed = replace(plan, node_of_rank=nodes[: plan.wanted_ranks or len(nodes)])
        if plan.root >= placed.ranks:
            raise UsageError(
                f"--root {plan.root}: there are {placed.ranks} ranks, 0 to {placed.ranks - 1}"
            )
        plans.append(placed)
    return replace(request, plans=plans)


def _scene(request: Request, start: Mapping[str, Any], tell: Tell) -> Scene | None:
    """The job's nodes on the network that is known; None where none is."""
    if request.cluster is not None:
        return of_job(request.cluster, list(start["hosts"]), _ranks_of_node(start["node_of_rank"]))
    lab = variables.text("SUIRO_LAB_SPEC")
    if not lab:
        return None
    try:
        scene = of_lab(lab)
    except SuiroError as error:
        tell(f"{error}: nothing is left out by the model")
        return None
    if scene.ranks_of_node != _ranks_of_node(start["node_of_rank"]):
        tell("the job does not use the lab as it is: nothing is left out by the model")
        return None
    return scene


def _key(request: Request, start: Mapping[str, Any], plan: Plan) -> store.Key:
    return store.Key(
        cluster=store.cluster_named(start["hosts"]),
        mpi=store.mpi_named(str(start["mpi"])),
        transport=transport_named(variables_of_ranks(os.environ, request.prefix, request.mpi)),
        family="native" if request.native else "suiro",
        node_of_rank=list(plan.node_of_rank),
        collective=plan.collective.name,
        root=plan.root,
    )


def _estimates(plan: Plan, start: Mapping[str, Any], whole: Scene | None) -> Estimates:
    """Seconds by candidate, by the model; nothing where the network is not known."""
    scene = whole and whole.part(_ranks_of_node(plan.node_of_rank))

    def of(candidates: list[Candidate], size: int) -> dict[str, float]:
        if scene is None:
            return {}
        models = {one.name: one.model for one in candidates if one.model is not None}
        default = _default_model(plan, str(start["mpi"]), size)
        if default is not None:
            models[DEFAULT] = default
        wanted = sorted(set(models.values()))
        made = estimate(scene, plan.collective.regular, wanted, [size], plan.root)
        seconds = {model: one.seconds for model, one in zip(wanted, made, strict=True)}
        return {name: seconds[model] for name, model in models.items()}

    return of


def _default_model(plan: Plan, version: str, size: int) -> str | None:
    """What the MPI does by itself, in the catalog's words."""
    call = Call(plan.collective.name, plan.node_of_rank, plan.root, size)
    return find_control(version, call).algorithm


def _by_model(
    request: Request, start: Mapping[str, Any], scene: Scene | None, outcome: Outcome
) -> None:
    if scene is None:
        raise UsageError("strategy a asks the model alone, which must know the network: add --lab "
                         "or --cluster FILE")  # fmt: skip
    for plan in request.plans:
        tuning = Tuning(plan)
        outcome.tunings.append(tuning)
        of = _estimates(plan, start, scene)
        for size in plan.sizes:
            verdict = search.by_model(size, of(plan.candidates.at(size), size), _MODEL_MARGIN)
            if verdict is None:
                tuning.left.append(size)
            else:
                tuning.verdicts.append(verdict)


def _measure(
    request: Request,
    start: Mapping[str, Any],
    scene: Scene | None,
    outcome: Outcome,
    tell: Tell,
) -> None:
    """One job for all collectives. What was measured is kept whatever happens."""
    with _rules(request, start) as (variables, placed):
        session = Session(
            request.prefix, request.mpi, with_suiro=not request.native, variables=variables
        )
        try:
            with _signals_as_ctrl_c(), session:
                left_s = request.budget_s
                for index, plan in enumerate(request.plans):
                    key = _key(request, start, plan)
                    outcome.key = key
                    tuning = Tuning(plan)
                    outcome.tunings.append(tuning)
                    estimates = _estimates(plan, start, scene)
                    tuner = Tuner(session, plan, key, estimates, placed.get(plan.call, {}))
                    share_s = left_s / (len(request.plans) - index)
                    left_s -= tuner.run(share_s, request.again, tell, tuning)
        except KeyboardInterrupt:
            outcome.interrupted = True
        finally:
            for tuning in outcome.tunings:
                if tuning.samples:
                    key = _key(request, start, tuning.plan)
                    try:
                        outcome.stored.append(store.write(key, tuning.samples))
                    except SuiroError as error:
                        outcome.lost.append(str(error))


@contextmanager
def _signals_as_ctrl_c() -> Iterator[None]:
    """A time limit or a lost connection ends like Ctrl-C, after which what was measured is kept.
    What is ignored already, as by nohup, stays so."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    old = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


@contextmanager
def _rules(
    request: Request, start: Mapping[str, Any]
) -> Iterator[tuple[dict[str, str], dict[CallKind, Placed]]]:
    """For the MPI's own algorithms: a file with rules by which sizes beside each other run
    different ones, the variables that make the MPI read it, and the sizes."""
    if not request.native:
        yield {}, {}
        return
    if request.mpi.startswith("mpich"):
        with store.working_folder() as folder:
            yield mpich_trials.files(request.plans, folder)
        return
    # Every rank reads it, so it is where all nodes see the user's files.
    with store.working_folder() as folder:
        major = mpi_files.openmpi_major(str(start["mpi"]))
        yield openmpi_trials.files(request.plans, folder, major)


def export_all(request: Request, outcome: Outcome, tell: Tell) -> None:
    """Call it when what was measured is shown: proofs take minutes, and may fail. What went wrong
    is in the outcome."""
    tunings = [one for one in outcome.tunings if one.verdicts]
    for target in request.targets if tunings and not outcome.interrupted else ():
        try:
            use, remarks = _export(request, target, outcome.start, tunings, tell)
        except KeyboardInterrupt:
            outcome.interrupted = True
            return
        except (SuiroError, OSError) as error:
            outcome.lost.append(told_of(error))
        else:
            outcome.exported.append((target, use))
            outcome.remarks += remarks


def _export(
    request: Request,
    target: export.Target,
    start: Mapping[str, Any],
    tunings: list[Tuning],
    tell: Tell,
) -> tuple[str, list[str]]:
    """How to use what was written, and what is wrong in spite of it."""
    if target.kind != "suiro":
        return _export_for_mpi(request, target, start, tunings, tell)
    write_file(target.path, export.suiro_text(tunings, request.origin), "--export")
    return f"suiro run --rules {target.path} -- {' '.join(request.prefix)} ./app", []


def _export_for_mpi(
    request: Request,
    target: export.Target,
    start: Mapping[str, Any],
    tunings: list[Tuning],
    tell: Tell,
) -> tuple[str, list[str]]:
    files: mpi_files.MpiFiles
    if target.kind == "mpich":
        files = mpi_files.MpichFiles(mpich.job_of(str(start["mpi"]), start["node_of_rank"]))
    else:
        major = mpi_files.openmpi_major(str(start["mpi"]))
        files = mpi_files.OpenMpiFiles(target.version, major, len(start["node_of_rank"]))
    remarks: list[str] = []
    with store.working_folder() as folder:
        launch = proof.Launch(request.prefix, request.mpi, folder)
        for tuning in tunings:
            name, ranks = tuning.plan.call
            tell(f"proving the rules of {name} on {ranks} ranks")
            remarks += proof.prove(tuning, tunings, files, launch)
    texts = files.texts(tunings, comment="\n".join([request.origin, *remarks]))
    paths = {what: files.path(what, target.path) for what in texts}
    for what, text in texts.items():
        write_file(paths[what], text, "--export")
    return files.use(paths), remarks
