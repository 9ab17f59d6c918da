# SPDX-License-Identifier: BSD-3-Clause
"""How the results of applications are read and compared: by a stand-in, since none is needed."""

from pathlib import Path

import applications
import pytest
from jobs import Job, Runner, Setting, calls_between_nodes
from quantities import Quantity, first_difference, read_all, unread
from settings import MODES, chosen_settings
from sweep import Plan, Sweep

ENERGY = Quantity("energy", r"^E = (.*)$", 1e-6)
FIELD = Quantity("field", r"^\((.*)\)$", 1e-3, "*.field")


def read(quantity: Quantity, out: str, folder: Path = Path()) -> list[str]:
    return list(read_all([quantity], out, folder)[quantity.name])


def test_numbers_are_read_as_they_are_written(tmp_path: Path) -> None:
    assert read(ENERGY, "E = -1.25D-03 Ry\nE=7\nE = +.5 of H2O, NaN\n") == [
        "-1.25D-03",
        "+.5",
        "NaN",
    ]
    (tmp_path / "a.field").write_text("3\n(1 -2.5e+01)\n(inf 4)\n")
    assert read(FIELD, "(9)", tmp_path) == ["1", "-2.5e+01", "inf", "4"]
    assert read(FIELD, "(9)", tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("other", "exact", "rounded"),
    [
        (["1.0", "-2000.0"], "", ""),
        (["1.00", "-2000"], "", ""),
        (["1.001", "-2000.0"], "energy: number 1 is 1.001, natively 1.0", ""),
        (["1.0", "-2000.1"], *2 * ["energy: number 2 is -2000.1, natively -2000.0"]),
        (["1.0", "nan"], *2 * ["energy: number 2 is nan, natively -2000.0"]),
        (["1.0"], *2 * ["energy: 1 numbers, natively 2"]),
    ],
)
def test_results_are_compared(other: list[str], exact: str, rounded: str) -> None:
    native = {"energy": ["1.0", "-2000.0"]}
    for told, strict in ((exact, True), (rounded, False)):
        assert first_difference([ENERGY], native, {"energy": other}, strict) == told


def test_a_run_without_results_is_wrong() -> None:
    assert unread([ENERGY], {"energy": []}) == "it tells no energy"
    assert unread([ENERGY], {"energy": ["1", "NaN"]}) == "energy is not finite"
    assert unread([ENERGY], {"energy": ["1"]}) == ""


def test_calls_within_a_node_are_of_no_interest() -> None:
    rows = [
        {"collective": name, "shape": shape, "calls": calls}
        for name, shape, calls in [
            ("bcast", "1 node x 2 ranks", 9),
            ("bcast", "2 nodes x 2 ranks", 3),
            ("bcast", "2 nodes x 1 rank", 4),
            ("scan", "1 node x 1 rank", 1),
        ]
    ]
    assert calls_between_nodes(rows) == {"bcast": 7}


def test_each_mode_has_its_options() -> None:
    settings = chosen_settings(rounds=[0], modes=list(MODES))
    assert [(one.name, one.options) for one in settings] == [
        ("defaults", ()),
        ("defaults --check", ("--check",)),
        ("defaults --transport suiro", ("--transport", "suiro")),
    ]


# What it computes depends on what is forced, as that of no application should.
PROGRAM = """
import os
from mpi4py import MPI
from array import array
world = MPI.COMM_WORLD
sent, got = array("d", [world.rank + 0.5] * 4), array("d", [0.0] * 4)
world.Alltoall(sent, got)
total = array("d", [0.0])
world.Allreduce(array("d", [got[0]]), total)
if world.rank == 0:
    sums = os.environ.get("SUIRO_ALLREDUCE", "native")
    print("E =", total[0] + (1e-9 if sums != "native" else 0)
                         + (1e-9 if os.environ.get("SUIRO_ALLTOALL") == "ring" else 0))
"""


def test_the_last_bit_counts_unless_sums_run_in_another_order(tmp_path: Path) -> None:
    job = Job(
        suite="stand-in",
        name="sums",
        mpi="openmpi",
        ranks=4,
        words=("/usr/bin/python3", "-c", PROGRAM),
        files=(),
        judge=lambda _outcome, _folder: "",
        quantities=(ENERGY,),
    )
    settings = [
        *chosen_settings(algorithms=["ring"], collectives=["alltoall", "allreduce", "bcast"])
    ]
    sweep = Sweep(Plan(settings, [job]), Runner(tmp_path, 60), tmp_path)
    sweep.run(2, again=False)
    assert sweep.native[job].readings == {"energy": ["2.0"]}
    assert dict(sweep.learnt[job]) == {"allreduce": 1, "alltoall": 1}
    wrong = {setting.name: result.wrong for (_, setting), result in sweep.results.items()}
    assert wrong["alltoall=ring"] == "energy: number 1 is 2.000000001, natively 2.0"
    assert wrong["allreduce=ring"] == ""
    assert not any(name.startswith("bcast") for name in wrong)
    assert (job, Setting()) not in sweep.results


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (lammps, gpaw) = applications.find(["gpaw", "lammps"])
    assert applications.missing(gpaw, "openmpi") == "not installed: apt-get install gpaw"
    assert applications.missing(lammps, "openmpi") == "not installed: apt-get install lammps"


def test_every_application_has_its_input() -> None:
    for one in applications.APPLICATIONS:
        assert (Path(applications.__file__).parent / "inputs" / one.name).is_dir()
        assert set(one.packages) == set(one.programs)
