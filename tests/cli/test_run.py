# SPDX-License-Identifier: BSD-3-Clause
"""`suiro run` as a command: options, exit codes, signals, standard input."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SUIRO = [str(Path(sys.executable).parent / "suiro"), "run"]


def run(*words: str, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    return suiro("run", *words, given=given, **more)


def suiro(*words: str, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SUIRO[0], *words],
        input=given,
        env=os.environ | more,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--", "no-such-launcher"], "no-such-launcher: no such program on the PATH"),
        (
            ["--learn", "reduction", "--", "true"],
            "--learn reduction: expected data or reductions; ",
        ),
        (["--learn", "reductions", "--reproducible", "--", "true"], "--learn reductions and"),
        (["--mpi", "lam", "--", "true"], "--mpi lam: expected auto, openmpi, mpich or mpi_abi"),
        (["--transport", "suro", "--", "true"], "--transport suro: expected mpi or suiro; did you"),
        (["--alltoal", "ring", "true"], 'there is no option --alltoal; did you mean "--alltoall'),
        (["--transprt", "mpi", "true"], 'there is no option --transprt; did you mean "--trans'),
        (["--explain=jsn", "--", "true"], '--explain jsn: expected json; did you mean "json"?'),
        (["--cluster", "", "--", "true"], "--cluster: expected the name of a file"),
        (["--rules", "/none.json", "--", "true"], "--rules /none.json: no such file"),
        (["--cluster", "/none.toml", "--", "true"], "/none.toml: cannot be read: No such file"),
        (["--link-rate", "-1", "--", "true"], "--link-rate: expected bits per second above 0"),
        (["--", "mpirnu"], 'mpirnu: no such program on the PATH; did you mean "mpirun"?'),
        (["--force", "bcast=pipelin", "--", "true"], "--force bcast=pipelin: unknown algorithm"),
        (["--bcast", "linear:x=1", "--", "true"], "--force bcast=linear:x=1: "),
        (["--force", "bcats=x", "--", "true"], '--force bcats=x: no collective "bcats"'),
        (["--trace", "/none/trace", "--", "sh"], "--trace /none/trace: No such file or directory"),
    ],
)
def test_wrong_options(words: list[str], said: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"suiro: {said}")
    assert done.stderr.count("\n") == 1


def test_unknown_launcher(tmp_path: Path) -> None:
    launcher = tmp_path / "mpirun"
    launcher.write_text("#!/bin/sh\necho ran\n")
    launcher.chmod(0o755)
    done = run("--", str(launcher), "-n", "2", "./app")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "is not a launcher that suiro knows" in done.stderr
    assert run("--strict", "--", str(launcher)).returncode == 3


def test_exit_code_and_standard_input_pass_through() -> None:
    done = run("--", "sh", "-c", "cat; exit 9", given="hello")
    assert (done.returncode, done.stdout) == (9, "hello")
    assert "no rank reported" in done.stderr


def test_signals_reach_the_command() -> None:
    script = "trap 'echo got it; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    with subprocess.Popen([*SUIRO, "--", "sh", "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == b"got it\n"
        assert process.wait(timeout=20) == 5


def test_command_that_dies_by_a_signal() -> None:
    assert run("--", "sh", "-c", "kill -9 $$").returncode == 128 + 9


def test_stand_ins_are_gone_afterwards() -> None:
    done = run("--", "sh", "-c", 'echo "${PATH%%:*}"')
    folder = Path(done.stdout.strip())
    assert folder.name.startswith("suiro-run-")
    assert not folder.exists()


def test_what_comes_behind_the_launcher_is_its_own() -> None:
    words = ["--explain=json", "--alltoal", "--bcast", "x"]
    done = run("--no-store", "--bcast=native", "echo", *words)
    assert (done.returncode, done.stdout) == (0, " ".join(words) + "\n")


@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        ("SUIRO", "maybe", 3, "SUIRO=maybe: expected on or off"),
        ("SUIRO_NET_CHUNK", "1", 3, "SUIRO_NET_CHUNK=1: expected a size from 64K to 1G"),
        ("SUIRO_BCAST", "pipelin", 2, 'SUIRO_BCAST=pipelin: unknown algorithm "pipelin" for bcast'),
        ("SUIRO_RULES", "/none.json", 2, "/none.json: No such file"),
    ],
)
def test_strict_runs_nothing_with_a_wrong_setting(
    name: str, value: str, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    done = run("--strict", "--", "echo", "ran")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"suiro: {said}") and done.stderr.count("\n") == 1


def test_what_suiro_cannot_mean_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUIRO", "maybe")
    done = run("--", "echo", "ran")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert done.stderr == "suiro: SUIRO=maybe: expected on or off; the command runs unchanged\n"


@pytest.mark.parametrize("off", ["off", "0", "no", "false"])
def test_off_starts_nothing(off: str) -> None:
    begin = time.monotonic()
    done = run("--explain", "--", "sh", "-c", "env", SUIRO=off)
    assert time.monotonic() - begin < 20
    assert (done.returncode, done.stderr) == (0, "")
    assert "SUIRO_JOB" not in done.stdout


def test_wrong_variables_do_not_keep_a_job_from_running() -> None:
    more = {"SUIRO_ALTOALL": "ring", "SUIRO_NO_STORE": "perhaps"}
    said = [
        'there is no variable SUIRO_ALTOALL; did you mean "SUIRO_ALLTOALL"?',
        "SUIRO_NO_STORE=perhaps: expected on or off; the command runs unchanged",
    ]
    done = run("--", "sh", "-c", "exit 9", **more)
    assert done.returncode == 9
    assert done.stderr.splitlines() == [f"suiro: {line}" for line in said]
    assert run("--strict", "--", "true", **more).returncode == 3


def test_names_that_are_none_are_told_once_by_any_command() -> None:
    told = 'suiro: there is no variable SUIRO_BCSAT; did you mean "SUIRO_BCAST"?\n'
    done = suiro("algorithms", "bcast", SUIRO_BCSAT="ring")
    assert (done.returncode, done.stderr) == (0, told)
    inner = f'SUIRO_XYZ=1 "{SUIRO[0]}" algorithms bcast > /dev/null'
    done = run("--", "sh", "-c", inner, SUIRO_BCSAT="ring")
    assert done.stderr.startswith(f"{told}suiro: there is no variable SUIRO_XYZ\n")
    assert done.stderr.count("SUIRO_BCSAT") == 1
    done = suiro("doctor", SUIRO_BCSAT="ring")
    assert (done.stdout + done.stderr).count("SUIRO_BCSAT") == 1
    asked = {"_SUIRO_COMPLETE": "complete_bash", "COMP_WORDS": "suiro al", "COMP_CWORD": "1"}
    done = suiro(**asked, SUIRO_BCSAT="ring")
    assert (done.stdout, done.stderr) == ("algorithms\n", "")
