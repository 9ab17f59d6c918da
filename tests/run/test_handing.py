# SPDX-License-Identifier: BSD-3-Clause
"""How variables reach ranks through the command lines of launchers."""

import os
from pathlib import Path

import pytest

from suiro.run import context_file, env_list, wrappers
from suiro.run.context_file import ContextFile
from suiro.run.env_list import EnvList
from suiro.run.handing import Handed, with_preload
from suiro.run.launchers import Launcher

OPENMPI = Launcher("/usr/bin/mpirun", "openmpi", version="4.1.4")
OPENMPI_5 = Launcher("/usr/bin/mpirun", "openmpi", version="5.0.11")
MPICH = Launcher("/usr/bin/mpiexec", "mpich")
START = "-x LD_PRELOAD=/s.so -x SUIRO_TOKEN"


def handed(
    launcher: Launcher,
    words: str,
    listed: EnvList = EnvList(),  # noqa: B008
    file: ContextFile | None = None,
    **environment: str,
) -> tuple[str, list[str]]:
    """The command line, and the lines of a file."""
    ours = Handed("/s.so", ["SUIRO_TOKEN"], environment)
    changed, files = with_preload(launcher, words.split(), ours, listed, file)
    lines = []
    for number in files:
        lines += Path(f"/dev/fd/{number}").read_text().splitlines()
        changed = [word.replace(f"/dev/fd/{number}", "FILE") for word in changed]
        os.close(number)
    return " ".join(changed), lines


def test_openmpi_forwards_by_name_in_every_part() -> None:
    changed, _ = handed(OPENMPI, "-n 1 ./a : -n 1 ./b")
    assert changed == f"{START} -n 1 ./a : {START} -n 1 ./b"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("-x LD_PRELOAD=/p.so -x FOO ./a", "-x LD_PRELOAD=/s.so:/p.so -x SUIRO_TOKEN -x FOO ./a"),
        ("-x LD_PRELOAD -x SUIRO_TOKEN ./a", f"{START} ./a"),
        ("env -u A B=1 LD_PRELOAD=/p.so ./a", f"{START} env -u A B=1 LD_PRELOAD=/s.so:/p.so ./a"),
        ("env -uA B=1 LD_PRELOAD=/p.so ./a", f"{START} env -uA B=1 LD_PRELOAD=/s.so:/p.so ./a"),
        ("env -u LD_PRELOAD A=1 ./a", f"{START} env -u LD_PRELOAD A=1 ./a"),
        ("./a LD_PRELOAD=/p.so", f"{START} ./a LD_PRELOAD=/p.so"),
    ],
)
def test_openmpi_joins_the_users_preload(given: str, wanted: str) -> None:
    assert handed(OPENMPI, given)[0] == wanted


def test_openmpi_4_with_a_list_of_its_own() -> None:
    listed = EnvList(("A", "LD_PRELOAD=/p.so", "B=1"))
    changed, _ = handed(OPENMPI, "--mca mca_base_env_list A -n 1 ./a : -n 1 ./b", listed)
    value = "LD_PRELOAD=/s.so:/p.so;SUIRO_TOKEN;A;B=1"
    assert changed == f"--mca mca_base_env_list {value} -n 1 ./a : -n 1 ./b"
    changed, _ = handed(OPENMPI_5, "-n 1 ./a", listed)
    assert changed == "-x LD_PRELOAD=/s.so:/p.so -x SUIRO_TOKEN -n 1 ./a"


def test_values_in_a_list_that_openmpi_would_misread() -> None:
    words = EnvList(("A",)).joined("/s.so", ["R", "S"], {"R": "ring:n=1;2", "S": "a,b;c"})
    assert words[:2] == ["--mca", "mca_base_env_list_delimiter"]
    assert words[-1].split(words[2]) == ["LD_PRELOAD=/s.so", "R=ring:n=1;2", "S", "A"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("-genvlist A,B", "-genvlist A,B,SUIRO_TOKEN"),
        ("-genvnone", "-genvlist SUIRO_TOKEN"),
        ("-envnone", "-envlist SUIRO_TOKEN"),
        ("-env LD_PRELOAD /p.so", "-env LD_PRELOAD /s.so:/p.so"),
        ("-genv LD_PRELOAD=/p.so", "-genv LD_PRELOAD /s.so:/p.so"),
        ("-env A=1 -n 2", "-env A=1 -n 2"),
    ],
)
def test_hydra_with_a_list_of_its_own(given: str, wanted: str) -> None:
    assert handed(MPICH, f"{given} ./a")[0] == f"-genv LD_PRELOAD /s.so {wanted} ./a"


