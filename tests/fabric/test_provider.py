# SPDX-License-Identifier: BSD-3-Clause
"""MPI programs over the provider: between processes of this machine, and between hosts of a lab."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from lab_command import SUIRO as LAB_SUIRO
from mpi_jobs import SUIRO, Mpi, Outcome

from suiro.native import library

HERE = Path(__file__).parent
# MPICH has shared memory of its own within a node.
EVERYTHING_OVER_THE_PROVIDER = {"MPIR_CVAR_NOLOCAL": "1"}


def run(mpi: Mpi, source: str, *arguments: object, ranks: int = 2, **more: str) -> Outcome:
    words = [str(mpi.build(str(HERE / source))), *map(str, arguments)]
    variables = EVERYTHING_OVER_THE_PROVIDER | more
    return mpi.run(words, "--transport", "suiro", ranks=ranks, **variables)


def unneeded_kilobytes(outcome: Outcome) -> int:
    """What the program says it held of messages that were not wanted yet."""
    found = re.search(r"^ok: .* (\d+) KB for those not wanted$", outcome.out, re.MULTILINE)
    assert found, outcome
    return int(found[1])


def test_messages_as_mpi_promises_them(mpi: Mpi) -> None:
    outcome = run(mpi, "semantics.c", ranks=3)
    assert (outcome.code, outcome.out.strip(), outcome.said()) == (0, "ok over suiro", [])


@pytest.mark.parametrize(("messages", "size"), [(1000, 100_000), (20_000, 1000)])
def test_unmatched_messages_do_not_stop_the_one_that_is_wanted(
    mpi: Mpi, messages: int, size: int
) -> None:
    """Where libfabric's own `tcp` hangs at 65. Memory: the budget, and a header for each."""
    outcome = run(mpi, "unmatched.c", messages, size, SUIRO_NET_UNEXPECTED="4M")
    assert outcome.code == 0
    assert unneeded_kilobytes(outcome) < 6 * 1024 + messages


@pytest.mark.parametrize("size", [8, 10_000, 300_000])
def test_threads_that_call_mpi_at_once(mpi: Mpi, size: int) -> None:
    outcome = run(mpi, "threads.c", 4, 50, size)
    assert (outcome.code, outcome.said()) == (0, [])
    assert outcome.out.startswith("ok: 4 threads")


def test_collectives_run_over_it(mpi: Mpi) -> None:
    program = mpi.build("alltoall_cases.c")
    outcome = mpi.run(
        program,
        "--transport",
        "suiro",
        "--explain=json",
        SUIRO_ALLTOALL="two_level_ring",
        **EVERYTHING_OVER_THE_PROVIDER,
    )
    assert (outcome.code, outcome.said()) == (0, [])
    assert outcome.out.startswith("ok ")
    assert "two_level_ring" in {row["algorithm"] for row in outcome.explained()}


def test_an_mpi_without_libfabric_runs_without(mpich: Mpi) -> None:
    outcome = run(mpich, "semantics.c")
    # The helper thread that the program sees is there for the collectives.
    assert (outcome.code, outcome.out.strip()) == (0, "ok over suiro")
    (line,) = outcome.said()
    assert line.endswith(
        "uses an MPICH without libfabric; messages go over the MPI's own transport, "
        "but for those of suiro's collectives"
    )


def test_a_provider_that_fits_no_network(mpi: Mpi) -> None:
    """MPICH's own transport is shared memory then."""
    outcome = run(mpi, "semantics.c", SUIRO_NETS="nowhere0", MPIR_CVAR_NOLOCAL="0")
    assert (outcome.code, outcome.out.strip()) == (0, "ok")
    (line,) = outcome.said()
    assert "SUIRO_NETS=nowhere0 fits no interface" in line
    assert line.endswith("; suiro's transport is not used")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize("name", ["openmpi", "openmpi5", "mpich5"])
def test_between_hosts(name: str, programs: Path) -> None:
    """Over TCP."""
    mpi = Mpi(name, programs)
    start = shlex.join([*SUIRO, "run", "--transport", "suiro", "--", *mpi.launcher(2)])
    semantics, threads, unmatched = (
        mpi.build(str(HERE / source)) for source in ("semantics.c", "threads.c", "unmatched.c")
    )
    words = [f"{semantics}", f"{threads} 3 50 100000", f"{unmatched} 2000 100000"]
    script = " && ".join(f"{start} {program}" for program in words)
    in_lab = [*LAB_SUIRO, "lab", "run", "--mpi", mpi.tools.library, "2x1-wire", "--"]
    done = subprocess.run(
        [*in_lab, "sh", "-c", script],
        env=os.environ | {"SUIRO_NET_UNEXPECTED": "4M"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    outcome = Outcome(done.returncode, done.stdout, done.stderr)
    assert (outcome.code, outcome.said()) == (0, [])
    assert outcome.out.startswith("ok over suiro\nok: 3 threads")
    assert unneeded_kilobytes(outcome) < 6 * 1024 + 2000


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_hosts_with_different_numbers_of_links(programs: Path) -> None:
    """The last of four has two of four links; ranks check every byte."""
    few = "test $(hostname) != host3 || export SUIRO_NETS=eth0,eth1"
    mpi = Mpi("openmpi", programs)
    program = mpi.build(str(HERE / "outage.c"))
    job = [*SUIRO, "run", "--transport", "suiro", "--", *mpi.launcher(16)]
    words = [*job, "sh", "-c", f"{few}; exec {program} alltoall 4 300000"]
    done = subprocess.run(
        [*LAB_SUIRO, "lab", "run", "four-rails", "--", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done
    assert len(re.findall(r"^at .*$", done.stdout, re.MULTILINE)) == 4, done


def test_nothing_of_libfabric_is_linked_and_nothing_shown() -> None:
    """Symbol versions differ between libfabrics; what is inside must not meet the program's."""
    table = subprocess.run(
        ["objdump", "-T", str(library("libsuiro-fi.so"))],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert not re.findall(r"\*UND\*.*\bfi_\w+", table)
    assert {owner for owner in re.findall(r"\*UND\*.*\((\w+?)_[\d.]+\)", table)} == {"GLIBC"}
    shown = re.findall(r"^[0-9a-f]{16} (?!.*\*UND\*).*\s(\w+)$", table, re.MULTILINE)
    assert shown == ["fi_prov_ini"]
