# SPDX-License-Identifier: BSD-3-Clause
"""Proves that an MPI reads files as they are meant, and that with them data are right: MPIs ignore
what they cannot read without a word, and do not check what an algorithm needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from suiro.bench.job import run_job
from suiro.errors import SuiroError
from suiro.output import write_file
from suiro.tune.mpi_files import Canary, MpiFiles
from suiro.tune.tuner import Plan, Tuning

_CANARIES = 4  # sizes beside each other
_FORMS = {
    1: "with two buffers",
    2: "in place",
    3: "with two buffers and an operation of the program's",
    4: "in place with an operation of the program's",
    5: "with an operation that does not commute",
    6: "in place with an operation that does not commute",
}
_OF_ORDER = (5, 6)


@dataclass(frozen=True)
class Launch:
    """How jobs are started, and a folder that all nodes see."""

    prefix: list[str]
    mpi: str
    folder: Path

    def failure(self, arguments: list[str], variables: Mapping[str, str]) -> SuiroError | None:
        """Of one job, in the job's own words; None if it ran and its data were right."""
        try:
            run_job(self.prefix, self.mpi, arguments, with_suiro=False, variables=variables,
                    quiet=True)  # fmt: skip
        except SuiroError as error:
            return error
        return None

    def runs(self, arguments: list[str], variables: Mapping[str, str]) -> bool:
        return self.failure(arguments, variables) is None

    def put(self, files: MpiFiles, texts: Mapping[str, str], name: str) -> dict[str, str]:
        """Writes files, and says which variables make the MPI read them."""
        paths = {what: self.folder / f"{name}.{what}" for what in texts}
        for what, text in texts.items():
            write_file(paths[what], text)
        return files.variables(paths)


def prove(tuning: Tuning, tunings: list[Tuning], files: MpiFiles, launch: Launch) -> list[str]:
    """For one collective. SuiroError says what is wrong with the files; what is wrong in spite of
    them, or what no file could tell, comes back."""
    _prove_read(tuning, tunings, files, launch)
    variables = launch.put(files, files.texts(tunings), "proof")
    sizes = [one.size for one, _ in tuning.choices]
    if launch.runs(_forms(tuning.plan, sizes, 0), variables):
        return []
    found = []
    for size in sizes:
        if not launch.runs(_forms(tuning.plan, [size], 0), variables):
            found += _faults(tuning.plan, size, files, launch, variables)
    return found


def _prove_read(tuning: Tuning, tunings: list[Tuning], files: MpiFiles, launch: Launch) -> None:
    """With files in which nothing can run for one size, a job must start, and that call must fail.
    An MPI may call its own collectives when it starts: then another size is tried."""
    plan = tuning.plan
    failure = None
    for step in range(_CANARIES):
        size = tuning.choices[0][0].size + step * plan.collective.unit_bytes
        texts = files.texts(tunings, Canary(plan, size))
        variables = launch.put(files, texts, "canary")
        failure = launch.failure(["--budget", "1"], variables)
        if failure is not None:
            continue
        if not launch.runs([*_called(plan), "--cell", str(size), "1", "native"], variables):
            return
        raise SuiroError(
            f"this MPI does not read {files.name} as told: a rule that must fail did nothing, so "
            "nothing was exported"
        )
    raise SuiroError(
        f"this MPI does not start with {files.name}, so nothing was exported: {failure}"
    )


def _called(plan: Plan) -> list[str]:
    return ["--ranks", str(plan.ranks), "--collective", plan.collective.name, "0", str(plan.root)]


def _forms(plan: Plan, sizes: list[int], form: int) -> list[str]:
    words = _called(plan)
    for size in sizes:
        words += ["--forms", str(size), str(form)]
    return words


def _faults(
    plan: Plan, size: int, files: MpiFiles, launch: Launch, variables: Mapping[str, str]
) -> list[str]:
    """Form by form. What fails without the files, too, is the MPI's own fault."""
    found = []
    for form, said in _FORMS.items():
        call = _forms(plan, [size], form)
        if launch.runs(call, variables):
            continue
        what = f"{plan.collective.name} of {size} bytes on {plan.ranks} ranks {said}"
        if form in _OF_ORDER and not files.knows_order:
            found.append(f"{what} is wrong, which rules cannot tell: --without leaves it out")
        elif not launch.runs(call, {}):
            found.append(f"{what} fails in this MPI, whatever the rules")
        else:
            raise SuiroError(f"with the exported rules {what} failed: nothing was exported")
    return found