def test_hydra_gets_one_variable_and_hands_its_environment_on() -> None:
    start = "-genv LD_PRELOAD /s.so"
    assert handed(MPICH, "-n 2 ./a : -n 1 ./b")[0] == f"{start} -n 2 ./a : -n 1 ./b"
    assert handed(MPICH, "./a", HYDRA_ENV="none")[0] == f"{start} -genvlist SUIRO_TOKEN ./a"
    assert handed(MPICH, "-genvall ./a", HYDRA_ENV="none")[0] == f"{start} -genvall ./a"


def test_arguments_of_the_program_stay() -> None:
    changed, _ = handed(MPICH, "./a -genvnone -x LD_PRELOAD")
    assert changed.endswith("./a -genvnone -x LD_PRELOAD")


def test_lines_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("# two programs\n-n 1 -x LD_PRELOAD=/p.so ./a\n\n-n 1 ./b # the second\n")
    given = f"--mca a b --app {file}"
    found = context_file.find(OPENMPI, given.split(), {})
    assert handed(OPENMPI, given, file=found) == (
        "--mca a b --app FILE",
        ["-x LD_PRELOAD=/s.so:/p.so -x SUIRO_TOKEN -n 1 ./a", f"{START} -n 1 ./b"],
    )
    assert context_file.find(OPENMPI, ["--app", "/nowhere"], {}) is None


def test_files_of_hydra(tmp_path: Path) -> None:
    start = "-genv LD_PRELOAD /s.so"
    own = tmp_path / ".mpiexec.hydra.conf"
    own.write_text("-genv LD_PRELOAD /p.so -genvnone\n")
    found = context_file.find(MPICH, ["./a"], {"HOME": str(tmp_path)})
    line = "-genv LD_PRELOAD /s.so:/p.so -genvlist SUIRO_TOKEN"
    assert handed(MPICH, "./a", file=found) == (f"{start} -configfile FILE ./a", [line])
    own.write_text("-iface eth0\n")
    found = context_file.find(MPICH, ["./a"], {"HYDRA_CONFIG_FILE": str(own), "HOME": "/nowhere"})
    assert handed(MPICH, "./a", file=found) == (f"{start} ./a", [])


def test_a_list_of_the_users_as_openmpi_sees_it(tmp_path: Path) -> None:
    """In a file, where another may have been said by a variable or on the command line."""
    (tmp_path / ".openmpi").mkdir()
    (tmp_path / ".openmpi" / "mca-params.conf").write_text("mca_base_env_list = A;LD_PRELOAD=/p\n")
    tune = tmp_path / "tune"
    tune.write_text("-x B=1 -x LD_PRELOAD=/q\n")
    launcher = Launcher("/usr/bin/mpirun.openmpi", "openmpi", version="4.1.4")
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    found = env_list.of(launcher, ["./a"], home)
    assert (found.tokens, found.preload) == (("A", "LD_PRELOAD=/p"), "/p")
    assert env_list.of(launcher, ["./a"], home | {"OMPI_MCA_mca_base_env_list": "C"}).tokens == (
        "C",
    )
    given = ["--mca", "mca_base_env_list", "D,E", "--mca", "mca_base_env_list_delimiter", ","]
    found = env_list.of(launcher, [*given, "--tune", str(tune), "./a"], home)
    assert (found.tokens, found.preload) == (("D", "E"), "/q")


def test_env_is_looked_through() -> None:
    assert wrappers.program(["env", "-v", "A=1", "env", "B=2", "./a", "C=3"]) == "./a"
    assert wrappers.program(["/usr/bin/env", "-S", "./a"]) == "/usr/bin/env"
    assert wrappers.program(["./a", "A=1"]) == "./a"
