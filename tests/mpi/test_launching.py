# SPDX-License-Identifier: BSD-3-Clause
"""What the user hands to ranks, and what suiro does, both get there."""

import re
import subprocess
from pathlib import Path

import pytest
from mpi_jobs import SUIRO, Mpi, Outcome, execute

PIPELINE = {"SUIRO_BCAST": "node_pipeline", "USERS_X": "5"}


def broadcasts(outcome: Outcome) -> list[str]:
    """By which algorithms, of a job that ended well."""
    assert (outcome.code, outcome.said()) == (0, []), outcome.err
    return [row["algorithm"] for row in outcome.explained("bcast")]


@pytest.fixture(scope="session")
def marker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the user's."""
    library = tmp_path_factory.mktemp("marker") / "marker.so"
    command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input="int users_marker = 1;\n", text=True, check=True)
    return library


@pytest.mark.parametrize("name", ["openmpi", "openmpi5"])
@pytest.mark.parametrize("where", ["file", "variable", "option"])
def test_a_list_of_variables_of_the_site(
    name: str, where: str, programs: Path, marker: Path, tmp_path: Path
) -> None:
    mpi = Mpi(name, programs)
    program = str(mpi.build("handed.c"))
    listed = f"USERS_X;LD_PRELOAD={marker}"
    words, more = [], {"HOME": str(tmp_path)}
    if where == "file":
        (tmp_path / ".openmpi").mkdir()
        (tmp_path / ".openmpi" / "mca-params.conf").write_text(f"mca_base_env_list = {listed}\n")
    elif where == "variable":
        more["OMPI_MCA_mca_base_env_list"] = listed
    else:
        words = ["--mca", "mca_base_env_list", listed]
    outcome = mpi.run([*words, program], "--explain=json", ranks=2, **PIPELINE, **more)
    assert broadcasts(outcome) == ["node_pipeline"]
    assert "right, 2 ranks have the user's library, X=5" in outcome.out
    assert "SUIRO" not in outcome.out and "libsuiro" not in outcome.out
    if name == "openmpi" and where == "file":
        launcher = [*mpi.launcher(2), program]
        assert "problem" not in execute([*SUIRO, "doctor", "--", *launcher], **more).out


@pytest.mark.parametrize("name", ["openmpi", "openmpi5", "mpich", "mpich5"])
def test_the_users_library_in_a_file_and_behind_env(
    name: str, programs: Path, marker: Path, tmp_path: Path
) -> None:
    mpi = Mpi(name, programs)
    program = mpi.build("handed.c")
    preload = f"LD_PRELOAD={marker}"
    first = f"-x {preload}" if name.startswith("openmpi") else f"-env {preload}"
    file = tmp_path / "programs"
    file.write_text(f"-n 1 {first} {program}\n-n 1 env {preload} {program}\n")
    option = "--app" if name.startswith("openmpi") else "-configfile"
    command = [*SUIRO, "run", "--explain=json", "--", mpi.tools.launcher, option, str(file)]
    outcome = execute(command, **PIPELINE)
    assert broadcasts(outcome) == ["node_pipeline"]
    assert "right, 2 ranks have the user's library" in outcome.out


def test_a_wrapper_that_takes_the_library_out(openmpi: Mpi, marker: Path) -> None:
    """No more is said than is known."""
    program = openmpi.build("handed.c")
    outcome = openmpi.run(["sh", "-c", f"LD_PRELOAD={marker} exec {program}"], ranks=2)
    assert outcome.code == 0
    assert outcome.said() == [
        "suiro: no rank reported: no process called MPI_Init that has libsuiro-openmpi.so and "
        "reaches this host; line 1 of the command has `LD_PRELOAD=`: keep there what LD_PRELOAD has"
    ]


ASAN = {"ASAN_OPTIONS": "detect_leaks=0"}


def test_a_program_with_an_address_sanitizer(mpi: Mpi) -> None:
    """Its runtime wants to be the first library; a wrapper hides it from `suiro run`."""
    program = mpi.build("handed.c", "-fsanitize=address", name="sanitized")
    command = ["sh", "-c", f"exec {program}"]
    outcome = mpi.run(command, "--explain=json", ranks=2, yielding=False, **PIPELINE, **ASAN)
    assert broadcasts(outcome) == ["node_pipeline"]


def test_options_of_a_sanitizer_in_the_program(openmpi: Mpi) -> None:
    source = openmpi.folder / "options.c"
    source.write_text('const char* __asan_default_options(void) { return "detect_leaks=0"; }\n')
    program = openmpi.build("handed.c", "-fsanitize=address", str(source), name="options")
    outcome = openmpi.run(program, ranks=2)
    assert outcome.code == 0 and outcome.out.startswith("right")
    assert re.search("verify_asan_link_order=0.*; the command runs unchanged", outcome.said()[0])
    more = {"ASAN_OPTIONS": "verify_asan_link_order=0"}
    outcome = openmpi.run(program, "--explain=json", ranks=2, **PIPELINE, **more)
    assert broadcasts(outcome) == ["node_pipeline"]
