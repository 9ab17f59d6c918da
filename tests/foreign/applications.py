# SPDX-License-Identifier: BSD-3-Clause
"""Applications that Debian has packaged, each with a small input of ours (inputs/NAME). What they
compute natively is what they have to compute with suiro."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs import Job, Outcome, first_words
from quantities import Quantity

from suiro.errors import UsageError

SUITE = "applications"
_INPUTS = Path(__file__).parent / "inputs"
_RANKS = 4
_ALL = "all"
_PSEUDOPOTENTIALS = "/usr/share/abinit/psp"  # of abinit-data, for Quantum ESPRESSO too
# A thread for each rank: more would not make the small matrices faster, nor their sums the same.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Application:
    """What has to be installed, how it is started, and where its results are."""

    name: str
    packages: Mapping[str, str]  # for each MPI that there is one for
    programs: Mapping[str, str]
    arguments: Sequence[str]
    quantities: tuple[Quantity, ...]
    data: str = ""  # a file or folder that is needed, and its package
    data_package: str = ""
    prepare: tuple[tuple[str, ...], ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


def _openmpi(package: str, program: str) -> dict[str, Mapping[str, str]]:
    return {"packages": {"openmpi": package}, "programs": {"openmpi": program}}


APPLICATIONS = (
    Application(
        "lammps",
        **_openmpi("lammps", "lmp"),
        arguments=("-in", "in.salt", "-log", "none"),
        quantities=(
            # Pressures of a melt, after 100 steps in which atoms amplify what rounding did.
            Quantity("thermodynamic state", r"^ +\d+ ((?:[-+.\de]+ ){9,})$", 1e-9),
            Quantity("pair distribution", r"^\d+ (\S+ .*)$", 1e-9, "rdf.txt"),
            Quantity("positions", r"^\d+ [12] (.*)$", 1e-6, "dump.txt"),
        ),
    ),
    Application(
        "pw",
        **_openmpi("quantum-espresso", "pw.x"),
        arguments=("-ndiag", "4", "-in", "pw.in"),
        data=f"{_PSEUDOPOTENTIALS}/14-Si.nlcc.UPF",
        data_package="abinit-data",
        quantities=(
            Quantity("energies", r"^!? +total energy += +(\S+) Ry", 1e-8),
            Quantity("forces", r"^ +atom .* force = (.*)$", 1e-5),
            Quantity("pressure", r"P= +(\S+)$", 1e-3),
            Quantity("eigenvalues", r"^((?: +-?\d+\.\d{4}){2,8})$", 1e-4),
        ),
    ),
    Application(
        "abinit",
        **_openmpi("abinit", "abinit"),
        arguments=("si.abi",),
        data=f"{_PSEUDOPOTENTIALS}/14si.pspnc",
        data_package="abinit-data",
        quantities=(
            Quantity("energies", r"^ ETOT +\d+ +(\S+)", 1e-9),
            Quantity("forces", r"^ +\d+ +(-?\d+\.\d{14} .*)$", 1e-6, "si.abo"),
            Quantity("stress", r"^ +sigma\(. .\)= +(\S+) ", 1e-6),
        ),
    ),
    Application(
        "nwchem",
        # nwchem-mpich does not come to its end natively, with any number of ranks but one.
        **_openmpi("nwchem-openmpi", "nwchem.openmpi"),
        arguments=("water.nw",),
        quantities=(
            Quantity("energies", r"Total (?:SCF|MP2) energy[ =]+(\S+)$", 1e-9),
            Quantity(
                "gradient", r"^ +\d+ [OH] (?: +-?\d+\.\d{6}){3}((?: +-?\d+\.\d{6}){3})$", 1e-4
            ),
        ),
    ),
    Application(
        "bagel",
        packages={"mpich": "bagel"},
        programs={"mpich": "BAGEL"},
        arguments=("water.json",),
        variables={"BAGEL_NUM_THREADS": "1"},
        quantities=(
            Quantity("energies", r"(?:^ +\d+ +|MP2 total energy: +)(-\d+\.\d{8,10})\b", 1e-9),
            Quantity("gradient", r"^ +[xyz] +(-?\d+\.\d{10})$", 1e-6),
        ),
    ),
    Application(
        "gpaw",
        **_openmpi("gpaw", "gpaw"),
        arguments=("python", "water.py"),
        quantities=(
            Quantity("energies", r"^energy (.*)$", 1e-7),
            Quantity("forces", r"^force (.*)$", 1e-4),
        ),
    ),
    Application(
        "cp2k",
        **_openmpi("cp2k", "cp2k.psmp"),
        arguments=("-i", "water.inp"),
        quantities=(
            Quantity("energies", r"^ ENERGY\| .*: +(\S+)$", 1e-9),
            Quantity("forces", r"^ +\d+ +\d+ +[OH] +(.*)$", 1e-6),
        ),
    ),
    Application(
        "icofoam",
        **_openmpi("openfoam", "icoFoam"),
        arguments=("-parallel",),
        prepare=(("blockMesh",), ("decomposePar",)),
        variables={"WM_PROJECT_DIR": "/usr/share/openfoam"},
        quantities=(
            Quantity("integrals", r"^ +volIntegrate\(.*\) of . = (.*)$", 1e-6),
            Quantity("residuals", r"Initial residual = ([^,]+),", 1e-6),
            Quantity("velocities", r"^\((.* .* .*)\)$", 1e-6, "processor3/0.016/U"),
        ),
    ),
)

NAMES = tuple(one.name for one in APPLICATIONS)


def find(names: Sequence[str]) -> list[Application]:
    for name in names:
        if name not in (*NAMES, _ALL):
            raise UsageError(f"--applications {name}: there is {', '.join((*NAMES, _ALL))}")
    return [one for one in APPLICATIONS if one.name in names or _ALL in names]


def missing(application: Application, mpi: str) -> str:
    """What to install; nothing if there is no package for this MPI."""
    packages = []
    if shutil.which(application.programs[mpi]) is None:
        packages.append(application.packages[mpi])
    if application.data and not Path(application.data).exists():
        packages.append(application.data_package)
    return f"not installed: apt-get install {' '.join(packages)}" if packages else ""


def job(application: Application, mpi: str) -> Job:
    program = Path(shutil.which(application.programs[mpi]) or "").resolve()
    folder = _INPUTS / application.name
    return Job(
        suite=SUITE,
        name=application.name,
        mpi=mpi,
        ranks=_RANKS,
        words=(str(program), *application.arguments),
        files=(program, *sorted(path for path in folder.rglob("*") if path.is_file())),
        judge=_judge,
        inputs=(folder,),
        prepare=application.prepare,
        quantities=application.quantities,
        variables=_ONE_THREAD | dict(application.variables),
    )


def _judge(outcome: Outcome, _folder: Path) -> str:
    """What they print first is their name; an error is what tells more."""
    if outcome.code == 0:
        return ""
    lines = (outcome.err + outcome.out).splitlines()
    errors = (line.strip() for line in lines if re.search("error|fatal", line, re.IGNORECASE))
    return next(errors, "") or first_words(outcome)
