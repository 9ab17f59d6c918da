# SPDX-License-Identifier: BSD-3-Clause
"""`suiro doctor`: how facts are read and judged, and what it says of this machine and of jobs."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from suiro.cli.doctor import CONTEXT, doctor
from suiro.doctor import facts, here, hosts, job
from suiro.doctor.facts import Host
from suiro.doctor.finding import Finding, Status, merged, ok

app = typer.Typer()
app.command(context_settings=CONTEXT)(doctor)

GOOD = {
    "glibc": "glibc 2.28",
    "library /opt/suiro/lib/libsuiro-openmpi.so": "sum 1 2",
    "tcp_congestion_control": "cubic",
    "tcp_slow_start_after_idle": "0",
    "tcp_sack": "1",
    "tcp_window_scaling": "1",
    "tcp_rmem": "4096 131072 6291456",
    "tcp_wmem": "4096 16384 4194304",
    "link eth0": "card 1 9000 full 10000",
    "link lo": "virtual 772 65536",
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def judged(**changed: str) -> list[Finding]:
    """What is not well on a host with these facts."""
    names = {"library": "library /opt/suiro/lib/libsuiro-openmpi.so", "link": "link eth0"}
    values = GOOD | {names.get(name, name): value for name, value in changed.items()}
    found = hosts.judge(Host("a", 1, {0}, values))
    return [finding for finding in found if finding.status is not Status.OK]


def test_a_good_host() -> None:
    assert judged() == []
    texts = [finding.text for finding in hosts.judge(Host("a", 1, {0}, GOOD))]
    assert "eth0 has 10 Gbit/s, MTU 9000" in texts
    assert "libsuiro-openmpi.so can be loaded" in texts


@pytest.mark.parametrize(
    ("name", "value", "status", "text"),
    [
        ("glibc", "glibc 2.17", Status.PROBLEM, "glibc 2.17 is older than 2.28"),
        ("glibc", "", Status.WARNING, "the C library is not glibc"),
        ("library", "missing", Status.PROBLEM, "libsuiro-openmpi.so cannot be read"),
        ("library", "ERROR: ld.so: object", Status.PROBLEM, "cannot be loaded: ERROR"),
        ("tcp_congestion_control", "bbr", Status.WARNING, "TCP uses bbr"),
        ("tcp_slow_start_after_idle", "1", Status.WARNING, "TCP forgets its window"),
        ("tcp_sack", "0", Status.WARNING, "tcp_sack is off"),
        ("tcp_window_scaling", "0", Status.WARNING, "more than 64 KiB"),
        ("tcp_rmem", "4096 87380 65536", Status.WARNING, "10 Gbit/s may need 1250000"),
        ("link", "card 1 1500 half 100", Status.WARNING, "eth0 runs at half duplex"),
        ("link", "virtual 1 1500 full 10000", Status.WARNING, "no Ethernet card is up"),
        ("link", "card 32 2044", Status.WARNING, "eth0 is InfiniBand"),
    ],
)
def test_what_is_not_well(name: str, value: str, status: Status, text: str) -> None:
    found = judged(**{name: value})
    assert found[0].status is status
    assert text in found[0].text
    assert found[0].advice


def test_a_card_that_does_not_tell_its_rate() -> None:
    values = GOOD | {"link eth0": "card 1 1500 unknown -1"}
    [found] = [one for one in hosts.judge(Host("a", 1, {0}, values)) if one.check == "link"]
    assert found.status is Status.WARNING and "eth0 does not tell its rate" in found.text
    assert "suiro probe --switch --write-cluster" in found.advice


def test_facts_of_several_hosts_through_noise() -> None:
    text = (
        "suiro-fact|b|7|cpus|0-1\n[1,0]<stdout>:suiro-fact|b|8|cpus|2\nwarning: noise\n"
        "suiro-fact|a|7|glibc|glibc 2.36\n"
    )
    first, second = facts.read(text)
    assert (first.name, first.ranks, first.values["glibc"]) == ("a", 1, "glibc 2.36")
    assert (second.name, second.ranks, second.cpus) == ("b", 2, {0, 1, 2})


def test_the_same_finding_on_several_hosts_is_said_once() -> None:
    found = merged([("a", [ok("tcp", "x"), ok("link", "y")]), ("b", [ok("tcp", "x")])])
    assert [(finding.text, finding.hosts) for finding in found] == [("x", ["a", "b"]), ("y", ["a"])]


def test_this_machine() -> None:
    result = run("--json")
    document = json.loads(result.stdout)
    assert document["ok"] and result.exit_code == 0
    texts = " ".join(finding["text"] for finding in document["findings"])
    assert "is Open MPI 4.1" in texts
    assert "is MPICH 4.0" in texts
    names = ("openmpi", "mpich", "mpi_abi", "fi")
    assert ", ".join(f"libsuiro-{name}.so" for name in names) + " can be loaded" in texts


def test_without_a_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = run()
    assert result.exit_code == 1
    assert "problem  launcher  no mpirun, mpiexec or srun is on the PATH" in result.stdout


def _mpirun(*words: str) -> Result:
    return run("--", "mpirun", "--oversubscribe", *words)


@pytest.fixture
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")


@pytest.mark.usefixtures("_root")
def test_a_job_on_one_host(tmp_path: Path) -> None:
    program = tmp_path / "program"
    source = tmp_path / "program.c"
    source.write_text("#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n")
    subprocess.run(["mpicc.openmpi", "-o", program, source], check=True)
    ranks = (os.cpu_count() or 1) + 1
    result = _mpirun("-np", str(ranks), str(program))
    assert result.exit_code == 0
    assert "ok       command   suiro run can bring its library to the ranks" in result.stdout
    assert "all ranks are on one host" in result.stdout
    assert f"{ranks} ranks share" in result.stdout
    program.chmod(0o4755)
    assert "has a set-user-ID" in _mpirun("-np", "1", str(program)).stdout


@pytest.mark.usefixtures("_root")
def test_commands_that_cannot_be_helped() -> None:
    result = _mpirun("-np", "1", "ls")
    assert result.exit_code == 1
    assert "problem  command   ls is not an MPI program" in result.stdout
    assert "ls is not a launcher that suiro knows" in run("--", "ls", "-l").stdout
    said = " ".join(run("--", "mpirnu", "./app").stdout.split())
    assert 'mpirnu: no such program on the PATH; did you mean "mpirun"?' in said
    assert "./none: no such file; give the launcher" in " ".join(run("./none").stdout.split())
    result = _mpirun("-np", "2", "./none", ":", "-np", "1", "sh")
    assert result.exit_code == 1
    assert "there is no program ./none; copy it there" in result.stdout
    assert "ok       command" not in result.stdout
    result = run("--", "mpirun", "--no-such-option", "-np", "1", "x")
    assert result.exit_code == 1
    assert "problem  hosts     mpirun started no process on its hosts" in result.stdout


@pytest.mark.usefixtures("_root")
def test_programs_in_a_file_are_not_run(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    script.chmod(0o755)
    (tmp_path / "programs").write_text(f"-n 1 {script}\n")
    result = _mpirun("--app", str(tmp_path / "programs"))
    assert "where a file names the programs, the hosts are not looked at" in result.stdout
    assert not (tmp_path / "ran").exists()


def test_variables_that_do_not_reach_a_host() -> None:
    pair = [Host("a", 1, {0}, {"preload": "/s.so:/p.so"}), Host("b", 1, {0}, {"preload": ""})]
    found = job.handed(pair, "/s.so")
    assert [finding.text for finding in found] == ["on b the launcher does not hand on LD_PRELOAD"]


@pytest.mark.usefixtures("_root")
def test_a_launcher_that_takes_no_more_options(tmp_path: Path) -> None:
    launcher = tmp_path / "mpirun"
    launcher.write_text(
        '#!/bin/sh\n[ "$1" = -x ] && { echo no -x here >&2; exit 1; }\nexec mpirun.openmpi "$@"\n'
    )
    launcher.chmod(0o755)
    result = run("--", str(launcher), "-n", "1", "/bin/sh")
    assert result.exit_code == 1
    assert "this works without suiro only" in result.stdout
    assert "no -x here" in result.stdout


def test_hosts_that_differ() -> None:
    path = "library /opt/suiro/lib/libsuiro-openmpi.so"
    pair = [Host("a", 2, {0, 1}, GOOD), Host("b", 2, {0, 1}, GOOD | {path: "sum 3 4"})]
    assert "is not the same file on all hosts" in job.builds(pair)[0].text
    assert job.placement(pair)[0].text == "the launcher starts 4 ranks on 2 hosts"
    assert "one rank per host" in job.placement([Host("a", 1), Host("b", 1)])[0].text


def test_missing_libraries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SUIRO_NATIVE_DIR", str(tmp_path))
    assert here.libraries() == []
    assert "suiro's libraries are missing" in run().stdout


@pytest.mark.parametrize("words", [(), ("--", "mpirun", "-np", "2", "sh")])
def test_an_open_mpi_that_is_refused_the_transport(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    launcher = tmp_path / "mpirun"
    launcher.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.5'\n")
    launcher.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    said = " ".join(run(*words).stdout.split())
    assert "warning transport Open MPI 4.1.5 sends datatypes with an offset from the" in said
    assert "use Open MPI 4.1.6 or later, or MPICH 5" in said
